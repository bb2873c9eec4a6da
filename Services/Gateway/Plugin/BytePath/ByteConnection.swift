import Contracts
import HTTPServing
import NIOCore
import ServiceKit
import Timing

/// A caller's connection as long as its requests are those of the byte path: reads their heads and bodies, one request
/// after another, and hands the connection over when something else arrives.
final class ByteConnection: ChannelDuplexHandler, RemovableChannelHandler, QueuedRequest {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum Phase {
    /// Between requests, or within a head.
    case head
    /// The head is read; what follows it is the body.
    case body(ByteRequest, ByteBuffer)
    /// Others are served first.
    case queued(Exchange)
    /// A task verifies the caller's token or asks for shared limits.
    case deciding
    case exchanging(Exchange)
    /// The last answer has been sent: what still arrives is discarded.
    ///
    /// - since: When it had left.
    case lingering(since: Double?)
    case over
  }

  /// A head that comes in more pieces than this is one for the usual handlers.
  private static let maxPieces = 8
  /// The bytes that count as progress of a slow reader, as for files.
  private static let progressBytes = 32 << 10

  private let start: ByteConnectionStart
  private let edge: ByteEdge
  private let loop: ByteLoop
  private var peer: ByteEdge.Peer?
  private var context: ChannelHandlerContext?
  private var clock: ConnectionClock
  private var phase = Phase.head
  private var inbound = ByteBuffer()
  private var pieces = 0
  private var isProcessing = false
  private var isInputClosed = false
  private var isQuiescing = false
  /// Whether a read has been held back.
  private var wantsRead = false
  private var lingeredBytes = 0
  /// The bytes that waited for the socket when its reader last made progress.
  private var waitingBytes = 0

  init(_ start: ByteConnectionStart, _ edge: ByteEdge, _ loop: ByteLoop) {
    (self.start, self.edge, self.loop) = (start, edge, loop)
    clock = ConnectionClock(limits: start.limits, now: MonotonicClock.now())
  }

