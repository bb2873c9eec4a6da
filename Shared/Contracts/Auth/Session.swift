public typealias SessionID = ID<SessionInfo>

/// A session as its user sees it.
public struct SessionInfo: Codable, Sendable, Equatable {
  public var id: SessionID
  public var app: ClientApp
  /// The `User-Agent` of the most recent sign-in or refresh.
  public var device: String?
  /// A readable form of `device`, such as `Chrome on Windows`.
  public var deviceName: String?
  /// The model that the app has reported in `X-Device`, such as `iPhone17,1`.
  public var deviceModel: String?
  /// The version that the app has reported in `X-App-Version`.
  public var appVersion: String?
  /// The network of the most recent sign-in or refresh: `203.0.113.0/24`, or the first 48 bits of an IPv6 address. Whole
  /// addresses are not stored.
  public var address: String?
  public var createdAt: Timestamp
  /// The most recent use of a token of the session, to the minute.
  public var lastUsedAt: Timestamp
  public var isCurrent: Bool
  public init(
    id: SessionID, app: ClientApp, device: String?, deviceName: String? = nil, deviceModel: String? = nil,
    appVersion: String? = nil, address: String?, createdAt: Timestamp, lastUsedAt: Timestamp, isCurrent: Bool
  ) {
    (self.id, self.app, self.device, self.deviceName, self.deviceModel) = (id, app, device, deviceName, deviceModel)
    (self.appVersion, self.address, self.createdAt) = (appVersion, address, createdAt)
    (self.lastUsedAt, self.isCurrent) = (lastUsedAt, isCurrent)
  }
}

/// A session as staff see it: ``SessionInfo`` without the program's own description of itself.
public struct AdministeredSession: Codable, Sendable, Equatable {
  public var id: SessionID
  public var app: ClientApp
  public var deviceName: String?
  public var deviceModel: String?
  public var appVersion: String?
  public var address: String?
  public var createdAt: Timestamp
  public var lastUsedAt: Timestamp
  public init(_ session: SessionInfo) {
    (id, app, deviceName, deviceModel) = (session.id, session.app, session.deviceName, session.deviceModel)
    (appVersion, address) = (session.appVersion, session.address)
    (createdAt, lastUsedAt) = (session.createdAt, session.lastUsedAt)
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
  /// Absent on the last page.
  public var cursor: String?
  public init(items: [RevokedSession], next: Timestamp, cursor: String? = nil) {
    (self.items, self.next, self.cursor) = (items, next, cursor)
  }
}
