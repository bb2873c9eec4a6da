public typealias ConnectionID = ID<UserConnection>

/// A connection between the caller and another user, or a request for one.
public struct UserConnection: Codable, Sendable, Equatable {
  /// A connection keeps the id of the request that was accepted.
  public var id: ConnectionID
  public var status: ConnectionStatus
  public var userID: UserID
  /// Absent while the user's name is unavailable.
  public var user: PublicName?
  /// When the users became connected, or when the request was made.
  public var since: Timestamp
  /// The note of the requester; only in requests.
  public var note: ConnectionNote?
  public init(
    id: ConnectionID, status: ConnectionStatus, userID: UserID, user: PublicName? = nil, since: Timestamp,
    note: ConnectionNote? = nil
  ) {
    (self.id, self.status, self.userID, self.user) = (id, status, userID, user)
    (self.since, self.note) = (since, note)
  }
}

/// A connection, a request that the caller received, or one that the caller made.
public enum ConnectionStatus: String, WireEnum { case accepted, incoming, outgoing }

/// The note of a requester to the recipient: multiline, up to 500 characters.
public struct ConnectionNote: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.multiline(length: 1...500)
}
