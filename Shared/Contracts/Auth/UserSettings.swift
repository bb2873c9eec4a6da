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
