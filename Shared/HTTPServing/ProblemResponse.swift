public import Contracts
public import HTTPTypes
public import HummingbirdCore
import NIOCore

extension HTTPField.Name {
  // These names are valid tokens, so creating them cannot fail.
  public static let requestID = Self(known: "X-Request-ID")
  public static let serviceAuthorization = Self(known: "X-Service-Authorization")
  public static let idempotencyKey = Self(known: "Idempotency-Key")
  public static let forwardedFor = Self(known: "X-Forwarded-For")
  public static let forwardedProto = Self(known: "X-Forwarded-Proto")
  public static let forwardedHost = Self(known: "X-Forwarded-Host")

  /// - Parameter name: A valid token, such as `Upload-Offset`.
  package init(known name: String) {
    guard let made = Self(name) else { preconditionFailure("\(name) is not a valid header name") }
    self = made
  }
}

extension Response {
  /// A JSON response.
  public static func json(_ status: HTTPResponse.Status, _ bytes: [UInt8]) -> Response {
    Response(
      status: status,
      headers: [.contentType: "application/json; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    )
  }

  /// A problem document (RFC 9457).
  public static func problem(_ problem: Problem, trace: TraceContext?) -> Response {
    let (headers, body) = problem.document(trace: trace)
    return Response(
      status: HTTPResponse.Status(code: problem.status),
      headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
    )
  }
}

extension Problem {
  /// The header fields and the body of a response.
  package func document(trace: TraceContext?) -> (headers: HTTPFields, body: [UInt8]) {
    var problem = self
    problem.trace = trace?.traceID
    var headers: HTTPFields = [.contentType: "application/problem+json"]
    if let retryAfter { headers[.retryAfter] = String(retryAfter) }
    for (name, value) in self.headers {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
    if status == 401, headers[.wwwAuthenticate] == nil { headers[.wwwAuthenticate] = "Bearer" }
    return (headers, (try? WireJSON.encode(problem)) ?? [])
  }
}

extension Response {
  /// A plain-text response.
  public static func text(_ status: HTTPResponse.Status, _ text: String, type: String = "text/plain; charset=utf-8")
    -> Response
  {
    Response(
      status: status,
      headers: [.contentType: type, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text))
    )
  }
}
