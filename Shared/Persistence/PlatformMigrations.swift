/// Tables that every service has for events, idempotency keys, the audit trail, jobs, encryption keys and rate limits.
public enum PlatformMigrations {
  /// From the first release on, append to the list; never edit what has been released.
  public static let all = [
    Migration(
      "platform-001", why: "the platform's tables of the first release",
      creating: [EventSchema.tables, PlatformSchema.tables, AuditSchema.tables])
  ]
}
