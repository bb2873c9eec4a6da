/// A user's settings, shared by all of the user's devices.
public struct UserSettings: Codable, Sendable, Equatable, Versioned {
  public var notifications: Bool
  public var darkMode: Bool
  public var sound: Bool
  public var accessibility: Bool
  public var reverseColor: Bool
  public var voiceOver: Bool
  /// 0 to 100.
  public var brightness: Brightness
  /// The role that the user has chosen in the app; grants no permissions.
  public var role: ChosenRole
  /// Minutes of inactivity after which a session ends; when unset, the platform's limit applies.
  public var logOutAfterMinutes: InactivityMinutes?
  /// Incremented on every change; also sent as `ETag`. 0 for settings that were never set; ignored in requests.
  public var version: Int

  public init(
    notifications: Bool = true, darkMode: Bool = false, sound: Bool = true, accessibility: Bool = false,
    reverseColor: Bool = false, voiceOver: Bool = false, brightness: Brightness = Brightness(checked: 50),
    role: ChosenRole = .student, logOutAfterMinutes: InactivityMinutes? = nil, version: Int = 0
  ) {
    (self.notifications, self.darkMode, self.sound) = (notifications, darkMode, sound)
    (self.accessibility, self.reverseColor, self.voiceOver) = (accessibility, reverseColor, voiceOver)
    (self.brightness, self.role, self.logOutAfterMinutes) = (brightness, role, logOutAfterMinutes)
    self.version = version
  }
}

/// Screen brightness in percent.
public struct Brightness: BoundedInteger {
  public static let range = 0...100
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// Minutes of inactivity: 15 to 43,200 (30 days). Periods shorter than an access token's lifetime cannot be detected.
public struct InactivityMinutes: BoundedInteger {
  public static let range = 15...43_200
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// The role that a user of LetuStudy selects.
public enum ChosenRole: String, WireEnum { case student, instructor }

/// A purpose for which personal data is used.
public enum ConsentPurpose: String, WireEnum { case termsOfService, privacyPolicy, newsletter, analytics, healthData }

/// A user's decision about a purpose, with the version of the text it refers to.
public struct Consent: Codable, Sendable, Equatable {
  public var purpose: ConsentPurpose
  public var textVersion: ShortText
  public var isGiven: Bool
  public var decidedAt: Timestamp

  public init(purpose: ConsentPurpose, textVersion: ShortText, isGiven: Bool, decidedAt: Timestamp) {
    (self.purpose, self.textVersion, self.isGiven, self.decidedAt) = (purpose, textVersion, isGiven, decidedAt)
  }
}

/// A user's consent decisions: the current ones and the full history.
public struct Consents: Codable, Sendable, Equatable {
  public var current: [Consent]
  /// Oldest first.
  public var history: [Consent]

  public init(current: [Consent], history: [Consent]) { (self.current, self.history) = (current, history) }
}

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
