import Contracts
import Persistence
import ServiceKit

/// The audit trails of auth and of every service that receives its events.
struct AuditTrails: Sendable {
  let database: any Database
  /// Clients of the other services.
  let others: @Sendable () async throws -> [(name: String, client: APIClient)]

  init(_ core: AuthCore) {
    database = core.database
    others = { [environment = core.environment] in try await environment.consumers() }
  }

  /// What one service has answered.
  private struct Part<Answer: Sendable>: Sendable {
    var service: String
    /// `nil` when the service did not answer.
    var answer: Answer?
  }

  /// The entries that match, newest first. Ids are ordered by time in all services, so that one cursor is enough.
  ///
  /// - Parameter service: The only one whose trail is read.
  func page(_ filter: AuditFilter, of service: String?, limit: Int, cursor: String?) async throws -> AuditPage {
    let size = PageSize(checked: limit)
    let parts = try await ask(service) { database in
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
    if Self.isAuth(service) {
      sources.append(
        AuditMerge.Source(service: AuthAPI.name) { [database] cursor in
          try await AuditTrail(database).search(filter, limit: Self.ownPage, cursor: cursor)
        })
    }
    let size = PageSize(checked: PageSize.range.upperBound)
    sources += try await asked(service).map { name, client in
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

  /// What was done in a period, by service; `nil` for a service that did not answer.
  func summaries(from: Timestamp, until: Timestamp) async throws -> [(service: String, summary: AuditSummary?)] {
    let parts = try await ask(nil) { database in
      try await AuditTrail(database).summary(from: from, until: until)
    } others: { client in
      try await client.send(AuditAPI.Summarize(from: from, until: until))
    }
    return parts.map { ($0.service, $0.answer) }
  }

  /// Asks all services at once, or only one.
  /// - Throws: ``Problem`` 422 for a service that is not known.
  private func ask<Answer: Sendable>(
    _ service: String?, own: @escaping @Sendable (any Database) async throws -> Answer,
    others ask: @escaping @Sendable (APIClient) async throws -> Answer
  ) async throws -> [Part<Answer>] {
    var parts: [Part<Answer>] = []
    if Self.isAuth(service) {
      parts.append(Part(service: AuthAPI.name, answer: try await own(database)))
    }
    let asked = try await asked(service)
    let answers = await withTaskGroup(of: Part<Answer>.self) { group in
      for (name, client) in asked {
        group.addTask { Part(service: name, answer: try? await ask(client)) }
      }
      var answers: [Part<Answer>] = []
      for await answer in group { answers.append(answer) }
      return answers
    }
    return parts + answers.sorted { $0.service < $1.service }
  }
  private static func isAuth(_ service: String?) -> Bool { service.map { $0 == AuthAPI.name } ?? true }

  /// The other services, or the one of that name.
  private func asked(_ service: String?) async throws -> [(name: String, client: APIClient)] {
    let asked = try await others().filter { service == nil || $0.name == service }
    guard Self.isAuth(service) || !asked.isEmpty else {
      throw Problem(.invalidRequest, errors: [.init(location: "query.service", message: "is not an audited service")])
    }
    return asked
  }
}
