import Contracts
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import Timing

/// Sits between NIO's HTTP/1 parser and Hummingbird: rejects what RFC 9112 prohibits, enforces the connection's
/// deadlines, and converts heads. It replaces NIO's own codec, which runs every target through Foundation's URL parser.
final class StrictHTTP1Handler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let limits: ConnectionLimits
  private let date: DateHeader
  private var clock: ConnectionClock
  private var check: Scheduled<Void>?
  private var isRefused = false
  /// Whether the connection closes after the current response.
  private var closesAfterAnswer = false
  private var isAnswering = false
  private var isHTTP10 = false
  /// Set once the last response is sent: what the client still sends is discarded until it has read the response.
  private var linger: Linger?
  private var answerHasNoBody = false
  private var answerEndsWithConnection = false
  /// Parts of pipelined requests that arrived before the current response was complete; processed after it.
  private var held: [HTTPServerRequestPart] = []
  private var heldViolation: Problem?

  /// The client has closed its side.
  private var isInputClosed = false
  /// The server is shutting down.
  private var isQuiescing = false

  private struct Linger {
    var bytes = 0
    /// Scheduled once the response has left.
    var end: Scheduled<Void>?
  }

  /// A socket that is closed while data arrives is reset, and a client that has not read its response loses it: the
  /// output is closed first, then up to this many bytes are discarded for a while (RFC 9112 §9.6).
  static let lingerBytes = 64 << 20

  /// Interval between deadline checks, in seconds.
  private static let checkInterval = 2.0

  private let scheme: String
  private var context: ChannelHandlerContext?
  private var sender: FileSender?
  private var whenSent: EventLoopPromise<Void>?

  init(limits: ConnectionLimits, date: DateHeader, scheme: String = "http") {
    self.scheme = scheme
    self.limits = limits
    self.date = date
    clock = ConnectionClock(limits: limits, now: MonotonicClock.now())
  }

  // MARK: lifecycle

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { scheduleCheck(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    scheduleCheck(context)
    context.fireChannelActive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    cancelTimers()
  }

  private func cancelTimers() {
    check?.cancel()
    linger?.end?.cancel()
  }

  func channelInactive(context: ChannelHandlerContext) {
    cancelTimers()
    failReader(context)
    context.fireChannelInactive()
  }

  private func scheduleCheck(_ context: ChannelHandlerContext) {
    check = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(Self.checkInterval * 1000))) {
      self.checkSender(context)
      guard self.clock.isOverdue(at: MonotonicClock.now()) else { return self.scheduleCheck(context) }
      if case .answering = self.clock.phase {
        self.answer(context, Problem(.unavailable, detail: "The response takes too long."))
        self.scheduleCheck(context)
      } else {
        context.close(promise: nil)
      }
    }
  }

  /// A request whose end will not arrive. Without an error, its reader would take what has arrived for all of it.
  static let cut = Problem(.malformedRequest, detail: "The request ended early.")

  private func failReader(_ context: ChannelHandlerContext) {
    if clock.isReceiving, clock.awaitsResponse || isRefused { context.fireErrorCaught(Self.cut) }
  }

  // MARK: requests

  /// Called by ``ByteCounter``, which precedes the parser, for each chunk that arrives.
  func received(bytes: Int, _ context: ChannelHandlerContext) {
    clock.received(bytes: bytes, at: MonotonicClock.now())
    linger?.bytes += bytes
    if let linger, linger.bytes > Self.lingerBytes { context.close(promise: nil) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    context.fireChannelReadComplete()
    if linger != nil { context.read() }
  }

  func read(context: ChannelHandlerContext) {
    // Back-pressure: a caller that keeps sending requests without reading responses has to wait.
    guard held.isEmpty else { return }
    clock.asked(at: MonotonicClock.now())
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    let part = unwrapInboundIn(data)
    let isNext = if case .head = part { clock.awaitsResponse } else { false }
    if isNext || !held.isEmpty { held.append(part) } else { take(part, context) }
  }

  private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    guard !isRefused else { return }
    switch part {
    case .head(let head):
      if let violation = RequestHeadRules.violation(in: head) { return refuse(context, Self.malformed(violation)) }
      clock.headComplete(at: MonotonicClock.now())
      isHTTP10 = head.version == .http1_0
      if !head.isKeepAlive { closesAfterAnswer = true }
      guard let request = translate(head) else {
        return refuse(context, Self.malformed("a header name or the method is not valid"))
      }
      if !isHTTP10, head.headers["expect"].contains(where: { $0.lowercased() == "100-continue" }) {
        let goOn = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(goOn)), promise: nil)
      }
      context.fireChannelRead(wrapInboundOut(.head(request)))
    case .body(let bytes): context.fireChannelRead(wrapInboundOut(.body(bytes)))
    case .end(let trailers):
      clock.requestComplete(at: MonotonicClock.now())
      context.fireChannelRead(wrapInboundOut(.end(trailers.map { HTTPFields($0) })))
    }
  }

  /// Called when a response is complete: processes the next request, if it has already arrived.
  private func takeHeld(_ context: ChannelHandlerContext) {
    guard !held.isEmpty || heldViolation != nil else { return }
    var parts = held[...]
    held = []
    while let part = parts.first {
      if case .head = part, clock.awaitsResponse { break }
      parts.removeFirst()
      take(part, context)
    }
    guard !isRefused else { return }
    held = Array(parts)
    if held.isEmpty, let violation = heldViolation, !clock.awaitsResponse { return refuse(context, violation) }
    context.fireChannelReadComplete()
    guard held.isEmpty else { return }
    if isInputClosed { inputEnds(context) }
    read(context: context)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The parser's first error is the one that is answered.
    if error is ByteToMessageDecoderError { return }
    guard let error = error as? HTTPParserError else {
      failReader(context)
      return context.fireErrorCaught(error)
    }
    let violation = error == .headerOverflow ? Problem(.headTooLarge) : Self.malformed("the request is not valid HTTP")
    // The malformed request may be the one after the request that is being processed.
    if !held.isEmpty || clock.awaitsResponse && !clock.isReceiving {
      heldViolation = violation
    } else {
      refuse(context, violation)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case ChannelEvent.inputClosed:
      // Hummingbird drops what arrives after this event.
      isInputClosed = true
      if held.isEmpty { inputEnds(context) }
    case is ChannelShouldQuiesceEvent:
      isQuiescing = true
      if clock.awaitsResponse { closesAfterAnswer = true }
      context.fireUserInboundEventTriggered(event)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  private func inputEnds(_ context: ChannelHandlerContext) {
    if clock.awaitsResponse { closesAfterAnswer = true }
    context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
  }

  private func translate(_ head: HTTPRequestHead) -> HTTPRequest? {
    guard let method = HTTPRequest.Method(head.method.rawValue) else { return nil }
    var fields = HTTPFields()
    fields.reserveCapacity(head.headers.count)
    var authority: String?
    for (name, value) in head.headers {
      if name.utf8.count == 4, name.lowercased() == "host" {
        authority = value
        continue
      }
      guard let name = HeaderNames.name(name) else { return nil }
      fields.append(HTTPField(name: name, value: value))
    }
    // Hummingbird knows one spelling.
    if !head.isKeepAlive { fields[.connection] = "close" }
    return HTTPRequest(method: method, scheme: scheme, authority: authority, path: head.uri, headerFields: fields)
  }

  private static func malformed(_ detail: String) -> Problem { Problem(.malformedRequest, detail: detail) }

  /// Responds and closes the connection; closes it without a response when another one is pending.
  private func refuse(_ context: ChannelHandlerContext, _ violation: Problem) {
    guard !isRefused else { return }
    // The response to an earlier request is still pending, or this request has its response already.
    let isPending = if case .answering = clock.phase { true } else { false }
    if isPending || clock.isReceiving && !clock.awaitsResponse {
      isRefused = true
      failReader(context)
      return context.close(promise: nil)
    }
    answer(context, violation)
  }

  private func answer(_ context: ChannelHandlerContext, _ problem: Problem) {
    guard !isRefused else { return }
    isRefused = true
    guard !isAnswering else { return context.close(promise: nil) }
    clock.answerComplete(at: MonotonicClock.now())
    let body = (try? WireJSON.encode(problem)) ?? []
    var head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: problem.status))
    head.headers = [
      "Content-Type": "application/problem+json", "Content-Length": String(body.count), "Connection": "close",
      "Date": date.value,
    ]
    for field in ConstantFields.ofRefusals { head.headers.add(name: field.name.rawName, value: field.value) }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
    sendLast(.end(nil), context.eventLoop.makePromise(), context)
    failReader(context)
  }

  /// Sends the end of the connection's last response and closes the connection without losing that response.
  private func sendLast(_ last: OutboundOut, _ sent: EventLoopPromise<Void>, _ context: ChannelHandlerContext) {
    isRefused = true
    held = []
    heldViolation = nil
    linger = Linger()
    sent.futureResult.assumeIsolated().whenComplete { _ in
      guard context.channel.isActive else { return }
      let time = TimeAmount.milliseconds(Int64(self.limits.lingerSeconds * 1000))
      self.linger?.end = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
      context.close(mode: .output, promise: nil)
      context.read()
    }
    context.writeAndFlush(wrapOutboundOut(last), promise: sent)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard linger != nil else { return context.close(mode: mode, promise: promise) }
    // Hummingbird closes a connection as soon as it has written the last response.
    if mode == .all { context.channel.closeFuture.cascade(to: promise) } else { promise?.succeed() }
  }

  // MARK: responses

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isRefused else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(let response):
      isAnswering = true
      clock.answerBegins()
      context.write(wrapOutboundOut(.head(translate(response))), promise: promise)
    case .body(let bytes):
      if answerHasNoBody {
        promise?.succeed()
      } else {
        context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
      }
    case .end(let trailers):
      isAnswering = false
      clock.answerComplete(at: MonotonicClock.now())
      let end = HTTPServerResponsePart.end(trailers.map { HTTPHeaders($0) })
      if closesAfterAnswer { return sendLast(end, promise ?? context.eventLoop.makePromise(), context) }
      context.write(wrapOutboundOut(end), promise: promise)
      takeHeld(context)
    }
  }

  // MARK: files

  /// Sends a range of a file as a part of the current response, whose head states the length.
  ///
  /// - Returns: Succeeds when the socket has taken it.
  func send(_ file: OpenFile, _ range: Range<Int>, _ pace: StoredBody.Pace?) throws -> EventLoopFuture<Void> {
    guard let context, isAnswering, !isRefused, context.channel.isActive else { throw ChannelError.ioOnClosedChannel }
    if range.isEmpty { return context.eventLoop.makeSucceededVoidFuture() }
    let promise = context.eventLoop.makePromise(of: Void.self)
    sender = FileSender(file, range, pace, at: MonotonicClock.now())
    whenSent = promise
    writeRegions(context)
    return promise.futureResult
  }

  private func writeRegions(_ context: ChannelHandlerContext) {
    guard let sender else { return }
    while let region = sender.nextRegion() {
      let sent = context.eventLoop.makePromise(of: Void.self)
      sent.futureResult.assumeIsolated().whenComplete { self.regionSent($0, context) }
      context.write(wrapOutboundOut(.body(.fileRegion(region))), promise: sent)
    }
    context.flush()
  }

  private func regionSent(_ result: Result<Void, any Error>, _ context: ChannelHandlerContext) {
    guard let sender else { return }
    clock.progressed(at: MonotonicClock.now())
    switch result {
    case .success where !sender.regionSent(): writeRegions(context)
    case .success, .failure:
      self.sender = nil
      whenSent?.completeWith(result)
      whenSent = nil
    }
  }

  private func checkSender(_ context: ChannelHandlerContext) {
    guard let sender else { return }
    let unsent = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    switch sender.check(unsent: unsent ?? 0, at: MonotonicClock.now()) {
    case .none: break
    case .some: clock.progressed(at: MonotonicClock.now())
    case .failed: context.close(promise: nil)
    }
  }

  private func translate(_ response: HTTPResponse) -> HTTPResponseHead {
    let status = HTTPResponseStatus(statusCode: response.status.code, reasonPhrase: response.status.reasonPhrase)
    var headers: [(String, String)] = []
    headers.reserveCapacity(response.headerFields.count + 2)
    // RFC 9110 §8.6: these responses have neither a body nor a Content-Length.
    answerHasNoBody = response.status.code == 204 || response.status.code == 304
    var hasLength = answerHasNoBody
    for field in response.headerFields where !(answerHasNoBody && field.name == .contentLength) {
      if field.name == .contentLength { hasLength = true }
      if field.name == .connection {
        closesAfterAnswer = closesAfterAnswer || field.value.lowercased() == "close"
      } else {
        headers.append((field.name.rawName, field.value))
      }
    }
    headers.append(("Date", date.value))
    // RFC 9112 §7: a body without a length ends with the connection, because HTTP/1.0 knows no chunks.
    answerEndsWithConnection = isHTTP10 && !hasLength
    if answerEndsWithConnection { closesAfterAnswer = true }
    if closesAfterAnswer { headers.append(("Connection", "close")) }
    let version: HTTPVersion = answerEndsWithConnection ? .http1_0 : .http1_1
    return HTTPResponseHead(version: version, status: status, headers: HTTPHeaders(headers))
  }

  /// The state in which an open response takes the connection over; `nil` when it is about to close.
  var handover: ClientConnection.Handover? {
    guard isAnswering, !isRefused, !isInputClosed else { return nil }
    return ClientConnection.Handover(isChunked: !answerEndsWithConnection, isQuiescing: isQuiescing)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    clock.writability(context.channel.isWritable, at: MonotonicClock.now())
    context.fireChannelWritabilityChanged()
  }
}
