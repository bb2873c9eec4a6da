import Contracts

/// A request that carries an `Idempotency-Key`.
public struct IdempotentRequest: Sendable {
  /// The caller; each caller has a separate key space.
  public var caller: String
  public var key: String
  /// A hash of operation and content; reusing the key with a different fingerprint is rejected.
  public var fingerprint: String

  public init(caller: String, key: String, fingerprint: String) {
    self.caller = caller
    self.key = key
    self.fingerprint = fingerprint
  }
}

extension Connection {
  /// Returns the stored response of a key, for operations that read other data before they claim the key.
  /// - Throws: The same errors as ``Transaction/idempotent(_:_:)``.
  public func storedResponse<Answer: Codable>(to request: IdempotentRequest?) throws -> Answer? {
    guard let request, let known = try known(request) else { return nil }
    return try known.answer(to: request)
  }

  func known(_ request: IdempotentRequest) throws -> KnownKey? {
    try first(
      "SELECT fingerprint, answer FROM idempotency_keys WHERE caller = \(request.caller) AND key = \(request.key)"
    ) { row in KnownKey(fingerprint: try row["fingerprint"], answer: try row["answer"]) }
  }
}

struct KnownKey {
  var fingerprint: String
  var answer: String?

  func answer<Answer: Codable>(to request: IdempotentRequest) throws -> Answer {
    guard fingerprint == request.fingerprint else { throw Problem(.idempotencyKeyReused) }
    guard let answer else { throw Problem(.requestInProgress, retryAfter: 1) }
    return try WireJSON.decode(Answer.self, from: answer.utf8)
  }
}

extension Transaction {
  /// How long a key is stored, in seconds.
  public static let idempotencyKeyLifetime = 24.0 * 3600

  /// Runs a body once per key: the response commits with the effect, and a retry receives the stored response.
  ///
  /// - Parameter request: `nil` when the caller sent no key; the body then always runs.
  /// - Throws: ``Problem`` 422 when the key was used for a different request, 409 while the first one is in progress.
  public func idempotent<Answer: Codable>(_ request: IdempotentRequest?, _ body: () throws -> Answer) throws -> Answer {
    guard let request else { return try body() }
    if let answer: Answer = try claim(request) { return answer }
    let answer = try body()
    try complete(request, with: answer)
    return answer
  }

  /// The first step of ``idempotent(_:_:)``: claims the key, or returns its stored response.
  func claim<Answer: Codable>(_ request: IdempotentRequest) throws -> Answer? {
    if try insert(request, answer: nil) { return nil }
    guard let known = try known(request) else { throw Problem(.requestInProgress, retryAfter: 1) }
    return try known.answer(to: request)
  }

  /// The last step of ``idempotent(_:_:)``: stores the response of a claimed key.
  func complete(_ request: IdempotentRequest, with answer: some Codable) throws {
    try executeLater(
      """
      UPDATE idempotency_keys SET answer = \(json: answer)
      WHERE caller = \(request.caller) AND key = \(request.key)
      """
    )
  }

  /// Claims a key without a response (see ``Connection/storedResponse(to:)``) and stores its response in one step.
  public func keep(_ answer: some Codable, for request: IdempotentRequest) throws {
    let isNew = try insert(request, answer: String(decoding: try WireJSON.encode(answer), as: UTF8.self))
    guard isNew else { throw Problem(.requestInProgress, retryAfter: 1) }
  }

  /// Inserts a key unless it is known; the caller's expired keys are not. A key that another transaction inserts at the
  /// same time is a conflict, after which this one runs again and reads the stored response; a transaction that reads
  /// what is committed waits for it instead.
  private func insert(_ request: IdempotentRequest, answer: String?) throws -> Bool {
    let expired = now.advanced(bySeconds: -Self.idempotencyKeyLifetime)
    hasKey = true
    try executeLater(
      "DELETE FROM idempotency_keys WHERE caller = \(request.caller) AND created_at < \(expired)")
    return try execute(
      """
      INSERT INTO idempotency_keys (caller, key, fingerprint, answer, created_at)
      VALUES (\(request.caller), \(request.key), \(request.fingerprint), \(answer), \(now))
      ON CONFLICT (caller, key) DO NOTHING
      """
    ) == 1
  }
}
