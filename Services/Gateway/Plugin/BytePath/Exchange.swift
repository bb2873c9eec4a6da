import Contracts
import HTTPServing
import HTTPTypes
import Logging
import NIOCore
import Observability
import ServiceKit
import Timing

/// A request on its way to a service, and the answer on its way back.
final class Exchange {
  private enum Phase {
    case waiting
    case head
    case body(ByteResponseBody)
    case over
  }

  /// How long a body may stand still beyond the time for the head of the answer, in seconds.
  private static let stallSeconds = 60.0
  /// How long a second try at the same instance waits, which may be restarting, in microseconds.
  private static let pause: ClosedRange<Int64> = 25_000...50_000

  let request: ByteRequest
  private let connection: ByteConnection
  private let edge: ByteEdge
  private let loop: ByteLoop
  private let start: ByteConnectionStart
  private let begunAt = MonotonicClock.now()
  /// The request's head without `Host`, `Content-Length` and the empty line.
  private var head: ByteBuffer
  private let body: ByteBuffer
  private var user: UserCaller?
  private var limit: RateLimiter.Outcome?

  private var phase = Phase.waiting
  private var instance: Instances.Instance?
  /// Whether the request's outcome has not been reported to the instance.
  private var isRunning = false
  private var isSecondTry = false
  /// When the first try was sent.
  private var sentAt = 0.0
  /// When both tries together have taken too long.
  private var deadline = Double.infinity
  private var upstream: UpstreamConnection?
  private var isReused = false
  private var progressAt = 0.0
  private var isPaused = false
  private var received = ByteBuffer()
  private var slot: Downloads.Slot?
  private var closes: Bool
  private var isReusable = true

  init(
    _ request: ByteRequest, head: ByteBuffer, body: ByteBuffer, of connection: ByteConnection, _ edge: ByteEdge,
    _ loop: ByteLoop, _ start: ByteConnectionStart
  ) {
    (self.request, self.head, self.body, self.connection) = (request, head, body, connection)
    (self.edge, self.loop, self.start) = (edge, loop, start)
    closes = request.closes
  }

  var isOver: Bool { if case .over = phase { true } else { false } }
  var hasBegunAnswer: Bool { if case .body = phase { true } else { false } }

  /// Begins, when its caller has been found out and charged.
  func proceed(_ user: UserCaller?, _ tokenProblem: Problem?, _ limit: RateLimiter.Outcome?) {
    (self.user, self.limit) = (user, limit)
    if let limit, !limit.verdict.isAllowed {
      if let network = request.network, edge.edge.limiter.refused(network, remoteAddress: connection.peerAddress) {
        closes = true
      }
      return answer(Problem(.tooManyRequests, retryAfter: limit.verdict.seconds))
    }
    if request.route.operation.needsToken, user == nil {
      let problem = tokenProblem ?? Problem(.tokenMissing)
      start.records.refused(problem)
      return answer(problem)
    }
    sentAt = MonotonicClock.now()
    deadline = sentAt + request.route.operation.seconds
    guard let first = request.route.instances.next() else { return answer(Problem(.unavailable, retryAfter: 1)) }
    send(to: first, isFresh: false)
  }

  /// Answers that too many others were before it.
  func refuse() {
    // Those who are refused together do not come back together.
    answer(Problem(.overloaded, retryAfter: .random(in: 1...3)))
  }

  // MARK: sending

  private func send(to instance: Instances.Instance, isFresh: Bool) {
    (self.instance, isRunning) = (instance, true)
    loop.pool(of: instance).take(for: self, isFresh: isFresh)
  }

  /// Reports the request's outcome to the instance.
  private func reportOutcome(_ outcome: Instances.Outcome) {
    if isRunning, let instance { request.route.instances.ended(instance, outcome) }
    isRunning = false
  }

  /// Sends the request a second time, as ``Upstreams`` does: within the same time, and within the service's budget.
  ///
  /// - Returns: Whether it is sent.
  private func sendAgain(maySendToSame: Bool) -> Bool {
    guard !isSecondTry, MonotonicClock.now() < deadline, let first = instance,
      let second = request.route.instances.retry(after: first, maySendToSame: maySendToSame)
    else { return false }
    release(isReusable: false)
    isSecondTry = true
    phase = .waiting
    received = ByteBuffer()
    guard second == first else {
      send(to: second, isFresh: true)
      return true
    }
    isRunning = true
    loop.eventLoop.assumeIsolated().scheduleTask(in: .microseconds(.random(in: Self.pause))) {
      if !self.isOver { self.send(to: second, isFresh: true) }
    }
    return true
  }

