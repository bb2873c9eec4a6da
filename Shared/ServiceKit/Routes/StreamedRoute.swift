public import Contracts
public import HTTPServing
public import HTTPTypes
import HummingbirdCore
import NIOCore

/// A call to a route that reads the request's body while it arrives.
public struct StreamedCall: Sendable {
  /// The authenticated caller.
  public let caller: Call.Caller
  public let context: RequestContext
  public let method: HTTPRequest.Method
  public let headers: HTTPFields
  public let body: StreamedBody

  /// The signed-in user.
  /// - Throws: ``Contracts/Problem`` 401 when the route is public and no user is signed in.
  public var user: UserCaller {
    get throws {
      guard case .user(let user) = caller else { throw Problem(.tokenMissing) }
      return user
    }
  }
}

/// A response with any status and header fields.
public struct PlainResponse: Sendable {
  public var status: Int
  public var headers: HTTPFields
  public var body: [UInt8]

  public init(_ status: Int, _ headers: HTTPFields = [:], body: [UInt8] = []) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }
}

extension Routes {
  /// Implements a route whose request body is read while it arrives, of any length up to the operation's limit: there
  /// is no deadline for the whole of it, only for a pause, and a minimum speed.
  ///
  /// - Parameter handler: Called once the caller has been admitted. It need not read the body; the connection is closed
  ///   after a response that precedes the end of the body. A thrown ``Contracts/Problem`` is the response.
  public mutating func receive(
    _ route: RawRoute, _ handler: @escaping @Sendable (StreamedCall) async throws -> PlainResponse
  ) {
    let operation = route.operation
    on(route) { [accessGuard] request, context in
      let caller = try await accessGuard.admit(request, to: operation, on: context.connection)
      let body = try StreamedBody(of: request, limit: operation.limits.bodyBytes)
      let call = StreamedCall(
        caller: caller, context: context, method: request.method, headers: request.headers, body: body)
      let closes = { body.isComplete || !Self.mayHaveBody(request) ? nil : "close" }
      do {
        let plain = try await DeviceFacts.$current.withValue(context.device) { try await handler(call) }
        var response = Response(status: HTTPResponse.Status(code: plain.status), headers: plain.headers)
        if !plain.body.isEmpty { response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: plain.body)) }
        if let close = closes() { response.headers[.connection] = close }
        return response
      } catch let problem as Problem {
        throw closes().map { problem.with(header: "Connection", $0) } ?? problem
      }
    }
  }

  private static func mayHaveBody(_ request: Request) -> Bool {
    if let length = request.headers[.contentLength] { return length != "0" }
    // An HTTP/2 request need not declare its body.
    return request.headers.contains(.transferEncoding) || request.method == .post || request.method == .patch
  }
}
