/// A user's settings, the same on every device.
public struct UserSettings: Codable, Sendable, Equatable, Versioned {
  public var notifications: Bool
  public var darkMode: Bool
  public var sound: Bool
  public var accessibility: Bool
  public var reverseColor: Bool
  public var voiceOver: Bool
  /// 0 to 100.
  public var brightness: Brightness
  /// The role that the user has chosen for the app; gives no rights.
  public var role: ChosenRole
  /// Minutes without use after which a session ends; unset: as long as the platform allows.
  public var logOutAfterMinutes: InactivityMinutes?
  /// Counts the changes; also in `ETag`. 0 for settings that were never set; ignored in a request.
  public var version: Int

  public init(
    notifications: Bool = true,
    darkMode: Bool = false,
    sound: Bool = true,
    accessibility: Bool = false,
    reverseColor: Bool = false,
    voiceOver: Bool = false,
    brightness: Brightness = Brightness(checked: 50),
    role: ChosenRole = .student,
    logOutAfterMinutes: InactivityMinutes? = nil,
    version: Int = 0
  ) {
    self.notifications = notifications
    self.darkMode = darkMode
    self.sound = sound
    self.accessibility = accessibility
    self.reverseColor = reverseColor
    self.voiceOver = voiceOver
    self.brightness = brightness
    self.role = role
    self.logOutAfterMinutes = logOutAfterMinutes
    self.version = version
  }
}

/// Screen brightness in per cent.
public struct Brightness: BoundedInteger {
  public static let range = 0...100
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// Minutes of inactivity: 15 to 43,200 (30 days). Less than an access token's life could not be noticed.
public struct InactivityMinutes: BoundedInteger {
  public static let range = 15...43_200
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// Who a user of LetuStudy says to be.
public enum ChosenRole: String, WireEnum { case student, instructor }

/// A purpose for which personal data is used.
public enum ConsentPurpose: String, WireEnum { case termsOfService, privacyPolicy, newsletter, analytics, healthData }

/// What a user has said about a purpose, and to which version of its text.
public struct Consent: Codable, Sendable, Equatable {
  public var purpose: ConsentPurpose
  public var textVersion: ShortText
  public var isGiven: Bool
  public var decidedAt: Timestamp

  public init(purpose: ConsentPurpose, textVersion: ShortText, isGiven: Bool, decidedAt: Timestamp) {
    self.purpose = purpose
    self.textVersion = textVersion
    self.isGiven = isGiven
    self.decidedAt = decidedAt
  }
}

/// The user's decisions: those that hold, and all that ever were.
public struct Consents: Codable, Sendable, Equatable {
  public var current: [Consent]
  /// Oldest first.
  public var history: [Consent]

  public init(current: [Consent], history: [Consent]) {
    self.current = current
    self.history = history
  }
}

extension AuthAPI {
  /// The user's settings.
  public struct GetSettings: Endpoint {
    public typealias Response = UserSettings
    public static let operation = Operation(.get, "/v1/users/me/settings", "The user's settings", access: .user)
    public init() {}
  }

  /// Replace the user's settings.
  public struct PutSettings: Endpoint {
    public typealias Response = UserSettings
    public static let operation = Operation(
      .put,
      "/v1/users/me/settings",
      "Replace the user's settings",
      access: .user,
      limits: .init(bodyBytes: 4096)
    )

    public struct Body: Codable, Sendable {
      public var notifications: Bool
      public var darkMode: Bool
      public var sound: Bool
      public var accessibility: Bool
      public var reverseColor: Bool
      public var voiceOver: Bool
      public var brightness: Brightness
      public var role: ChosenRole
      public var logOutAfterMinutes: InactivityMinutes?

      public init(_ settings: UserSettings) {
        notifications = settings.notifications
        darkMode = settings.darkMode
        sound = settings.sound
        accessibility = settings.accessibility
        reverseColor = settings.reverseColor
        voiceOver = settings.voiceOver
        brightness = settings.brightness
        role = settings.role
        logOutAfterMinutes = settings.logOutAfterMinutes
      }

      /// The settings with a version.
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
    }

    /// When given, only that version is replaced.
    public var ifMatch: EntityTag?
    public var body: Body

    public init(ifMatch: EntityTag? = nil, body: Body) {
      self.ifMatch = ifMatch
      self.body = body
    }
  }

  /// The user's consents.
  public struct GetConsents: Endpoint {
    public typealias Response = Consents
    public static let operation = Operation(.get, "/v1/users/me/consents", "The user's consents", access: .user)
    public init() {}
  }

  /// Decide about purposes; decisions not named stay as they are.
  public struct PutConsents: Endpoint {
    public typealias Response = Consents
    public static let operation = Operation(
      .put,
      "/v1/users/me/consents",
      "Decide about purposes",
      access: .user,
      limits: .init(bodyBytes: 8192)
    )

    public struct Body: Codable, Sendable {
      public struct Decision: Codable, Sendable {
        public var purpose: ConsentPurpose
        public var textVersion: ShortText
        public var isGiven: Bool

        public init(purpose: ConsentPurpose, textVersion: ShortText, isGiven: Bool) {
          self.purpose = purpose
          self.textVersion = textVersion
          self.isGiven = isGiven
        }
      }

      public var decisions: [Decision]
      public init(decisions: [Decision]) { self.decisions = decisions }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// Everything that the platform keeps about the user, of all services.
  public struct ExportMe: Endpoint {
    public typealias Response = JSONValue
    public static let operation = Operation(
      .get,
      "/v1/users/me/export",
      "Everything that is kept about the user",
      access: .user,
      limits: .init(seconds: 60)
    )
    public init() {}
  }

  /// Delete the account: every service erases what it has of the person.
  public struct DeleteMe: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .delete,
      "/v1/users/me",
      "Delete the account",
      access: .user,
      success: 204,
      problems: [.lastAdministrator]
    )
    public init() {}
  }
}
