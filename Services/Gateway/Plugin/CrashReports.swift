import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Crash reports from apps, stored for 90 days and up to a maximum number.
struct CrashReports: Feature {
  let database: any Database
  let ids: IDGenerator
  let logger: Logger

  private static let keptSeconds = 90 * 86_400.0
  private static let maxCount = 100_000

  func register(in routes: inout Routes) {
    routes.on(GatewayAPI.ReportCrash.self) { request, _ in try await add(request) }
    routes.on(GatewayAPI.ListCrashReports.self) { request, call in try await list(request, by: call.auditActor) }
  }

  var workers: [any Service] {
    [PeriodicTask("crash-reports.purge", every: .seconds(3600), logger: logger) { try await purge() }]
  }

  private func add(_ request: GatewayAPI.ReportCrash) async throws -> CrashReport {
    try await database.write { [ids] tx in
      let report = CrashReport(
        id: ids.make(),
        app: request.app,
        version: request.version,
        device: request.device,
        text: request.text,
        reportedAt: tx.now
      )
      try CrashReportStore.insert(report, in: tx)
      return report
    }
  }

  private func list(_ request: GatewayAPI.ListCrashReports, by actor: AuditActor) async throws -> Page<CrashReport> {
    let page = try request.page(by: CrashReportID.self, limit: 50)
    return try await database.readAudited(by: actor) { db in
      try page.fetch(
        { after, limit in
          let condition = SQL.and(after.map { "id < \($0)" }, request.app.map { "app = \($0)" })
          return try CrashReportStore.list(condition, limit: limit, in: db)
        }, key: \.id
      ).page
    } as: { _ in
      AuditedRead("crash-reports.viewed", object: "crash-reports")
    }
  }

  private func purge() async throws {
    try await database.write { tx in
      let old = tx.now.advanced(bySeconds: -Self.keptSeconds)
      try CrashReportStore.delete(before: old, above: Self.maxCount, in: tx)
    }
  }
}
