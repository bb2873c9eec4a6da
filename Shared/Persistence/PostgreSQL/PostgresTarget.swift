/// The target of a connection, and the user that it is for.
struct PostgresTarget: Sendable {
  /// A libpq connection URI.
  var url: String
  /// Must be a validated identifier because it is inserted into statements.
  var schema: String
  /// How long a statement may take, unless the URL's `options` set `statement_timeout`.
  var statementSeconds: Double
  /// Whether a pooler such as PgBouncer gives each transaction another session, so that nothing may be kept in one.
  var isPooled: Bool
  /// Whether it is a replica, which only reads and may be behind.
  var isReplica = false

  /// The settings that a session needs, as `SET` takes them.
  var settings: [String] {
    var settings = ["search_path TO \(schema)"]
    if !url.contains("statement_timeout") {
      settings.append("statement_timeout = \(Int(statementSeconds * 1000))")
    }
    // A process that was paused or cut off does not hold its locks for longer.
    if !url.contains("idle_in_transaction_session_timeout") {
      settings.append("idle_in_transaction_session_timeout = 60000")
    }
    return settings
  }
}
