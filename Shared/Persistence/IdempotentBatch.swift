import Contracts

/// The idempotency keys of several requests that one transaction answers: read by one statement before it, stored
/// together after it.
public struct IdempotentBatch {
  private struct Key: Hashable {
    var caller: String
    var key: String

    init(_ request: IdempotentRequest) { (caller, key) = (request.caller, request.key) }
    init(_ row: Row) throws { (caller, key) = (try row["caller"], try row["key"]) }
  }

  private var known: [Key: KnownKey] = [:]
  private var new: [IdempotentRequest] = []

  /// Reads the keys of the requests.
  public init(_ requests: [IdempotentRequest], in db: any Connection) throws {
    guard let last = requests.last else { return }
    // The last one is repeated up to a power of two, so that batches of different sizes share a few cached statements.
    var rows = requests.map { [$0.caller.sqlValue, $0.key.sqlValue] }
    var count = 1
    while count < rows.count { count *= 2 }
    rows += Array(repeating: [last.caller.sqlValue, last.key.sqlValue], count: count - rows.count)
    // A subquery for each key, because PostgreSQL would join by reading all keys, and then conflict with whoever writes
    // one. A fingerprint has no spaces.
    let stored = try db.all(
      """
      WITH wanted (caller, key) AS (VALUES \(rows: rows))
      SELECT w.caller AS caller, w.key AS key,
        (SELECT k.fingerprint || ' ' || COALESCE(k.answer, '') FROM idempotency_keys k
         WHERE k.caller = w.caller AND k.key = w.key) AS stored
      FROM wanted w
      """
    ) { row -> (Key, KnownKey)? in
      guard let stored: String = try row["stored"] else { return nil }
      let parts = stored.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let answer = parts.count == 2 && !parts[1].isEmpty ? parts[1] : nil
      return (try Key(row), KnownKey(fingerprint: parts[0], answer: answer))
    }
    for case let (key, answer)? in stored { known[key] = answer }
  }

  /// The response to a request that is stored, or that this batch keeps.
  /// - Throws: The same errors as ``Transaction/idempotent(_:_:)``.
  public func response<Answer: Codable>(to request: IdempotentRequest?) throws -> Answer? {
    guard let request, let known = known[Key(request)] else { return nil }
    return try known.answer(to: request)
  }

  /// Keeps the response to a request that has none.
  public mutating func keep(_ answer: some Codable, for request: IdempotentRequest) throws {
    let text = String(decoding: try WireJSON.encode(answer), as: UTF8.self)
    known[Key(request)] = KnownKey(fingerprint: request.fingerprint, answer: text)
    new.append(request)
  }

  /// Stores the responses that this batch keeps.
  ///
  /// - Parameter coversAll: Whether every request of the transaction has a key, so that it may run again when it is
  ///   unknown whether it was committed.
  public func store(in tx: Transaction, coversAll: Bool) throws {
    guard !new.isEmpty else { return }
    if coversAll { tx.hasKey = true }
    let expired = tx.now.advanced(bySeconds: -Transaction.idempotencyKeyLifetime)
    let callers = Set(new.map(\.caller)).sorted()
    try tx.executeLater(
      "DELETE FROM idempotency_keys WHERE caller IN \(list: callers) AND created_at < \(expired)")
    let rows = new.map { request in
      [
        request.caller.sqlValue, request.key.sqlValue, request.fingerprint.sqlValue,
        (known[Key(request)]?.answer).sqlValue, tx.now.sqlValue,
      ]
    }
    // A key that another transaction inserts at the same time is a conflict, after which this one runs again.
    try tx.execute(
      "INSERT INTO idempotency_keys (caller, key, fingerprint, answer, created_at) VALUES", rows: rows,
      "ON CONFLICT (caller, key) DO NOTHING")
  }
}
