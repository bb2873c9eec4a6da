public typealias SessionID = ID<SessionInfo>

/// A session as its user sees it.
public struct SessionInfo: Codable, Sendable, Equatable {
  public var id: SessionID
  public var app: ClientApp
  /// The `User-Agent` of the most recent use.
  public var device: String?
  /// The IP address of the most recent use.
  public var address: String?
  public var createdAt: Timestamp
  public var lastUsedAt: Timestamp
  public var isCurrent: Bool
  public init(
    id: SessionID, app: ClientApp, device: String?, address: String?, createdAt: Timestamp, lastUsedAt: Timestamp,
    isCurrent: Bool
  ) {
    (self.id, self.app, self.device, self.address, self.createdAt) = (id, app, device, address, createdAt)
    (self.lastUsedAt, self.isCurrent) = (lastUsedAt, isCurrent)
  }
}

public struct RevokedSession: Codable, Sendable, Equatable {
  public var id: SessionID
  public var revokedAt: Timestamp
  public init(id: SessionID, revokedAt: Timestamp) { (self.id, self.revokedAt) = (id, revokedAt) }
}

public struct RevokedSessions: Codable, Sendable {
  public var items: [RevokedSession]
  /// The `since` of the next request; overlaps with this response, so that a slow commit is not missed.
  public var next: Timestamp
  public init(items: [RevokedSession], next: Timestamp) { (self.items, self.next) = (items, next) }
}
