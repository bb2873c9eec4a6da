import Contracts
import Persistence
import ServiceKit

/// Reports of published sets, and what support does about them.
struct LibraryModeration: Feature {
  private static let limit = RateLimit(20, per: 3600, pause: .untilOneIsForgotten)

  private let core: StudyCore

  init(_ core: StudyCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ReportLibrarySet.self) { request, call in try await report(request, by: call.user.id) }
    routes.on(StudyAPI.ListLibraryReports.self) { request, call in
      try await list(request, by: call.auditActor)
    }
    routes.on(StudyAPI.RemoveLibrarySet.self) { request, call in
      try await change(request.id, "library.set-removed", call) { publication, tx in
        try PublicationStore.remove(publication.set, in: tx)
        try LibraryReportStore.delete(of: publication.set, in: tx)
        let data: JSONValue = ["set": .string(publication.set.rawValue)]
        try tx.record(RealtimeEvent(to: publication.owner, "studySet.unpublished", data))
      }
    }
    routes.on(StudyAPI.ReinstateLibrarySet.self) { request, call in
      try await change(request.id, "library.set-reinstated", call) { publication, tx in
        guard publication.removedAt != nil else { return }
        try PublicationStore.delete(publication.set, in: tx)
      }
    }
  }

  private func report(_ request: StudyAPI.ReportLibrarySet, by user: UserID) async throws {
    try await core.database.write { [keys = core.keys] tx in
      _ = try PublicationStore.get(request.id, in: tx)
      try StoredLimit(Self.limit, of: user.rawValue, for: "library-report", keys).require(in: tx)
      try LibraryReportStore.put(
        LibraryReport(set: request.id, reporterID: user, reason: request.reason, reportedAt: tx.now), in: tx)
    }
  }

  private func list(_ request: StudyAPI.ListLibraryReports, by staff: AuditActor) async throws -> Page<LibraryReport> {
    let page = try request.page(by: ReportCursor.self)
    return try await core.database.readAudited(by: staff) { db in
      try page.fetch(
        { after, limit in
          try LibraryReportStore.list(
            after.map { "(reported_at, set_id, reporter_id) < (\($0.time), \($0.set), \($0.reporter))" } ?? "1 = 1",
            limit: limit, in: db)
        }, key: { ReportCursor($0) }
      ).page
    } as: {
      AuditedRead("library-reports.viewed", object: "library-reports", viewed: $0.items.map { "study-set:\($0.set)" })
    }
  }

  private func change(
    _ set: StudySetID, _ action: String, _ call: Call,
    _ body: @escaping @Sendable (PublicationStore.Stored, Transaction) throws -> Void
  ) async throws {
    try await core.database.write { tx in
      guard let publication = try PublicationStore.find(set, in: tx) else { throw Problem(.studySetNotFound) }
      try body(publication, tx)
      try tx.audit(action, object: "study-set:\(set)", by: call.auditActor)
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let reports = try LibraryReportStore.list("reporter_id = \(user)", limit: 10_000, in: db)
    return [("libraryReports", try JSONValue(reports))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try LibraryReportStore.delete(by: user, in: tx) }
}

/// A position in the list of reports.
private struct ReportCursor: PageCursor {
  var time: Int64
  var set: StudySetID
  var reporter: UserID

  init(_ report: LibraryReport) {
    (time, set, reporter) = (report.reportedAt.microseconds, report.set, report.reporterID)
  }

  init?(cursor: String) {
    let parts = cursor.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 3, let time = Int64(parts[0]), let set = StudySetID(String(parts[1])),
      let reporter = UserID(String(parts[2]))
    else { return nil }
    (self.time, self.set, self.reporter) = (time, set, reporter)
  }

  var cursor: String { "\(time)_\(set)_\(reporter)" }
}
