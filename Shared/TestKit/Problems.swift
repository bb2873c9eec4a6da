public import Contracts

/// The problem that a call fails with; `nil` on success.
/// - Throws: Every error that is not a problem.
public func problem(_ body: () async throws -> Void) async throws -> Problem? {
  do {
    try await body()
    return nil
  } catch CallError.problem(let problem) { return problem }
}

extension WireResponse {
  /// The problem in the body; `nil` on success.
  public var problem: Problem? {
    get throws { status < 400 ? nil : try WireJSON.decode(Problem.self, from: body) }
  }
}
