import Contracts
import Logging
import Persistence
import PlatformRules
import ServiceKit
import ServiceLifecycle

/// Crash reports from apps, stored for 90 days and up to a maximum size. Everyone may send them, so that each network may
/// send only so many a day, and what is stored never exceeds the size.
struct CrashReports: Feature {
  private let database: any Database
  private let ids: IDGenerator
  private let keys: DataKeys
  private let logger: Logger
  private let consents: ConsentCheck
  private let maxBytes: Int
  private let perNetwork: RateLimit

  private static let keptSeconds = 90 * 86_400.0

  init(_ environment: ServiceEnvironment) throws {
    database = try environment.database
    (ids, keys, logger) = (environment.ids, environment.dataKeys, environment.logger)
    consents = ConsentCheck(environment)
    maxBytes = try environment.settings[GatewaySettings.crashMegabytes] << 20
    perNetwork = try environment.settings[GatewaySettings.crashesPerDay]
  }

  func register(in routes: inout Routes) {
    routes.on(GatewayAPI.ReportCrash.self) { request, call in
      if let user = call.identifiedUser { try await consents.require(.analytics, of: user.id) }
      return try await add(request, from: call.network)
    }
    routes.on(GatewayAPI.ListCrashReports.self) { request, call in try await list(request, by: call.auditActor) }
  }

  var workers: [any Service] {
    [PeriodicTask("crash-reports.purge", per: .platform, every: .seconds(3600), logger: logger) { try await purge() }]
  }

  private func add(_ request: GatewayAPI.ReportCrash, from network: String) async throws -> CrashReport {
    let limit = perNetwork.isUnlimited ? nil : StoredLimit(perNetwork, of: network, for: "crash-reports", keys)
    return try await database.write { [ids, maxBytes] tx in
      try limit?.require(in: tx)
      let report = CrashReport(
        id: ids.make(),
        app: request.app,
        version: request.version,
        device: request.device,
        text: request.text,
        reportedAt: tx.now
      )
      try CrashReportStore.insert(report, maxBytes: maxBytes, in: tx)
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
    try await database.write(.readCommitted) { tx in
      try CrashReportStore.delete(before: tx.now.advanced(bySeconds: -Self.keptSeconds), in: tx)
    }
    while try await database.write({ [maxBytes] tx in try CrashReportStore.trim(to: maxBytes, in: tx) }) {}
  }
}