  // MARK: lifecycle

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { open(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    open(context)
    context.fireChannelActive()
  }

  private func open(_ context: ChannelHandlerContext) {
    guard peer == nil else { return }
    peer = ByteEdge.Peer(context.channel, scheme: start.scheme, edge)
    loop.insert(self)
  }

  func handlerRemoved(context: ChannelHandlerContext) { finish() }

  func channelInactive(context: ChannelHandlerContext) {
    finish()
    context.fireChannelInactive()
  }

  private func finish() {
    let last = phase
    phase = .over
    context = nil
    loop.remove(self)
    start.handover.abandon()
    if case .exchanging(let exchange) = last { exchange.callerLeft() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  /// Called at intervals.
  func check(at now: Double) {
    guard let context else { return }
    noteProgress(context, at: now)
    switch phase {
    case .lingering(let since?): if now - since > start.limits.lingerSeconds { context.close(promise: nil) }
    case .lingering(nil): if clock.isOverdue(at: now) { context.close(promise: nil) }
    case .exchanging(let exchange) where !clock.isOverdue(at: now): exchange.check(at: now)
    case .exchanging(let exchange):
      // Either the answer takes too long, or its reader does.
      if exchange.hasBegunAnswer { context.close(promise: nil) } else { exchange.failed(.late) }
    case .head, .body, .queued, .deciding: if clock.isOverdue(at: now) { context.close(promise: nil) }
    case .over: break
    }
  }

  /// A caller that has read a part of what waits for it has not stalled.
  private func noteProgress(_ context: ChannelHandlerContext, at now: Double) {
    let left = context.channel.isWritable ? 0 : unsentBytes(context)
    let hasProgressed = left + Self.progressBytes <= waitingBytes
    if hasProgressed { clock.progressed(at: now) }
    if hasProgressed || left > waitingBytes { waitingBytes = left }
  }

  // MARK: reading

  func read(context: ChannelHandlerContext) {
    // Back-pressure: a caller that keeps sending requests without reading responses has to wait, and is not read from.
    guard !isBusy || inbound.readableBytes == 0 else { return wantsRead = true }
    clock.asked(at: MonotonicClock.now())
    context.read()
  }

  /// Whether what arrives has to wait.
  private var isBusy: Bool {
    switch phase {
    case .queued, .deciding, .exchanging: true
    case .head: !isWritable
    case .body, .lingering, .over: false
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    if case .lingering = phase {
      lingeredBytes += bytes.readableBytes
      if lingeredBytes > 64 << 20 { context.close(promise: nil) }
      return
    }
    if case .body = phase { clock.received(bytes: bytes.readableBytes, at: MonotonicClock.now()) }
    inbound.receive(bytes)
    process(context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed {
      isInputClosed = true
      inputEnds(context)
    } else if event is ChannelShouldQuiesceEvent {
      isQuiescing = true
      // The rest of a head that is on its way belongs to a request that is answered, as the last one.
      if case .head = phase, inbound.readableBytes == 0 { closeBehindAnswers(context) }
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  /// The caller sends no more: nothing becomes of what is not complete.
  private func inputEnds(_ context: ChannelHandlerContext) {
    switch phase {
    case .head where inbound.readableBytes == 0: closeBehindAnswers(context)
    case .head: if !isBusy { handOver(context) }
    case .body: closeBehindAnswers(context)
    case .lingering(.some): context.close(promise: nil)
    case .lingering(nil), .queued, .deciding, .exchanging, .over: break
    }
  }

  /// Makes requests of what has arrived, as long as none is being answered.
  private func process(_ context: ChannelHandlerContext) {
    // An answer that is made at once is not the place to go on from.
    guard !isProcessing else { return }
    isProcessing = true
    makeRequests(context)
    isProcessing = false
    if isInputClosed { inputEnds(context) }
    if isQuiescing, case .head = phase, inbound.readableBytes == 0 { closeBehindAnswers(context) }
    guard wantsRead, self.context != nil, !isBusy || inbound.readableBytes == 0 else { return }
    wantsRead = false
    read(context: context)
  }

  private func makeRequests(_ context: ChannelHandlerContext) {
    while true {
      switch phase {
      case .head:
        guard inbound.readableBytes > 0, !isBusy else { return }
        var head = context.channel.allocator.buffer(capacity: 1024)
        switch inbound.withUnsafeReadableBytes({ RequestHead.scan($0, into: &head) }) {
        case .other: return handOver(context)
        case .incomplete:
          pieces += 1
          clock.received(bytes: 0, at: MonotonicClock.now())
          return pieces > Self.maxPieces ? handOver(context) : ()
        case .head(let found):
          if send(found, context) { continue }
          guard let peer,
            let request = inbound.withUnsafeReadableBytes({ edge.admit(found, &head, $0, peer) })
          else { return handOver(context) }
          pieces = 0
          inbound.moveReaderIndex(forwardBy: found.end)
          clock.headComplete(at: MonotonicClock.now())
          phase = .body(request, head)
        }
      case .body(let request, let head):
        guard inbound.readableBytes >= request.length else { return }
        let body = inbound.readSlice(length: request.length) ?? ByteBuffer()
        if inbound.readableBytes == 0 { inbound = ByteBuffer() }
        clock.requestComplete(at: MonotonicClock.now())
        let exchange = Exchange(request, head: head, body: body, of: self, edge, loop, start)
        if start.queue?.arrive(self) == false { phase = .queued(exchange) } else { decide(exchange) }
      case .queued, .deciding, .exchanging, .lingering, .over: return
      }
    }
  }

  /// Answers a request for a file.
  ///
  /// - Returns: Whether the request is one.
  private func send(_ found: RequestHead, _ context: ChannelHandlerContext) -> Bool {
    let closes = found.closes || mustClose
    guard let peer,
      let answer = inbound.withUnsafeReadableBytes({
        edge.file(found, $0, peer, date: start.date.value, closes: closes, allocator)
      })
    else { return false }
    pieces = 0
    inbound.moveReaderIndex(forwardBy: found.end)
    if inbound.readableBytes == 0 { inbound = ByteBuffer() }
    let now = MonotonicClock.now()
    clock.headComplete(at: now)
    clock.requestComplete(at: now)
    clock.answerBegins()
    write(answer.head)
    write(answer.body)
    flush()
    clock.answerComplete(at: now)
    if closes { linger(context) }
    return true
  }

  private func handOver(_ context: ChannelHandlerContext) {
    phase = .over
    loop.remove(self)
    var events: [any Sendable] = []
    if isQuiescing { events.append(ChannelShouldQuiesceEvent()) }
    if isInputClosed { events.append(ChannelEvent.inputClosed) }
    start.handover.complete(inbound, events: events, context)
    inbound = ByteBuffer()
  }

  // MARK: waiting

  var isWaiting: Bool { if case .queued = phase { true } else { false } }

  func proceed() { if case .queued(let exchange) = phase { decide(exchange) } }

  func refuse() {
    guard case .queued(let exchange) = phase else { return }
    phase = .exchanging(exchange)
    exchange.refuse()
  }

  // MARK: deciding

  /// Charges the request to its caller, and sends it on.
  private func decide(_ exchange: Exchange) {
    let (request, limiter) = (exchange.request, edge.edge.limiter)
    var user: UserCaller?
    switch request.token {
    case .unknown(let token): return decideLater(exchange, token)
    case .none: break
    case .known(let known): user = known
    }
    phase = .exchanging(exchange)
    if let user { edge.edge.sessions.add(user.sessionID, at: edge.edge.time.now()) }
    exchange.proceed(user, nil, limiter.chargeNow(request.kind, user, network: request.network))
  }

  private func decideLater(_ exchange: Exchange, _ token: String?) {
    phase = .deciding
    let request = exchange.request
    let context = RequestContext(
      requestID: request.id, trace: request.trace, remoteAddress: peer?.address, clientAddress: request.address,
      userAgent: nil, isSecure: request.isSecure, logger: edge.logger)
    let bound = NIOLoopBound((self, exchange), eventLoop: loop.eventLoop)
    Task { [edge, kind = request.kind, eventLoop = loop.eventLoop] in
      var context = context
      let outcome = await edge.edge.charge(kind, token.map { $0[...] }, &context)
      eventLoop.execute { [context] in
        let (connection, exchange) = bound.value
        guard case .deciding = connection.phase else { return }
        connection.phase = .exchanging(exchange)
        exchange.proceed(context.user, context.tokenProblem, outcome)
      }
    }
  }

  // MARK: answering

  var peerAddress: String? { peer?.address }
  var isWritable: Bool { context?.channel.isWritable ?? false }
  var allocator: ByteBufferAllocator { context?.channel.allocator ?? ByteBufferAllocator() }
  /// Whether the connection ends with the answer to the current request.
  var mustClose: Bool {
    isQuiescing || start.isDraining() || isInputClosed && inbound.readableBytes == 0
  }

  func answerBegins() { clock.answerBegins() }

  func write(_ bytes: ByteBuffer) { context?.write(wrapOutboundOut(bytes), promise: nil) }
  func flush() { context?.flush() }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    clock.writability(context.channel.isWritable, at: MonotonicClock.now())
    if context.channel.isWritable {
      if case .exchanging(let exchange) = phase { exchange.callerIsReady() } else { process(context) }
    }
    context.fireChannelWritabilityChanged()
  }

  /// The answer is complete and flushed.
  func answered(closes: Bool) {
    guard let context, case .exchanging = phase else { return }
    clock.answerComplete(at: MonotonicClock.now())
    if closes { return linger(context) }
    phase = .head
    process(context)
  }

  /// The answer cannot be completed: the caller must notice that.
  func cut() { context?.close(promise: nil) }

  /// Closes between requests. An answer that its reader has not taken yet is not lost, and idle connections do not linger.
  private func closeBehindAnswers(_ context: ChannelHandlerContext) {
    if unsentBytes(context) > 0 { linger(context) } else { context.close(promise: nil) }
  }

  private func unsentBytes(_ context: ChannelHandlerContext) -> Int {
    (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  /// Closes without losing what has been sent: a socket that is closed while data arrives is reset (RFC 9112 §9.6).
  private func linger(_ context: ChannelHandlerContext) {
    phase = .lingering(since: nil)
    inbound = ByteBuffer()
    // A request that has begun does not come any more: from now on, only the caller's reading is limited.
    clock.requestComplete(at: MonotonicClock.now())
    // Behind everything that has been written.
    let sent = context.eventLoop.makePromise(of: Void.self)
    sent.futureResult.assumeIsolated().whenComplete { _ in
      guard let context = self.context else { return }
      if self.isInputClosed { return context.close(promise: nil) }
      self.phase = .lingering(since: MonotonicClock.now())
      context.close(mode: .output, promise: nil)
      context.read()
    }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
  }
}

extension ByteBuffer {
  /// Appends what has arrived. What has been read is released first, because a connection may never be read to its end.
  mutating func receive(_ bytes: ByteBuffer) {
    guard readableBytes > 0 else { return self = bytes }
    discardReadBytes()
    writeImmutableBuffer(bytes)
  }
}
