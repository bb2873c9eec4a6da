import Persistence

enum AdministrationMigrations {
  static let auditReports = Migration(
    "auth-050-audit-reports",
    why: "a report of the audit trails is sent once for each period",
    ["CREATE TABLE audit_reports (period TEXT PRIMARY KEY, reported_at BIGINT NOT NULL)"]
  )
  static let featureSwitches = [
    Migration(
      "auth-051-feature-switches",
      why: "administrators switch features off for everyone",
      ["CREATE TABLE feature_switches (name TEXT PRIMARY KEY, is_on BIGINT NOT NULL, version BIGINT NOT NULL)"]
    )
  ]
}
