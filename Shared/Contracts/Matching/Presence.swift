/// Whether a user is active, as far as the caller may know.
public struct Presence: Codable, Sendable, Equatable {
  public enum Status: String, WireEnum {
    /// In the last minute.
    case active
    /// In the last hour.
    case recently
    /// In the last 24 hours.
    case today
    /// Longer ago, not known, or not shown to the caller.
    case away
  }

  public var userID: UserID
  public var status: Status
  public init(userID: UserID, status: Status) { (self.userID, self.status) = (userID, status) }
}
