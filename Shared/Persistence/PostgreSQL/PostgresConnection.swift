import CPostgres
import Foundation
import Logging

/// A libpq connection in pipeline mode, used by one thread. What needs no answer of its own, such as `BEGIN`, is sent with
/// the next statement, so that a transaction takes one round trip less than it has statements, and a keyed read takes
/// one. Statements are prepared once and cached by their text, unless a pooler shares the sessions.
final class PostgresConnection: Connection {
  private let handle: OpaquePointer
  private let target: PostgresTarget
  /// The names of prepared statements, by their texts.
  private var prepared: [String: String] = [:]
  private var preparedCount = 0
  /// The statements that go with the next one.
  private var waiting: [SQL] = []
  /// How many of them begin the transaction; none once they have been sent.
  private var beginning = 0
  private var isInTransaction = false
  /// The statements that have been sent and not been answered, the oldest first: which of the answers confirm a
  /// prepared text.
  private var unanswered: [[Int: String]] = []
  /// Whether libpq could not send everything, so that it is unknown what the server answers.
  private var isConfused = false
  /// Whether the server answered that it is of no use any more, although the connection is open.
  private var isUseless = false
  /// The last warning of the server since the commit was sent.
  private var warning: String?
  private static let maxRows = 32

  var dialect: Dialect { .postgresql }

