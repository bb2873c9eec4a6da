import Contracts
import HTTPTypes
import Logging
import NIOCore
import ServiceKit

/// A request on its way to a service, and the answer on its way back.
final class Exchange {
  /// Why there is no answer.
  enum Failure {
    /// Nothing has been sent.
    case notConnected
    case lost
    case invalid
    case timedOut
    /// There is no connection for it.
    case overloaded
    /// The connection's own time for an answer is over.
    case late
  }

  private enum Phase {
    case waiting
    case head
    case body(AnswerBody)
    case over
  }

  /// How long a body may stand still beyond the time for the head of the answer, in seconds.
  private static let stallSeconds = 60.0
  private static let maxAttempts = 2

  let request: ByteRequest
  private let connection: ByteConnection
  private let edge: ByteEdge
  private let loop: ByteLoop
  private let start: ByteConnectionStart
  private let begunAt = ByteLoop.now()
  /// The request's head without `Host`, `Content-Length` and the empty line.
  private var head: ByteBuffer
  private let body: ByteBuffer
  private var user: UserCaller?
  private var limit: RateLimiter.Outcome?

  private var phase = Phase.waiting
  private var instance: Instances.Instance?
  private var isOneOfMany = false
  private var tried: Set<Instances.Instance> = []
  private var attempts = 0
  private var upstream: UpstreamConnection?
  private var isReused = false
  private var sentAt = 0.0
  private var progressAt = 0.0
  private var isPaused = false
  private var received = ByteBuffer()
  private var place: Downloads.Place?
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
    attempt(isFresh: false)
  }

  // MARK: sending

  private func attempt(isFresh: Bool) {
    attempts += 1
    let instances = request.route.instances
    if let only = instances.only {
      (instance, isOneOfMany) = (only, false)
    } else {
      (instance, isOneOfMany) = (instances.next(without: tried), true)
    }
    guard let instance else { return answer(Problem(.unavailable, retryAfter: 1)) }
    tried.insert(instance)
    loop.pool(of: instance).take(for: self, isFresh: isFresh)
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
    sentAt = ByteLoop.now()
    progressAt = sentAt
    phase = .head
    upstream.begin(self, bytes)
  }

  // MARK: receiving

  func received(_ bytes: ByteBuffer) {
    var bytes = bytes
    progressAt = ByteLoop.now()
    switch phase {
    case .head:
      if received.readableBytes == 0 { received = bytes } else { received.writeBuffer(&bytes) }
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
      case .head(let found): begin(found, kept)
      }
    }
  }

  private func begin(_ found: ResponseHead, _ kept: ByteBuffer) {
    if isOneOfMany, let instance {
      // 503 comes from an instance that is shutting down or overloaded.
      let isRefusal = found.status == 503
      request.route.instances.ended(instance, isHealthy: found.status == 502 ? false : isRefusal ? nil : true)
      isOneOfMany = false
      if isRefusal, request.isRepeatable, attempts < Self.maxAttempts, request.route.instances.all.count > tried.count {
        release(isReusable: false)
        return attempt(isFresh: false)
      }
    }
    isReusable = found.isReusable
    let length: Int? = if case .length(let length) = found.framing { length } else { nil }
    if found.framing != .none {
      do {
        place = try edge.downloads.place(
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
    AnswerFields.statusLine(found.status, to: &head)
    head.writeImmutableBuffer(kept)
    edge.fields.write(
      .init(hasContentPolicy: found.hasContentPolicy, hasCacheControl: found.hasCacheControl), request, limit,
      to: &head)
    var tag = text(found.tag)
    var coding = AnswerBody.Coding.none
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
    AnswerFields.end(&head, date: start.date.value, closes: closes)
    note(found.status)
    connection.answerBegins()
    let body = AnswerBody(found.framing, coding)
    phase = .body(body)
    received.moveReaderIndex(forwardBy: found.end)
    let rest = received
    received = ByteBuffer()
    pass(rest, body, after: head)
  }

  private func pass(_ bytes: ByteBuffer, _ body: AnswerBody, after head: ByteBuffer? = nil) {
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
      if !connection.isWritable, !isPaused {
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
    progressAt = ByteLoop.now()
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
    let seconds = request.route.operation.seconds
    switch phase {
    case .head: if now - sentAt > seconds { failed(.timedOut) }
    case .body: if !isPaused, now - progressAt > seconds + Self.stallSeconds { failed(.lost) }
    case .waiting, .over: break
    }
  }

  func failed(_ failure: Failure) {
    guard !isOver else { return }
    let isFirstUse = !isReused
    release(isReusable: false)
    if case .body = phase { return end { connection.cut() } }
    if isOneOfMany, let instance {
      request.route.instances.ended(instance, isHealthy: isFirstUse || failure != .lost ? false : nil)
      isOneOfMany = false
    }
    let mayRepeat =
      switch failure {
      case .notConnected: true
      case .lost: request.isRepeatable
      case .invalid, .timedOut, .overloaded, .late: false
      }
    if mayRepeat, attempts < Self.maxAttempts {
      phase = .waiting
      received = ByteBuffer()
      if request.route.instances.all.count <= tried.count { tried = [] }
      return attempt(isFresh: true)
    }
    if failure == .late { closes = true }
    edge.logger.warning(
      "upstream failed", metadata: ["reason": "\(failure)", "service": "\(request.route.service)"])
    answer(Self.problem(of: failure))
  }

  private static func problem(of failure: Failure) -> Problem {
    switch failure {
    case .notConnected: Problem(.unavailable, retryAfter: 1)
    case .lost, .invalid: Problem(.upstreamFailed)
    case .timedOut: Problem(.upstreamTimeout)
    case .overloaded: Problem(.overloaded, retryAfter: 1)
    case .late: Problem(.unavailable, detail: "The response takes too long.")
    }
  }

  private func release(isReusable: Bool) {
    let last = upstream
    upstream = nil
    last?.end(isReusable: isReusable)
  }

  private func end(_ action: () -> Void) {
    if isOneOfMany, let instance { request.route.instances.ended(instance, isHealthy: nil) }
    isOneOfMany = false
    place = nil
    phase = .over
    action()
  }

  /// Answers without the service.
  private func answer(_ problem: Problem) {
    let (fields, body) = problem.document(trace: request.trace)
    var head = connection.allocator.buffer(capacity: 1024 + body.count)
    AnswerFields.statusLine(problem.status, to: &head)
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
    AnswerFields.end(&head, date: start.date.value, closes: closes)
    head.writeBytes(body)
    note(problem.status)
    connection.answerBegins()
    connection.write(head)
    connection.flush()
    end { connection.answered(closes: closes) }
  }

  /// Measures and logs the answer.
  private func note(_ status: Int) {
    let seconds = ByteLoop.now() - begunAt
    let route = request.route
    route.metrics.record(status: status, seconds: seconds)
    start.records.write(
      .info, method: request.method.rawValue, route: route.metrics.route, status: status, seconds: seconds,
      requestID: request.id, traceID: request.trace.traceID)
  }
}
