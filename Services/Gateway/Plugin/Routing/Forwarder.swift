import Contracts
import CurlClient
import HTTPServing
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import ServiceKit

/// Forwards requests to the service behind a route and returns its responses, streaming in both directions.
struct Forwarder: Sendable {
  let upstreams: Upstreams
  let downloads: Downloads
  private let uploads = Uploads()

  /// Bodies up to this many bytes, and the beginnings of those of unknown length, are buffered: until they have arrived,
  /// a slow caller occupies only a connection to the gateway, not one to the service. What is buffered whole can be
  /// retried.
  private static let bufferedBody = 64 * 1024
  /// How long a body may stand still in either direction beyond the time for the head of the response, in seconds;
  /// longer than the deadlines of the caller's connection, which are responsible for a caller that stalls. There is no
  /// limit in sum: uploads and downloads take as long as they need.
  private static let stallSeconds = 60.0

  func forward(_ request: Request, _ context: RequestContext, _ operation: PublicOperation, to service: String)
    async throws
    -> Response
  {
    if operation.needsToken, context.user == nil {
      throw context.tokenProblem ?? Problem(.tokenMissing)
    }
    let limit = operation.bodyBytes
    if let length = request.headers[.contentLength], Int(length) ?? .max > limit { throw tooLarge(limit) }
    let headers = ForwardedHeaders.request(
      request.headers,
      scheme: context.isSecure ? "https" : "http",
      authority: request.head.authority,
      context
    )
    switch upstreams.find(service) {
    case .local(let dispatcher):
      var head = request.head
      head.headerFields = headers
      if let length = request.headers[.contentLength] { head.headerFields[.contentLength] = length }
      var response = await dispatcher.respond(
        to: Request(head: head, body: request.body), remoteAddress: context.remoteAddress)
      // A service in this process may stream from a storage that sends only so much at once.
      if let slot = try downloads.slot(for: context, length: response.body.contentLength, of: service) {
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
          defer { withExtendedLifetime(slot) {} }
          try await body.write(writer)
        }
      }
      return response
    case .remote(let instances):
      let sent = ForwardedBody.Progress()
      let body = try await body(of: request, limit: limit, sent)
      let slot: TransferSlots.Slot? =
        if case .stream = body { try uploads.slot(for: context, of: service) } else { nil }
      defer { withExtendedLifetime(slot) {} }
      let call = ClientRequest(
        request.method,
        origin: "",
        target: request.head.path ?? "/",
        headers: headers,
        body: body,
        delivery: .streaming,
        timeouts: .init(
          firstByte: operation.seconds, total: nil, stall: operation.seconds + Self.stallSeconds),
        responseLimit: .max,
        isRepeatable: isRepeatable(request, operation)
      )
      return try await send(call, sent, to: instances, service, context)
    case nil: throw Problem(.unavailable)
    }
  }

  private func isRepeatable(_ request: Request, _ operation: PublicOperation) -> Bool {
    if operation.idempotency.takesKey { return request.headers.contains(.idempotencyKey) }
    return operation.idempotency.isRepeatable
  }

  private func tooLarge(_ limit: Int) -> Problem {
    ForwardedBody.tooLarge(limit).with(header: "Connection", "close")
  }

  private func body(of request: Request, limit: Int, _ sent: ForwardedBody.Progress) async throws
    -> ClientRequest.Body
  {
    let length = request.headers[.contentLength].flatMap { Int($0) }
    if length == 0 || request.method == .head { return .none }
    // An HTTP/2 request need not declare the length or the presence of a body.
    let mayHaveBody = length != nil || request.headers.contains(.transferEncoding) || request.method != .get
    if !mayHaveBody { return .none }
    let body = ReceivedBody(request.body)
    // A service may refuse a large body before it has arrived. One of unknown length may be small.
    var start = ByteBuffer()
    if (length ?? 0) <= Self.bufferedBody {
      let isComplete: Bool
      (start, isComplete) = try await body.begin(min(Self.bufferedBody, limit))
      if start.readableBytes > limit { throw tooLarge(limit) }
      if isComplete { return start.readableBytes > 0 ? .bytes(Array(buffer: start)) : .none }
    }
    return .stream(length: length, ForwardedBody(start: start, rest: body, limit: limit, progress: sent))
  }

  private func send(
    _ call: ClientRequest,
    _ sent: ForwardedBody.Progress,
    to instances: Instances,
    _ service: String,
    _ context: RequestContext
  ) async throws -> Response {
    // When the service or the gateway responds without the rest of the body, it is not awaited.
    func closing(_ problem: Problem) -> Problem {
      call.isStreamed && !sent.isComplete ? problem.with(header: "Connection", "close") : problem
    }
    let answer: ClientResponse
    do {
      answer = try await upstreams.execute(call, on: instances)
    } catch {
      context.logger.warning(
        "upstream failed",
        metadata: ["reason": "\(error.reason.rawValue)", "service": "\(service)"]
      )
      throw closing(sent.failure ?? Self.problem(of: error))
    }
    var headers = ForwardedHeaders.response(answer.headers)
    if call.isStreamed, !sent.isComplete { headers[.connection] = "close" }
    let status = HTTPResponse.Status(code: answer.status)
    switch answer.body {
    case .bytes(let buffer):
      return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: buffer))
    case .stream(let stream):
      let length = headers[.contentLength].flatMap { Int($0) }
      let slot: Downloads.Slot?
      do { slot = try downloads.slot(for: context, length: length, of: service) } catch { throw closing(error) }
      let body = ResponseBody(contentLength: length) { writer in
        defer { withExtendedLifetime(slot) {} }
        // An error here closes the connection before the end of the body, so that the caller detects the truncation.
        for try await chunk in stream { try await writer.write(chunk) }
        try await writer.finish(nil)
      }
      return Response(status: status, headers: headers, body: body)
    }
  }

  private static func problem(of error: ClientError) -> Problem {
    switch error.reason {
    case .timedOut: Problem(.upstreamTimeout)
    case .couldNotResolve, .couldNotConnect, .tlsFailed, .circuitOpen, .shutDown: Problem(.unavailable, retryAfter: 1)
    case .queueFull, .queueTimeout: Problem(.overloaded, retryAfter: 1)
    case .connectionLost, .uploadFailed, .badResponse, .responseTooLarge, .invalidRequest, .refused, .cancelled:
      Problem(.upstreamFailed)
    }
  }
}
