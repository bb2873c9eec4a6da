import Contracts
import CurlClient
import Foundation
import HTTPTypes

/// The platform as any app sees it: its public API by HTTP, repeating requests as a well-behaved client does.
struct DemoPlatform: Sendable {
  let origin: String
  let http: CurlClient
  let progress: DemoProgress
  private let api: APIClient

  /// Requests at the same time; the platform has two cores to answer them, and conversions of media beside them.
  static let concurrency = 6
  /// How long a request is repeated that is not answered.
  private static let timeout = Duration.seconds(120)

  init(origin: String, http: CurlClient, progress: DemoProgress) {
    (self.origin, self.http, self.progress) = (origin, http, progress)
    api = APIClient(transport: DemoTransport(http: http, origin: origin))
  }

  /// Sends a request, again when the platform is too busy or the connection was lost.
  ///
  /// - Parameter maxWait: Seconds to wait beyond which it fails, instead of being sent again when they are over.
  /// - Throws: ``Problem`` when it is refused, ``DemoError`` when it is not answered.
  func send<E: Endpoint>(
    _ request: E, token: String? = nil, key: String? = nil, maxWait: Int = .max
  ) async throws -> E.Response {
    let client = token.map { api.with(accessToken: $0) } ?? api
    let isRepeatable = E.operation.idempotency.isRepeatable || key != nil
    let name = "\(E.operation.method.rawValue) \(E.operation.path)"
    return try await insist(name, isRepeatable, maxWait) {
      () throws(CallError) in try await client.send(request, idempotencyKey: key)
    }
  }

  private func insist<Value>(
    _ name: String, _ isRepeatable: Bool, _ maxWait: Int, _ attempt: () async throws(CallError) -> Value
  ) async throws -> Value {
    let end = ContinuousClock.now + Self.timeout
    while true {
      do throws(CallError) {
        return try await attempt()
      } catch {
        switch error {
        case .problem(let problem) where problem.status == 429 && problem.retryAfter ?? 1 <= maxWait:
          let seconds = problem.retryAfter ?? 1
          if seconds > 5 { progress.wait(Self.explanation(of: name, seconds)) }
          try await Task.sleep(for: .seconds(seconds))
          continue
        case .problem(let problem) where !Self.isTemporary(problem): throw problem
        case .unknown(let reason) where !isRepeatable: throw DemoError("\(name) was not answered: \(reason)")
        case .problem, .notSent, .unknown:
          if ContinuousClock.now > end { throw DemoError("\(name) failed: \(error)") }
        }
      }
      try await Task.sleep(for: .milliseconds(500))
    }
  }

  private static func isTemporary(_ problem: Problem) -> Bool {
    problem.status >= 502 || problem.is(.requestInProgress) || problem.is(.checkoutInProgress)
  }

  private static func explanation(of name: String, _ seconds: Int) -> String {
    """
    The platform limits how often one network may send \(name); waiting \(seconds) s, and again whenever it does. \
    A platform for a demo can be started with higher limits: limits.guests, limits.signIn (docs/edge.md).
    """
  }
}

/// Sends calls by HTTP.
private struct DemoTransport: Transport {
  let http: CurlClient
  let origin: String

  func send(_ request: WireRequest, headers: [(name: String, value: String)]) async throws(CallError) -> WireResponse {
    var fields = HTTPFields()
    for (name, value) in headers + request.headers {
      if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
    }
    if request.body != nil { fields[.contentType] = "application/json" }
    guard let method = HTTPRequest.Method(request.method.rawValue) else { throw .notSent("the method is not valid") }
    let call = ClientRequest(
      method, origin: origin, target: request.target, headers: fields,
      body: request.body.map { .bytes($0) } ?? .none,
      timeouts: .init(firstByte: request.seconds + 60, total: request.seconds + 90),
      isRepeatable: request.isRepeatable)
    do {
      let response = try await http.execute(call)
      return WireResponse(
        status: response.status, headers: response.headers.map { ($0.name.canonicalName, $0.value) },
        body: try await response.body.collect(upTo: 8 << 20))
    } catch let error as ClientError {
      throw error.mayHaveRun ? .unknown(error.description) : .notSent(error.description)
    } catch {
      throw .unknown("\(error)")
    }
  }
}

/// Performs a body for every element, some at a time, until the first error.
func concurrently<Element: Sendable>(
  _ elements: [Element], atOnce count: Int = DemoPlatform.concurrency,
  _ body: @escaping @Sendable (Element) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for (index, element) in elements.enumerated() {
      if index >= count { try await group.next() }
      group.addTask { try await body(element) }
    }
    try await group.waitForAll()
  }
}
