import Contracts
import Logging
import Persistence
import ServiceKit

/// Limits searches to what the caller may see.
struct MediaAudience: Sendable {
  let core: MediaCore

  private typealias Value = MediaSearchIndex.Value

  func limiting(_ query: TextQuery, to reader: MediaReader?) async throws -> TextQuery {
    guard let reader else { return query.and(.value(Value.forEveryone)) }
    if reader.isModerator { return query }
    let connected = try await connectedOwners(of: query, to: reader.id)
    return query.and(
      .any([
        .value(Value.forEveryone), .value(Value.owner(reader.id)),
        .all([.value(Value.forConnections), .any(connected.map { .value(Value.owner($0)) })]),
      ]))
  }

  /// The owners, of those who share matching media with their connections, who are connected to the reader. At most 100
  /// are asked about; while matching does not respond, none is shown.
  private func connectedOwners(of query: TextQuery, to reader: UserID) async throws -> [UserID] {
    let environment = core.environment
    guard environment.upstreams.find(MatchingAPI.name) != nil else { return [] }
    let shared = query.and(.all([.value(Value.forConnections), .not(.value(Value.owner(reader)))]))
    let owners = try await core.database.read { db in
      try MediaSearchIndex.text.counts(of: [Value.owners], shared, in: db).keys.map {
        UserID(trusted: String($0.dropFirst(Value.owners.count)))
      }
    }
    guard !owners.isEmpty else { return [] }
    do {
      let relations = try await environment.client(of: MatchingAPI.name)
        .send(MatchingAPI.CheckRelations(user: reader, others: UserList(Array(owners.prefix(100)))))
      return relations.items.filter { $0.isConnected == true && !$0.isBlocked }.map(\.userID)
    } catch {
      core.logger.warning("media of connections are not listed", metadata: ["error": "\(error)"])
      return []
    }
  }
}

extension TextQuery {
  fileprivate func and(_ condition: TextFilter) -> Self { Self(text, where: .all([filter, condition])) }
}
