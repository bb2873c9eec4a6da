import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The live streams that a user may see. Those for connections are filtered after matching has been asked.
struct LivestreamList: Sendable {
  let database: any Database
  let relations: HostRelations

  /// Rounds of a page; it ends early when the user may see few of many.
  private static let maxRounds = 5
  /// Results of a search that are filtered.
  private static let maxMatches = 200

  struct Found: Sendable {
    var rows: [StoredLivestream]
    var nextCursor: String?
  }

  func page(_ request: MediaAPI.ListLivestreams, for viewer: UserID) async throws -> Found {
    let page = try request.page(by: StoredLivestream.Cursor.self)
    let condition = Self.condition(request, for: viewer)
    if let query = request.query {
      let matches = try await database.read { db in
        try LivestreamStore.search(
          TextQuery(query, where: Self.values(request)), condition, limit: Self.maxMatches, in: db)
      }
      return Found(rows: Array(try await visible(matches, to: viewer).prefix(page.limit)))
    }
    var (kept, after): ([StoredLivestream], StoredLivestream.Cursor?) = ([], page.after)
    for _ in 0..<Self.maxRounds {
      let rows = try await database.read { [after] db in
        try LivestreamStore.page(condition, after: after, limit: page.limit, in: db)
      }
      for row in try await visible(rows, to: viewer) {
        kept.append(row)
        if kept.count == page.limit { return Found(rows: kept, nextCursor: StoredLivestream.Cursor(row).cursor) }
      }
      guard rows.count == page.limit, let last = rows.last else { return Found(rows: kept) }
      after = StoredLivestream.Cursor(last)
    }
    return Found(rows: kept, nextCursor: after?.cursor)
  }

  private static func values(_ request: MediaAPI.ListLivestreams) -> TextFilter {
    .given(
      request.host.map { "host:\($0)" }, request.state.map { "state:\($0.rawValue)" },
      request.workoutType.map { "workout:\($0.rawValue)" }, request.tag.map { "tag:\($0.rawValue)" })
  }

  private static func condition(_ request: MediaAPI.ListLivestreams, for viewer: UserID) -> SQL {
    let isOwn = request.host == viewer
    return .and(
      isOwn ? nil : "is_listed = 1 AND host_id NOT IN \(ReportedBlocks.others(of: viewer))",
      request.host.map { "host_id = \($0)" }, request.state.map { "state = \($0)" },
      request.workoutType.map { "workout_type = \($0)" },
      request.tag.map { "id IN (SELECT livestream_id FROM livestream_tags WHERE tag = \($0))" })
  }

  /// A live stream that the user may see; blocks and other reasons are the same as if it did not exist.
  func get(_ id: LivestreamID, for viewer: UserID) async throws -> StoredLivestream {
    let row = try await database.read { db -> StoredLivestream? in
      guard let row = try LivestreamStore.find(id, in: db), let host = row.host,
        try !ReportedBlocks.exist(between: viewer, and: host, in: db)
      else { return nil }
      return host == viewer || row.isListed || row.state == .ended ? row : nil
    }
    guard let row, try await !visible([row], to: viewer).isEmpty else { throw Problem(.livestreamNotFound) }
    return row
  }

  private func visible(_ rows: [StoredLivestream], to viewer: UserID) async throws -> [StoredLivestream] {
    let hosts = Set(rows.filter { $0.visibility == .connections }.compactMap(\.host)).subtracting([viewer])
    let connected = hosts.isEmpty ? [] : try await relations.connected(viewer, to: hosts)
    return rows.filter { row in
      guard let host = row.host else { return false }
      return row.visibility == .everyone || host == viewer || connected.contains(host)
    }
  }
}
