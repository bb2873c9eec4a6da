extension AuthAPI {
  public struct GetSettings: Endpoint {
    public typealias Response = UserSettings
    public static let operation = Operation.get("/v1/users/me/settings", "Get the caller's settings")
    public init() {}
  }

  public struct PutSettings: Endpoint {
    public typealias Response = UserSettings
    public static let operation = Operation.put(
      "/v1/users/me/settings", "Replace the caller's settings", limits: .init(bodyBytes: 4096)
    )

    /// When set, only this version is replaced.
    public var ifMatch: EntityTag?
    public var notifications: Bool
    public var darkMode: Bool
    public var sound: Bool
    public var accessibility: Bool
    public var reverseColor: Bool
    public var voiceOver: Bool
    public var brightness: Brightness
    public var role: ChosenRole
    public var logOutAfterMinutes: InactivityMinutes?

    /// Returns the settings with a version.
    public func settings(version: Int) -> UserSettings {
      UserSettings(
        notifications: notifications,
        darkMode: darkMode,
        sound: sound,
        accessibility: accessibility,
        reverseColor: reverseColor,
        voiceOver: voiceOver,
        brightness: brightness,
        role: role,
        logOutAfterMinutes: logOutAfterMinutes,
        version: version
      )
    }

    public init(ifMatch: EntityTag? = nil, _ settings: UserSettings) {
      (self.ifMatch, self.notifications, self.darkMode) = (ifMatch, settings.notifications, settings.darkMode)
      (self.sound, self.accessibility) = (settings.sound, settings.accessibility)
      (self.reverseColor, self.voiceOver) = (settings.reverseColor, settings.voiceOver)
      (self.brightness, self.role) = (settings.brightness, settings.role)
      self.logOutAfterMinutes = settings.logOutAfterMinutes
    }
  }

  public struct GetConsents: Endpoint {
    public typealias Response = Consents
    public static let operation = Operation.get("/v1/users/me/consents", "Get the caller's consents")
    public init() {}
  }

  /// Purposes that are not listed keep their current decision.
  public struct PutConsents: Endpoint {
    public typealias Response = Consents
    public static let operation = Operation.put(
      "/v1/users/me/consents", "Record consent decisions", limits: .init(bodyBytes: 8192)
    )

    public struct Decision: Codable, Sendable {
      public var purpose: ConsentPurpose
      public var textVersion: ShortText
      public var isGiven: Bool

      public init(purpose: ConsentPurpose, textVersion: ShortText, isGiven: Bool) {
        (self.purpose, self.textVersion, self.isGiven) = (purpose, textVersion, isGiven)
      }
    }

    public var decisions: [Decision]
    public init(decisions: [Decision]) { self.decisions = decisions }
  }

  /// Includes the data of all services.
  public struct ExportMe: Endpoint {
    public typealias Response = JSONValue
    public static let operation = Operation.get(
      "/v1/users/me/export", "Export the caller's personal data", limits: .init(seconds: 60)
    )
    public init() {}
  }

  /// Every service erases its personal data of the user.
  public struct DeleteMe: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation.delete(
      "/v1/users/me", "Delete the caller's account", success: 204, problems: [.lastAdministrator]
    )
    public init() {}
  }
}
