public import Contracts

/// The problem that a call fails with; `nil` on success.
/// - Throws: Every error that is not a problem.
public func problem(_ body: () async throws -> Void) async throws -> Problem? {
  do {
    try await body()
    return nil
  } catch CallError.problem(let problem) { return problem }
}

/// Repeats a call that the database could not complete because of too many conflicts, as clients do.
/// - Throws: After a hundred attempts, the last problem.
@discardableResult
public func retryingUnavailable<Value>(_ body: () async throws -> Value) async throws -> Value {
  for _ in 1..<100 {
    do { return try await body() } catch CallError.problem(let problem) {
      guard problem.status == 503 else { throw CallError.problem(problem) }
    }
  }
  return try await body()
}

extension WireResponse {
  /// The problem in the body; `nil` on success.
  public var problem: Problem? {
    get throws { status < 400 ? nil : try WireJSON.decode(Problem.self, from: body) }
  }
}

extension Problem {
  /// The same without the id of its request.
  public var untraced: Problem {
    var copy = self
    copy.trace = nil
    return copy
  }
}
