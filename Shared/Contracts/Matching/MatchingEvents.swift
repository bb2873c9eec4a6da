/// Two users have connected or disconnected.
public struct ConnectionChanged: Event {
  public static let type = "app.quintet.matching.connection-changed"
  /// In ascending order.
  public var first: UserID
  public var second: UserID
  public var isConnected: Bool
  public var subject: String { "\(first):\(second)" }
  public init(_ one: UserID, _ other: UserID, isConnected: Bool) {
    (first, second) = one.rawValue < other.rawValue ? (one, other) : (other, one)
    self.isConnected = isConnected
  }
}

/// A user has blocked another, or unblocked them.
public struct BlockChanged: Event {
  public static let type = "app.quintet.matching.block-changed"
  public var blocker: UserID
  public var blocked: UserID
  public var isBlocked: Bool
  public var subject: String { "\(blocker):\(blocked)" }
  public init(blocker: UserID, blocked: UserID, isBlocked: Bool) {
    (self.blocker, self.blocked, self.isBlocked) = (blocker, blocked, isBlocked)
  }
}
