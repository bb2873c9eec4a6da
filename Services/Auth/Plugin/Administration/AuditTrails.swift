import Contracts
import Persistence
import ServiceKit

/// The audit trails of auth and of every service that receives its events.
struct AuditTrails: Sendable {
  private let core: AuthCore
  private let services: EveryService

  init(_ core: AuthCore) { (self.core, services) = (core, EveryService(core)) }

  /// The entries that match, newest first. Ids are ordered by time in all services, so that one cursor is enough.
  ///
  /// - Parameter service: The only one whose trail is read.
  func page(_ filter: AuditFilter, of service: String?, limit: Int, cursor: String?) async throws -> AuditPage {
    let size = PageSize(checked: limit)
    let parts = try await services.ask(service) { database in
      try await AuditTrail(database).search(filter, limit: limit, cursor: cursor)
    } others: { client in
      try await client.send(AuditAPI.Search(filter: filter, limit: size, cursor: cursor))
    }
    var (entries, isMore): ([AuditRecord], Bool) = ([], false)
    for part in parts {
      guard let page = part.answer else { continue }
      isMore = isMore || page.nextCursor != nil
      entries += page.items.map { entry in
        var entry = entry
        entry.service = part.service
        return entry
      }
    }
    isMore = isMore || entries.count > limit
    let items = Array(entries.sorted { $0.id > $1.id }.prefix(limit))
    return AuditPage(
      items: items, nextCursor: isMore ? items.last?.id : nil,
      unavailable: parts.filter { $0.answer == nil }.map(\.service))
  }

  /// All entries that match, newest first. A service that does not answer ends it with ``Problem`` 503.
  func merged(_ filter: AuditFilter, of service: String?) async throws -> AuditMerge {
    var sources: [AuditMerge.Source] = []
    if EveryService.isAuth(service) {
      sources.append(
        AuditMerge.Source(service: AuthAPI.name) { cursor in
          try await AuditTrail(core.database).search(filter, limit: Self.ownPage, cursor: cursor)
        })
    }
    let size = PageSize(checked: PageSize.range.upperBound)
    sources += try await services.asked(service).map { name, client in
      AuditMerge.Source(service: name) { cursor in
        do {
          return try await client.send(AuditAPI.Search(filter: filter, limit: size, cursor: cursor))
        } catch { throw Problem(.unavailable, retryAfter: 1) }
      }
    }
    return try await AuditMerge(sources)
  }

  /// How many entries of auth's own trail are read at once, which no contract bounds.
  private static let ownPage = 1000

  /// The actions of a period, by service; `nil` for a service that did not respond.
  func summaries(from: Timestamp, until: Timestamp) async throws -> [(service: String, summary: AuditSummary?)] {
    let parts = try await services.ask { database in
      try await AuditTrail(database).summary(from: from, until: until)
    } others: { client in
      try await client.send(AuditAPI.Summarize(from: from, until: until))
    }
    return parts.map { ($0.service, $0.answer) }
  }
}
