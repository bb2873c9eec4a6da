import Contracts
import Logging
import Persistence

extension Routes {
  /// Lets auth read and count the service's audit trail, and other services note the ends of their chains here.
  mutating func addAudit(_ database: any Database) {
    on(AuditAPI.Search.self) { request, _ in
      let limit = request.limit?.value ?? 50
      return try await AuditTrail(database).search(request.filter, limit: limit, cursor: request.cursor)
    }
    on(AuditAPI.Summarize.self) { request, _ in
      try await AuditTrail(database).summary(from: request.from, until: request.until)
    }
    on(AuditAPI.GetHead.self) { request, call in
      guard case .service(request.service) = call.caller else { throw Problem(.forbidden) }
      return AuditAPI.NotedHead(
        try await database.read { try AuditHeadNotes.list(of: request.service, limit: 1, in: $0).first })
    }
    on(AuditAPI.NoteHead.self) { request, call in try await Self.note(request, call, database) }
  }

  private static func note(_ request: AuditAPI.NoteHead, _ call: Call, _ database: any Database) async throws {
    // A service speaks for its own chain only.
    guard case .service(request.service) = call.caller else { throw Problem(.forbidden) }
    do {
      try await database.write { tx in try AuditHeadNotes.note(request.head, previous: request.previous, in: tx) }
    } catch let problem as Problem {
      call.logger.error(
        "an audit chain contradicts what was noted of it",
        metadata: ["service": "\(request.service)", "entry": "\(request.sequence)"])
      throw problem
    }
  }
}
