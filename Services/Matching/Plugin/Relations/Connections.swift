import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// Connections between users, and the requests that they begin with.
struct Connections: Feature {
  private let core: MatchingCore
  private let requests: ConnectionRequestStore

  /// Requests of one user.
  static let limit = RateLimit(100, per: 86_400, pause: .untilOneIsForgotten)
  /// Requests of one user to another, also after some were declined or withdrawn.
  private static let pairLimit = RateLimit(3, per: 30 * 86_400, pause: .untilOneIsForgotten)

  init(_ core: MatchingCore) { (self.core, requests) = (core, ConnectionRequestStore(keys: core.keys)) }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.ListConnections.self) { request, call in try await list(request, of: call.user.id) }
    routes.on(MatchingAPI.RequestConnection.self) { request, call in try await ask(request, by: Self.caller(call)) }
    routes.on(MatchingAPI.AcceptConnection.self) { request, call in try await accept(request.id, by: Self.caller(call))
    }
    routes.on(MatchingAPI.DeclineConnection.self) { request, call in try await decline(request.id, by: call.user.id) }
    routes.on(MatchingAPI.RemoveConnection.self) { request, call in try await remove(request.id, by: call.user.id) }
    routes.on(MatchingAPI.ListMutualConnections.self) { request, call in try await mutual(request, of: call.user.id) }
  }

  private static func caller(_ call: Call) throws -> UserID { try MatchingCore.member(call, "connect with others").id }

  // MARK: reading

  private func list(_ request: MatchingAPI.ListConnections, of user: UserID) async throws -> Page<UserConnection> {
    let page = try request.page(by: StoredConnection.Cursor.self)
    let status = request.status ?? .accepted
    let found = try await core.database.read { db in
      try page.fetch(
        { after, limit in
          switch status {
          case .accepted: try ConnectionStore.list(of: user, after: after, limit: limit, in: db)
          case .incoming, .outgoing:
            try requests.list(status, of: user, after: after, limit: limit, in: db).map { $0.seen(by: user) }
          }
        }, key: { StoredConnection.Cursor($0) })
    }
    let known = await core.names.of(found.rows.map(\.userID))
    return found.with(found.rows.map { Self.response($0, status, known[$0.userID]) })
  }

  private func mutual(_ request: MatchingAPI.ListMutualConnections, of user: UserID) async throws -> RelatedUsers {
    try OtherUser.refuse(user, request.userID, at: "path.userID")
    let page = try request.page(by: UserID.self)
    let (found, count) = try await core.database.read { db -> (FetchedPage<StoredConnection>, Int) in
      // The response is the same as for an unknown user.
      let isHidden = try BlockStore.exists(between: user, and: request.userID, in: db)
      var count = 0
      let found = try page.fetch(
        { after, limit -> [StoredConnection] in
          if isHidden { return [] }
          let mutual = try ConnectionStore.mutual(of: user, and: request.userID, after: after, limit: limit, in: db)
          count = mutual.count
          return mutual.connections
        }, key: \.userID)
      return (found, count)
    }
    let known = await core.names.of(found.rows.map(\.userID))
    let items = found.rows.map { RelatedUser(userID: $0.userID, user: known[$0.userID], since: $0.since) }
    return RelatedUsers(items: items, count: count, nextCursor: found.nextCursor)
  }

  private static func response(_ stored: StoredConnection, _ status: ConnectionStatus, _ name: PublicName?)
    -> UserConnection
  {
    UserConnection(
      id: stored.id, status: status, userID: stored.userID, user: name, since: stored.since, note: stored.note)
  }

  // MARK: requests

  private func ask(_ request: MatchingAPI.RequestConnection, by user: UserID) async throws -> UserConnection {
    let other = try await OtherUser(request.userID, at: "body.userID", for: user, core.names)
    let id: ConnectionID = core.ids.make()
    return try await core.database.write { tx in
      if let connection = try ConnectionStore.find(between: user, and: other.id, in: tx) {
        return Self.response(connection, .accepted, other.name)
      }
      if let pending = try requests.find(between: user, and: other.id, in: tx) {
        // A request in the other direction accepts this one.
        guard pending.requester == user else { return try Self.connect(pending, other.name, in: tx) }
        return Self.response(pending.seen(by: user), .outgoing, other.name)
      }
      try StoredLimit(Self.limit, of: user.rawValue, for: "connection", core.keys).require(in: tx)
      try other.requireVisible(to: user, in: tx)
      try StoredLimit(Self.pairLimit, of: "\(user) \(other.id)", for: "connection-pair", core.keys).require(in: tx)
      let made = StoredConnectionRequest(
        id: id, requester: user, recipient: other.id, note: request.note, at: tx.now)
      try requests.insert(made, in: tx)
      try tx.record(RealtimeEvent(to: other.id, "connection.requested", Self.data(id, user)))
      try tx.record(
        PushRequested(
          to: other.id, title: "New connection request", text: "Open the app to see who it is.",
          kind: .connections))
      return Self.response(made.seen(by: user), .outgoing, other.name)
    }
  }

  private func accept(_ id: ConnectionID, by user: UserID) async throws -> UserConnection {
    var accepted = try await core.database.write { tx in
      if let connection = try ConnectionStore.find(id, of: user, in: tx) {
        return Self.response(connection, .accepted, nil)
      }
      return try Self.connect(try requests.received(id, by: user, in: tx), nil, in: tx)
    }
    accepted.user = await core.names.of([accepted.userID])[accepted.userID]
    return accepted
  }

  /// Turns a request into a connection, and notifies the requester.
  private static func connect(_ request: StoredConnectionRequest, _ name: PublicName?, in tx: Transaction) throws
    -> UserConnection
  {
    let (requester, recipient) = (request.requester, request.recipient)
    try ConnectionRequestStore.delete(between: requester, and: recipient, in: tx)
    if try ConnectionStore.insert(request.id, requester, recipient, in: tx) {
      try ConversationRequests.accept(between: requester, and: recipient, in: tx)
      try tx.record(ConnectionChanged(requester, recipient, isConnected: true))
      try tx.record(RealtimeEvent(to: requester, "connection.accepted", data(request.id, recipient)))
      try tx.record(
        PushRequested(
          to: requester, title: "New connection", text: "Your connection request was accepted.",
          kind: .connections))
    }
    return response(StoredConnection(id: request.id, userID: requester, since: tx.now), .accepted, name)
  }

  private static func data(_ id: ConnectionID, _ user: UserID) -> JSONValue {
    ["connection": .string(id.rawValue), "user": .string(user.rawValue)]
  }

  private func decline(_ id: ConnectionID, by user: UserID) async throws {
    try await core.database.write { tx in
      let request = try requests.received(id, by: user, in: tx)
      try ConnectionRequestStore.delete(between: request.requester, and: user, in: tx)
    }
  }

  private func remove(_ id: ConnectionID, by user: UserID) async throws {
    try await core.database.write { tx in
      if let connection = try ConnectionStore.find(id, of: user, in: tx) {
        _ = try ConnectionStore.delete(between: user, and: connection.userID, in: tx)
        try RelationEvents.disconnected(user, connection.userID, in: tx)
      } else if let request = try requests.find(id, of: user, in: tx) {
        try ConnectionRequestStore.delete(between: request.requester, and: request.recipient, in: tx)
      } else {
        throw Problem(.connectionNotFound)
      }
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let connections = try ConnectionStore.list(of: user, after: nil, limit: 100_000, in: db)
      .map { Self.response($0, .accepted, nil) }
    let pending = try [ConnectionStatus.incoming, .outgoing].flatMap { status in
      try requests.list(status, of: user, after: nil, limit: 100_000, in: db)
        .map { Self.response($0.seen(by: user), status, nil) }
    }
    return [("connections", try JSONValue(connections + pending))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    for other in try ConnectionStore.delete(of: user, in: tx) {
      try tx.record(ConnectionChanged(user, other, isConnected: false))
    }
    try ConnectionRequestStore.delete(of: user, in: tx)
  }
}

extension ConnectionRequestStore {
  /// A request that the user has received.
  /// - Throws: ``Problem`` when there is none, or when it is the user's own.
  fileprivate func received(_ id: ConnectionID, by user: UserID, in db: any Connection) throws
    -> StoredConnectionRequest
  {
    guard let request = try find(id, of: user, in: db) else { throw Problem(.connectionNotFound) }
    guard request.recipient == user else {
      throw Problem(.forbidden, detail: "Only the recipient can answer a request.")
    }
    return request
  }
}
