import Persistence

enum GatewayMigrations {
  /// From the first release on, append to the list; never edit what has been released.
  static let all = [
    Migration(
      "gateway-001", why: "the tables of the first release",
      creating: [RealtimeSchema.tables, CrashReportSchema.tables])
  ]
}
