/// Sends requests to one service, over HTTP or to a router in the same process.
public protocol Transport: Sendable {
  /// - Throws: ``CallError/notSent(_:)`` or ``CallError/unknown(_:)``; a response is returned whatever its status.
  func send(_ request: WireRequest, headers: [(name: String, value: String)]) async throws(CallError) -> WireResponse
}

/// An HTTP response with its body as bytes.
public struct WireResponse: Sendable {
  public var status: Int
  /// The names are lowercase.
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]

  public init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  /// The value of the first header field with the given lowercase name.
  public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// The reasons for which a call fails.
public enum CallError: Error, Sendable {
  /// The service responded with a problem.
  case problem(Problem)
  /// The request did not reach the service; sending it again is safe.
  case notSent(String)
  /// The outcome is unknown: the request may have been executed completely, partially or not at all.
  case unknown(String)
}

/// A typed client for services: `try await client.send(AuthAPI.GetUser(id: id))`.
public struct APIClient: Sendable {
  private let transport: any Transport
  private let headers: @Sendable () async throws -> [(name: String, value: String)]

  /// - Parameters:
  ///   - transport: Sends the requests.
  ///   - headers: Returns the header fields of a call, such as `Authorization`; called once per request.
  public init(
    transport: any Transport, headers: @escaping @Sendable () async throws -> [(name: String, value: String)] = { [] }
  ) {
    (self.transport, self.headers) = (transport, headers)
  }

  /// The same client on behalf of a signed-in user.
  public func with(accessToken: String) -> APIClient {
    APIClient(transport: transport) { [headers] in
      try await headers().filter { $0.name != "authorization" } + [("authorization", "Bearer \(accessToken)")]
    }
  }

  /// Calls an endpoint.
  ///
  /// - Parameter idempotencyKey: For keyed operations; makes the call repeatable.
  /// - Throws: ``CallError``; a response that does not match the contract is `.unknown`.
  public func send<E: Endpoint>(_ endpoint: E, idempotencyKey: String? = nil) async throws(CallError) -> E.Response {
    try await sendForResponse(endpoint, idempotencyKey: idempotencyKey).value
  }

  /// Calls an endpoint and also returns the raw response, for its headers.
  public func sendForResponse<E: Endpoint>(_ endpoint: E, idempotencyKey: String? = nil) async throws(CallError)
    -> (value: E.Response, response: WireResponse)
  {
    let request: WireRequest
    let fields: [(name: String, value: String)]
    do {
      request = try endpoint.wireRequest(idempotencyKey: idempotencyKey)
      fields = try await headers()
    } catch {
      throw .notSent("The request could not be encoded: \(error)")
    }
    let response = try await transport.send(request, headers: fields)
    guard response.status == E.operation.success else { throw Self.failure(response) }
    if let empty = Empty() as? E.Response { return (empty, response) }
    let content = Content(mediaType: response.header("content-type") ?? "", bytes: response.body)
    if let content = content as? E.Response { return (content, response) }
    let tag = response.header("etag").map { EntityTag(rawValue: $0) }
    let stored = StoredBytes(mediaType: content.mediaType, bytes: content.bytes, tag: tag)
    if let stored = stored as? E.Response { return (stored, response) }
    do {
      return (try WireJSON.decode(E.Response.self, from: response.body), response)
    } catch {
      throw .unknown(
        "The response to \(E.operation.method.rawValue) \(E.operation.path) does not match the contract: \(error)"
      )
    }
  }

  private static func failure(_ response: WireResponse) -> CallError {
    guard response.header("content-type")?.hasPrefix("application/problem+json") == true,
      var problem = try? WireJSON.decode(Problem.self, from: response.body)
    else { return .unknown("Unexpected status \(response.status)") }
    problem.retryAfter = response.header("retry-after").flatMap { Int($0) }
    return .problem(problem)
  }
}