  /// Connects, and restricts the search path to the schema.
  init(to target: PostgresTarget) throws {
    guard let handle = Self.connect(target.url) else { throw DatabaseError(.unavailable, "libpq is out of memory") }
    self.handle = handle
    self.target = target
    // From here on, `deinit` finishes the connection also when this throws.
    guard PQstatus(handle) == CONNECTION_OK else {
      // A line for each host.
      let lines = String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isNewline)
      let reasons = lines.map { $0.trimmingCharacters(in: .whitespaces) }
      throw DatabaseError(.unavailable, reasons.joined(separator: "; "))
    }
    noteWarnings()
    if !target.isReplica { try createSchema() }
    if !target.isPooled {
      for setting in target.settings { try prepare("SET \(setting)") }
      try prepare("SET default_transaction_isolation = 'serializable'")
    }
    guard PQenterPipelineMode(handle) == 1 else { throw DatabaseError(.other, "libpq has no pipeline mode") }
  }

  deinit { PQfinish(handle) }

  /// `IF NOT EXISTS` fails when another process creates it at the same time, and needs a privilege even when it exists.
  private func createSchema() throws {
    func isThere() throws -> Bool {
      try prepare("SELECT 1 FROM pg_namespace WHERE nspname = '\(target.schema)'") == 1
    }
    guard try !isThere() else { return }
    do { try prepare("CREATE SCHEMA IF NOT EXISTS \(target.schema)") } catch let error as DatabaseError {
      guard isAlive, try isThere() else { throw error }
    }
  }

  /// Keeps the last warning instead of printing it.
  private func noteWarnings() {
    PQsetNoticeReceiver(
      handle,
      { context, result in
        guard let context, let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V"))),
          String(cString: severity) == "WARNING", let text = PQresultErrorField(result, Int32(UInt8(ascii: "M")))
        else { return }
        Unmanaged<PostgresConnection>.fromOpaque(context).takeUnretainedValue().warning = String(cString: text)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Connects to the one of several hosts that accepts writes. Detects an unreachable server within seconds. Parameters
  /// in the URL take precedence.
  static func connect(_ url: String) -> OpaquePointer? {
    let options = [
      ("connect_timeout", "3"), ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "15000"), ("target_session_attrs", "read-write"), ("dbname", url),
    ]
    let keywords = options.map { strdup($0.0) }
    let values = options.map { strdup($0.1) }
    defer { for text in keywords + values { free(text) } }
    return PQconnectdbParams(
      keywords.map { UnsafePointer($0) } + [nil],
      values.map { UnsafePointer($0) } + [nil],
      1
    )
  }

  var isAlive: Bool { PQstatus(handle) == CONNECTION_OK && !isConfused && !isUseless }

  /// Runs a statement before the connection is in pipeline mode.
  /// - Returns: The number of rows.
  @discardableResult
  private func prepare(_ text: String) throws -> Int32 {
    let result = PQexec(handle, text)
    defer { PQclear(result) }
    try check(result)
    return PQntuples(result)
  }

  /// Runs a statement by itself, for migrations: the transaction that it begins or ends is the caller's business.
  func command(_ text: String) throws { try exchange(SQL(trusted: text)).clear() }

  // MARK: transactions

  /// Begins a transaction with its first statement.
  ///
  /// - Parameter characteristics: Such as `ISOLATION LEVEL SERIALIZABLE`.
  func begin(_ characteristics: StaticString) {
    waiting = ["BEGIN \(raw: characteristics)"]
    // The session belongs to another client after the transaction.
    if target.isPooled { waiting += target.settings.map { SQL(trusted: "SET LOCAL \($0)") } }
    if target.isReplica { waiting.append(Self.freshness) }
    beginning = waiting.count
  }

  /// Thrown by the first statement of a transaction on a replica that is too far behind.
  struct ReplicaIsBehind: Error {}

  /// How old what a replica shows may be, in seconds. Where nothing is written, it looks older than it is, and the primary
  /// has time for its reads.
  private static let freshness: SQL = """
    SELECT COALESCE(clock_timestamp() - pg_last_xact_replay_timestamp() < interval '5 seconds', FALSE) AS is_fresh
    """
  private static let isFresh = "is_fresh"

  /// Commits the transaction.
  /// - Throws: `other` when the server rolled it back instead, which it does without an error after a failed statement;
  ///   `outcomeUnknown` when the connection was lost, or when the server does not vouch for the commit.
  func commit() throws {
    guard hasStatements else { return forget() }
    // Such as the end of a transaction whose commit failed: the server warns that there was none to roll back.
    while !unanswered.isEmpty { try receive().clear() }
    warning = nil
    let answers: Answers
    do { answers = try exchange("COMMIT") } catch let error as DatabaseError where error.kind == .unavailable {
      throw DatabaseError(.outcomeUnknown, error.detail)
    }
    defer { answers.clear() }
    isInTransaction = false
    guard String(cString: PQcmdStatus(answers.last)) == "COMMIT" else {
      throw DatabaseError(.other, "the transaction failed before the commit")
    }
    // Such as that the wait for the synchronous standby was canceled; the standby may lack the transaction then.
    if let warning {
      isUseless = true
      throw DatabaseError(.outcomeUnknown, "the commit had a warning: \(warning)")
    }
  }

  /// Ends a transaction whose end no one waits for: one that has only read, or one that has failed.
  func end(_ statement: SQL) {
    guard isInTransaction else { return forget() }
    forget()
    isInTransaction = false
    if isAlive { try? send([statement]) }
  }

  private var hasStatements: Bool { isInTransaction || waiting.count > beginning }

  private func forget() { (waiting, beginning) = ([], 0) }

  // MARK: statements

  func execute(_ sql: SQL) throws -> Int {
    let answers = try exchange(sql)
    defer { answers.clear() }
    return Int(String(cString: PQcmdTuples(answers.last))) ?? 0
  }

  func executeLater(_ sql: SQL) { waiting.append(sql) }

  /// Several rows at once, and all statements in one round trip. The numbers of rows are powers of two, so that few texts
  /// are prepared.
  func execute(_ start: StaticString, rows: [[SQLValue]], _ end: StaticString) throws {
    var rest = rows[...]
    while !rest.isEmpty {
      var count = Self.maxRows
      while count > rest.count { count /= 2 }
      executeLater(SQL(start, rows: Array(rest.prefix(count)), end))
      rest = rest.dropFirst(count)
    }
    if !rows.isEmpty { try exchange(nil).clear() }
  }

  func all<Value>(_ sql: SQL, _ decode: (Row) throws -> Value) throws -> [Value] {
    let answers = try exchange(sql)
    defer { answers.clear() }
    let columns = RowColumns(of: sql)
    return try (0..<PQntuples(answers.last)).map {
      try decode(Row(source: .postgresql(PostgresRow(result: answers.last, index: $0)), columns: columns))
    }
  }

  /// The results of what was sent together.
  private struct Answers {
    var results: [OpaquePointer] = []
    var last: OpaquePointer? { results.last }
    func clear() { for result in results { PQclear(result) } }
  }

  /// Sends what is waiting and then a statement, and waits for all answers: one round trip.
  private func exchange(_ sql: SQL?) throws -> Answers {
    let statements = waiting + (sql.map { [$0] } ?? [])
    let begins = beginning > 0
    forget()
    try send(statements, begins: begins)
    while unanswered.count > 1 { try receive().clear() }
    let answers = try receive()
    do {
      for result in answers.results { try check(result) }
      return answers
    } catch {
      answers.clear()
      throw error
    }
  }

  /// Sends statements, of which those that are new are prepared, and a mark after which the server answers.
  private func send(_ statements: [SQL], begins: Bool = false) throws {
    let parameters = try statements.map { try PostgresParameters($0.values) }
    // Even if the rest fails, the server may have begun the transaction.
    if begins { isInTransaction = true }
    var prepares: [Int: String] = [:]
    var (answers, isSent) = (0, true)
    for (statement, values) in zip(statements, parameters) {
      if target.isPooled {
        isSent =
          PQsendQueryParams(
            handle, statement.text, values.count, nil, values.pointers, values.lengths, values.formats, 0) == 1
          && isSent
      } else {
        if prepared[statement.text] == nil {
          let name = "s\(preparedCount)"
          preparedCount += 1
          prepared[statement.text] = name
          prepares[answers] = statement.text
          answers += 1
          isSent = PQsendPrepare(handle, name, statement.text, 0, nil) == 1 && isSent
        }
        isSent =
          PQsendQueryPrepared(
            handle, prepared[statement.text], values.count, values.pointers, values.lengths, values.formats, 0) == 1
          && isSent
      }
      answers += 1
    }
    isSent = PQpipelineSync(handle) == 1 && isSent
    withExtendedLifetime(parameters) {}
    guard isSent else {
      let isLost = !isAlive
      isConfused = true
      throw DatabaseError(isLost ? .unavailable : .other, "libpq: \(String(cString: PQerrorMessage(handle)))")
    }
    unanswered.append(prepares)
  }

  /// Waits for the results up to the next mark.
  private func receive() throws -> Answers {
    var answers = Answers()
    var pauses = 0
    while pauses < 2, isAlive {
      // Between the results of two statements there is none.
      guard let result = PQgetResult(handle) else {
        pauses += 1
        continue
      }
      pauses = 0
      if PQresultStatus(result) == PGRES_PIPELINE_SYNC {
        PQclear(result)
        for (index, text) in unanswered.removeFirst() {
          let isPrepared =
            index < answers.results.count && PQresultStatus(answers.results[index]) == PGRES_COMMAND_OK
          if !isPrepared { prepared[text] = nil }
        }
        return answers
      }
      answers.results.append(result)
    }
    isConfused = true
    answers.clear()
    throw DatabaseError(.unavailable, "the connection was lost")
  }

  private func check(_ result: OpaquePointer?) throws {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: break
    default: throw error(of: result)
    }
    if target.isReplica, PQnfields(result) == 1, String(cString: PQfname(result, 0)) == Self.isFresh,
      String(cString: PQgetvalue(result, 0, 0)) != "t"
    {
      throw ReplicaIsBehind()
    }
  }

  private func error(of result: OpaquePointer?) -> DatabaseError {
    func field(_ code: Character) -> String {
      PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) } ?? ""
    }
    guard isAlive else { return DatabaseError(.unavailable, "the connection was lost") }
    let state = field("C")
    if let kind = uselessness(state, routine: field("R")) {
      isUseless = true
      return DatabaseError(kind, "PostgreSQL \(state): \(field("M"))")
    }
    let kind: DatabaseError.Kind =
      switch state {
      case "23505": .uniqueViolation(columns: Self.columns(table: field("t"), detail: field("D")))
      case "23503": .foreignKeyViolation
      case "23514": .checkViolation
      case "23502": .notNullViolation
      case "40001", "40P01": .conflict
      case "53100": .storageFull
      case "55P03", "57014": .overloaded
      default: .other
      }
    return DatabaseError(kind, "PostgreSQL \(state): \(field("M"))")
  }

  /// The kind of an error after which the connection is of no use; `nil` for others.
  private func uselessness(_ state: String, routine: String) -> DatabaseError.Kind? {
    switch state {
    case "53300", "57P01", "57P02", "57P03", "25P03": .unavailable
    // The answer of a pooler that has lost the server.
    case _ where state.hasPrefix("08"): .unavailable
    // A server that accepts no writes, such as a standby after a switch-over: as a standby, it knows no serializable
    // transactions either.
    case "25006" where !acceptsWrites || target.isPooled, "0A000" where !acceptsWrites: .unavailable
    case "25006": .other
    // A pooler need not pass on what the server reports. These check whether it is a standby that is asked for such a
    // transaction.
    case "0A000" where ["call_enum_check_hook", "GetSerializableTransactionSnapshot"].contains(routine): .unavailable
    // A newer version has changed a table whose statements are prepared.
    case "0A000" where routine == "RevalidateCachedQuery": .conflict
    case "26000": .conflict
    default: nil
    }
  }

  /// Whether the server accepts writes, as it reports with its answers.
  private var acceptsWrites: Bool {
    let refusals = ["in_hot_standby", "default_transaction_read_only"]
    return refusals.allSatisfy { name in PQparameterStatus(handle, name).map { String(cString: $0) } != "on" }
  }

  /// Parses the columns from `Key (email, app)=(…) already exists.`
  private static func columns(table: String, detail: String) -> [String] {
    guard let open = detail.firstIndex(of: "("), let close = detail.firstIndex(of: ")") else { return [] }
    return detail[detail.index(after: open)..<close].split(separator: ",").map { "\(table).\($0.drop { $0 == " " })" }
  }
}
