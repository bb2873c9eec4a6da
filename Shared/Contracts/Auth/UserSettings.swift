/// A user's settings, shared by all of the user's devices.
public struct UserSettings: Codable, Sendable, Equatable {
  public var notifications = true
  public var darkMode = false
  public var sound = true
  public var accessibility = false
  public var reverseColor = false
  public var voiceOver = false
  public var brightness = Brightness(checked: 50)
  /// The role that the user has chosen in the app; grants no permissions.
  public var role = ChosenRole.student
  /// Minutes of inactivity after which a session ends; when unset, the platform's limit applies.
  public var logOutAfterMinutes: InactivityMinutes?
  /// The kinds of push notifications that the user does not want; none if absent.
  public var mutedNotifications: [NotificationKind]?
  /// When push notifications wait; never if absent.
  public var quietHours: QuietHours?
  public init() {}
}

/// Settings with their version, side by side on the wire; 0 for settings that were never set.
@dynamicMemberLookup
public struct VersionedSettings: Codable, Sendable, Equatable, Versioned {
  public var settings: UserSettings
  public var version: Int
  public init(_ settings: UserSettings, version: Int) { (self.settings, self.version) = (settings, version) }

  public subscript<Value>(dynamicMember property: KeyPath<UserSettings, Value>) -> Value {
    settings[keyPath: property]
  }

  private enum CodingKeys: CodingKey { case version }

  public init(from decoder: any Decoder) throws {
    settings = try UserSettings(from: decoder)
    version = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .version)
  }

  public func encode(to encoder: any Encoder) throws {
    try settings.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(version, forKey: .version)
  }
}

/// Screen brightness in percent.
public struct Brightness: BoundedInteger {
  public static let range = 0...100
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// Minutes of inactivity: 1 to 43,200 (30 days). A session ends within half a minute after them.
public struct InactivityMinutes: BoundedInteger {
  public static let range = 1...43_200
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// The role that a user of LetuStudy selects. `support` and `administrator` can be selected by those who have the role.
public enum ChosenRole: String, WireEnum { case student, instructor, guest, support, administrator }
