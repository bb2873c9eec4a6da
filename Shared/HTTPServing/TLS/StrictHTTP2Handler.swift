import Contracts
import HTTPTypes
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOHTTPTypes
import Timing

/// Sits between one HTTP/2 stream and Hummingbird, as ``StrictHTTP1Handler`` does for an HTTP/1.1 connection.
final class StrictHTTP2Handler: ChannelDuplexHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTP2Frame.FramePayload

  private let connection: HTTP2Connection
  private let date: DateHeader
  private var clock: ConnectionClock
  private var context: ChannelHandlerContext?
  private var hasHead = false
  private var isComplete = false
  private var isAnswering = false
  private var isRefused = false
  private var answerHasNoBody = false

  init(connection: HTTP2Connection, limits: ConnectionLimits, date: DateHeader) {
    self.connection = connection
    self.date = date
    clock = ConnectionClock(limits: limits, now: MonotonicClock.now())
  }

  // MARK: lifecycle

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    let id = try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
    connection.opened(self, id: id ?? .rootStream)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    connection.closed(self)
  }

  func channelInactive(context: ChannelHandlerContext) {
    connection.closed(self)
    failReader(context)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    failReader(context)
    context.fireErrorCaught(error)
  }

  private func failReader(_ context: ChannelHandlerContext) {
    if hasHead, !isComplete { context.fireErrorCaught(StrictHTTP1Handler.cut) }
  }

  /// Called by the connection, about once a second.
  func check(at now: Double) {
    guard let context, clock.isOverdue(at: now) else { return }
    if case .answering = clock.phase {
      refuse(context, Problem(.unavailable, detail: "The response takes too long."))
    } else {
      context.close(promise: nil)  // RST_STREAM
    }
  }

  /// Called by the connection when the server is shutting down.
  func quiesce() { context?.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }

  // MARK: requests

  func read(context: ChannelHandlerContext) {
    clock.asked(at: MonotonicClock.now())
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    let now = MonotonicClock.now()
    switch unwrapInboundIn(data) {
    case .headers(let content):
      guard !hasHead else { return end(context, trailers: HTTPFields(content.headers), at: now) }
      hasHead = true
      clock.headComplete(at: now)
      isComplete = content.endStream
      switch Self.translate(content.headers) {
      case .failure(let violation): return refuse(context, Problem(violation.kind, detail: violation.text))
      case .success(let request): context.fireChannelRead(wrapInboundOut(.head(request)))
      }
      if content.endStream { end(context, trailers: nil, at: now) }
    case .data(let content):
      guard case .byteBuffer(let bytes) = content.data else { return }
      clock.received(bytes: bytes.readableBytes, at: now)
      if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(bytes))) }
      if content.endStream { end(context, trailers: nil, at: now) }
    default: break
    }
  }

  private func end(_ context: ChannelHandlerContext, trailers: HTTPFields?, at now: Double) {
    isComplete = true
    clock.requestComplete(at: now)
    context.fireChannelRead(wrapInboundOut(.end(trailers)))
  }

  private struct Violation: Error {
    var text: String
    var kind = Problem.Kind.malformedRequest
  }

  /// NIO has validated the names and that no pseudo-header is missing, misplaced, or duplicated.
  private static func translate(_ headers: HPACKHeaders) -> Result<HTTPRequest, Violation> {
    var method: HTTPRequest.Method?
    var path: String?
    var authority: String?
    var hosts: [String] = []
    var lengths = 0
    var cookies = 0
    var fields = HTTPFields()
    fields.reserveCapacity(headers.count)
    for (name, value, _) in headers {
      switch name {
      case ":method": method = HTTPRequest.Method(value)
      // Whatever the client claims: HTTP/2 is served by TLS only.
      case ":scheme": break
      case ":path": path = value
      case ":authority": authority = value
      case "host": hosts.append(value)
      default:
        if name == "content-length" {
          lengths += 1
          guard value.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            return .failure(Violation(text: "Content-Length is not a number"))
          }
        }
        if name == "cookie" { cookies += 1 }
        guard let name = HeaderNames.name(name) else { return .failure(Violation(text: "a header name is not valid")) }
        fields.append(HTTPField(name: name, value: value))
      }
    }
    guard let method, method != .connect, let path else {
      return .failure(Violation(text: "the method is not valid"))
    }
    guard headers.count <= 100 else {
      return .failure(Violation(text: "there are more than 100 headers", kind: .headTooLarge))
    }
    guard lengths <= 1 else { return .failure(Violation(text: "Content-Length must occur at most once")) }
    guard hosts.count <= 1, authority == nil || hosts.isEmpty || hosts[0] == authority else {
      return .failure(Violation(text: "Host must occur at most once and match the authority"))
    }
    guard let host = authority ?? hosts.first, RequestHeadRules.isValid(host: host) else {
      return .failure(Violation(text: "the authority is not valid"))
    }
    if let violation = RequestHeadRules.violation(inTarget: path) { return .failure(Violation(text: violation)) }
    if cookies > 1 { fields[.cookie] = fields[.cookie] }  // RFC 9113 §8.2.3: joins cookie fields
    return .success(HTTPRequest(method: method, scheme: "https", authority: host, path: path, headerFields: fields))
  }

  // MARK: responses

  private func refuse(_ context: ChannelHandlerContext, _ problem: Problem) {
    isRefused = true
    guard !isAnswering else { return context.close(promise: nil) }
    clock.answerBegins()
    let body = (try? WireJSON.encode(problem)) ?? []
    var headers: HPACKHeaders = [
      ":status": String(problem.status), "content-type": "application/problem+json",
      "content-length": String(body.count), "date": date.value,
    ]
    for field in ConstantFields.ofRefusals { headers.add(name: field.name.canonicalName, value: field.value) }
    context.write(wrapOutboundOut(.headers(.init(headers: headers))), promise: nil)
    let last = HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: true))
    context.writeAndFlush(wrapOutboundOut(last), promise: stopping(context, nil))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isRefused else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(let response):
      isAnswering = true
      clock.answerBegins()
      context.write(wrapOutboundOut(.headers(.init(headers: translate(response)))), promise: promise)
    case .body(let bytes):
      if answerHasNoBody {
        promise?.succeed()
      } else {
        context.write(wrapOutboundOut(.data(.init(data: .byteBuffer(bytes)))), promise: promise)
      }
    case .end(let trailers):
      isAnswering = false
      let promise = stopping(context, promise)
      if let trailers, !trailers.isEmpty {
        let fields = HPACKHeaders(trailers.map { ($0.name.canonicalName, $0.value) })
        context.write(wrapOutboundOut(.headers(.init(headers: fields, endStream: true))), promise: promise)
      } else {
        context.write(wrapOutboundOut(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true))), promise: promise)
      }
    }
  }

  /// RFC 9113 §8.1: after the complete response, a caller that is still sending gets RST_STREAM with NO_ERROR.
  private func stopping(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) -> EventLoopPromise<Void>?
  {
    guard !isComplete else { return promise }
    let promise = promise ?? context.eventLoop.makePromise()
    promise.futureResult.assumeIsolated().whenSuccess {
      guard !self.isComplete else { return }
      context.writeAndFlush(self.wrapOutboundOut(.rstStream(.noError)), promise: nil)
    }
    return promise
  }

  private func translate(_ response: HTTPResponse) -> HPACKHeaders {
    answerHasNoBody = response.status.code == 204 || response.status.code == 304
    var headers = HPACKHeaders()
    headers.reserveCapacity(response.headerFields.count + 2)
    headers.add(name: ":status", value: String(response.status.code))
    for field in response.headerFields {
      switch field.name.canonicalName {
      case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade": continue
      case "content-length" where answerHasNoBody: continue
      case let name: headers.add(name: name, value: field.value)
      }
    }
    headers.add(name: "date", value: date.value)
    return headers
  }

  /// The state in which an open response takes the stream over; `nil` when it is about to close.
  var handover: ClientConnection.Handover? {
    guard isAnswering, !isRefused else { return nil }
    return ClientConnection.Handover(isQuiescing: connection.isQuiescing)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    clock.writability(context.channel.isWritable, at: MonotonicClock.now())
    context.fireChannelWritabilityChanged()
  }
}

extension HTTPFields {
  /// Translates trailers.
  init(_ headers: HPACKHeaders) {
    self.init()
    for (name, value, _) in headers {
      if let name = HeaderNames.name(name) { append(HTTPField(name: name, value: value)) }
    }
  }
}