  /// Sends the request.
  func begin(on upstream: UpstreamConnection, hostLine: String) {
    (self.upstream, isReused) = (upstream, upstream.isUsed)
    var bytes = head
    bytes.writeString(hostLine)
    if body.readableBytes > 0 || request.method != .get {
      bytes.writeStaticString("Content-Length: ")
      bytes.writeString(String(body.readableBytes))
      bytes.writeStaticString("\r\n\r\n")
      bytes.writeImmutableBuffer(body)
    } else {
      bytes.writeStaticString("\r\n")
    }
    progressAt = MonotonicClock.now()
    phase = .head
    upstream.begin(self, bytes)
  }

  // MARK: receiving

  func received(_ bytes: ByteBuffer) {
    progressAt = MonotonicClock.now()
    switch phase {
    case .head:
      received.receive(bytes)
      readHead()
    case .body(let body): pass(bytes, body)
    case .waiting, .over: break
    }
  }

  private func readHead() {
    while case .head = phase {
      var kept = connection.allocator.buffer(capacity: 1024)
      let scan = received.withUnsafeReadableBytes {
        ResponseHead.scan($0, setsCaching: request.route.setsCaching, into: &kept)
      }
      switch scan {
      case .incomplete: return
      case .invalid: return failed(.invalid)
      case .head(let found) where found.status == 101: return failed(.invalid)
      case .head(let found) where found.status < 200: received.moveReaderIndex(forwardBy: found.end)
      case .head(let found): begin(found.joiningChunks(in: &received), kept)
      }
    }
  }

  private func begin(_ found: ResponseHead, _ kept: ByteBuffer) {
    reportOutcome(outcome(of: found))
    if found.status == 503, request.isRepeatable, sendAgain(maySendToSame: false) { return }
    isReusable = found.isReusable
    let length: Int? = if case .length(let length) = found.framing { length } else { nil }
    if found.framing != .none {
      do {
        slot = try edge.downloads.slot(
          for: user, at: request.address, length: length, of: request.route.service)
      } catch {
        release(isReusable: false)
        return answer(error)
      }
    }
    func text(_ range: Range<Int>?) -> String? {
      guard let range else { return nil }
      return received.getString(at: received.readerIndex + range.lowerBound, length: range.count)
    }
    var head = connection.allocator.buffer(capacity: kept.readableBytes + 640 + min(length ?? 0, 4096))
    ResponseFields.statusLine(found.status, to: &head)
    head.writeImmutableBuffer(kept)
    edge.fields.write(
      .init(hasContentPolicy: found.hasContentPolicy, hasCacheControl: found.hasCacheControl), request, limit,
      to: &head)
    var tag = text(found.tag)
    var coding = ByteResponseBody.Coding.none
    switch found.framing {
    case .none: break
    case .length(let length): coding = .plain(length)
    case .chunked, .untilClose: coding = .chunked
    }
    let isCompressible =
      found.framing != .none && !found.isEncoded && !found.forbidsTransformation
      && Compression.isCompressible(text(found.contentType), length: length, status: found.status)
    if isCompressible {
      head.writeStaticString("Vary: Accept-Encoding\r\n")
      if request.acceptsGzip, let gzip = try? Gzip() {
        head.writeStaticString("Content-Encoding: gzip\r\n")
        tag = tag.map { EntityTag(rawValue: $0).compressed.rawValue }
        coding = .gzip(gzip)
      }
    }
    if let tag {
      head.writeStaticString("ETag: ")
      head.writeString(tag)
      head.writeStaticString("\r\n")
    }
    switch coding {
    case .none: break
    case .plain(let length):
      head.writeStaticString("Content-Length: ")
      head.writeString(String(length))
      head.writeStaticString("\r\n")
    case .chunked, .gzip: head.writeStaticString("Transfer-Encoding: chunked\r\n")
    }
    closes = closes || connection.mustClose
    ResponseFields.end(&head, date: start.date.value, closes: closes)
    note(found.status)
    connection.answerBegins()
    let body = ByteResponseBody(found.framing, coding)
    phase = .body(body)
    received.moveReaderIndex(forwardBy: found.end)
    let rest = received
    received = ByteBuffer()
    pass(rest, body, after: head)
  }

  /// The bodies of problems are small, so they have come with their heads.
  private func outcome(of found: ResponseHead) -> Instances.Outcome {
    guard found.status == 502 || found.status == 503 else { return .served }
    guard found.status == 503, case .length(let length) = found.framing,
      let body = received.getBytes(at: received.readerIndex + found.end, length: length),
      let problem = try? WireJSON.decode(Problem.self, from: body)
    else { return .failed }
    return problem.is(.overloaded) ? .overloaded : .failed
  }

