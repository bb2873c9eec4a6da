/// What several instances of a service need to share its work.
enum SharedWorkMigrations {
  static let all = [
    Migration(
      "platform-030-leases",
      why: "one instance at a time does what is done once per platform",
      [
        """
        CREATE TABLE leases
          (name TEXT PRIMARY KEY, holder TEXT NOT NULL, token BIGINT NOT NULL, expires_at BIGINT NOT NULL,
           UNIQUE (name, token))
        """
      ]
    ),
    Migration(
      "platform-031-dropped-jobs",
      why: "jobs that failed for good stay visible and can be retried; jobs belong to the trace of their cause",
      [
        "ALTER TABLE jobs ADD COLUMN traceparent TEXT",
        "ALTER TABLE jobs ADD COLUMN dropped_at BIGINT",
        "ALTER TABLE jobs ADD COLUMN failure TEXT",
        "CREATE INDEX jobs_dropped ON jobs (dropped_at) WHERE dropped_at IS NOT NULL",
      ]
    ),
  ]
}