  private func pass(_ bytes: ByteBuffer, _ body: ByteResponseBody, after head: ByteBuffer? = nil) {
    var output = head
    let result = body.pass(bytes) { part in
      // A small part shares the write of the head.
      if var whole = output, part.readableBytes <= 4096 {
        whole.writeImmutableBuffer(part)
        output = whole
      } else {
        if let whole = output { connection.write(whole) }
        output = nil
        connection.write(part)
      }
    }
    if let output { connection.write(output) }
    switch result {
    case .more:
      // Responses without a slot are small: they are buffered, so that their reader does not occupy the service's
      // connection.
      if slot != nil, !connection.isWritable, !isPaused {
        isPaused = true
        upstream?.pause()
      }
    case .end(let hasMore): complete(isReusable: isReusable && !hasMore)
    case .invalid:
      release(isReusable: false)
      end { connection.cut() }
    }
  }

  func flush() { connection.flush() }

  func callerIsReady() {
    guard isPaused else { return }
    isPaused = false
    progressAt = MonotonicClock.now()
    upstream?.resume()
  }

  private func complete(isReusable: Bool) {
    release(isReusable: isReusable)
    connection.flush()
    end { connection.answered(closes: closes) }
  }

  // MARK: ends

  func upstreamClosed() {
    upstream = nil
    switch phase {
    case .head: failed(.lost)
    case .body(let body) where body.endsWithConnection:
      var rest: [ByteBuffer] = []
      body.end { rest.append($0) }
      for part in rest { connection.write(part) }
      complete(isReusable: false)
    // The caller notices that the body is cut.
    case .body: end { connection.cut() }
    case .waiting, .over: break
    }
  }

  func callerLeft() {
    release(isReusable: false)
    end {}
  }

  func check(at now: Double) {
    switch phase {
    case .head: if now > deadline { failed(.timedOut) }
    case .body:
      if !isPaused, now - progressAt > request.route.operation.seconds + Self.stallSeconds { failed(.lost) }
    case .waiting, .over: break
    }
  }

  func failed(_ failure: Failure) {
    guard !isOver else { return }
    let isFirstUse = !isReused
    release(isReusable: false)
    if case .body = phase { return end { connection.cut() } }
    switch failure {
    // The gateway itself has no room for it.
    case .overloaded: reportOutcome(.neutral)
    // A connection that was used before may be closed at any time.
    case .lost: reportOutcome(isFirstUse ? .failed : .neutral)
    case .notConnected, .invalid, .timedOut, .late: reportOutcome(.failed)
    }
    let mayRepeat =
      switch failure {
      case .notConnected: true
      case .lost, .invalid: request.isRepeatable
      case .timedOut, .overloaded, .late: false
      }
    if mayRepeat, sendAgain(maySendToSame: true) { return }
    if failure == .late { closes = true }
    edge.logger.warning(
      "upstream failed", metadata: ["reason": "\(failure)", "service": "\(request.route.service)"])
    answer(failure.problem)
  }

  private func release(isReusable: Bool) {
    let last = upstream
    upstream = nil
    last?.end(isReusable: isReusable)
  }

  private func end(_ action: () -> Void) {
    reportOutcome(.neutral)
    slot = nil
    phase = .over
    action()
  }

  /// Answers without the service.
  private func answer(_ problem: Problem) {
    let (fields, body) = problem.document(trace: request.trace)
    var head = connection.allocator.buffer(capacity: 1024 + body.count)
    ResponseFields.statusLine(problem.status, to: &head)
    for field in fields {
      if field.name == .connection {
        closes = closes || field.value.lowercased() == "close"
      } else {
        head.writeString("\(field.name.rawName): \(field.value)\r\n")
      }
    }
    edge.fields.write(.init(), request, limit, to: &head)
    closes = closes || connection.mustClose
    head.writeString("Content-Length: \(body.count)\r\n")
    ResponseFields.end(&head, date: start.date.value, closes: closes)
    head.writeBytes(body)
    note(problem.status)
    connection.answerBegins()
    connection.write(head)
    connection.flush()
    end { connection.answered(closes: closes) }
  }

  /// Measures and logs the answer.
  private func note(_ status: Int) {
    let now = MonotonicClock.now()
    let seconds = now - begunAt
    let route = request.route
    if instance != nil { route.instances.latency.record(seconds: now - sentAt) }
    route.metrics.record(status: status, seconds: seconds)
    start.records.write(
      .info, method: request.method.rawValue, route: route.metrics.route, status: status, seconds: seconds,
      requestID: request.id, trace: request.trace, link: request.callersTrace)
  }
}
