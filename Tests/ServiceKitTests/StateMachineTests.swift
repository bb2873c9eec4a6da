import Contracts
import NIOHTTP1
import TestKit
import Testing

@testable import Persistence
@testable import ServiceKit

/// Pure state machines, tested with tables of inputs and outputs.
struct StateMachineTests {
  // MARK: request heads

  private func complaint(_ uri: String = "/", _ version: HTTPVersion = .http1_1, _ headers: [(String, String)])
    -> String?
  {
    RequestHeadRules.complaint(
      about: HTTPRequestHead(version: version, method: .GET, uri: uri, headers: HTTPHeaders(headers))
    )
  }

  @Test(arguments: [
    "localhost", "example.com:8080", "127.0.0.1", "[::1]", "[::1]:80", "a_b.example", "xn--bcher-kva.example",
  ])
  func acceptsHosts(host: String) { #expect(complaint("/", .http1_1, [("Host", host)]) == nil) }

  @Test(arguments: [
    "", " ", "a b", "user@host", "host/path", "host:port", "host:123456", "a,b", "[::1", "[]", "http://x", "é", "a\tb",
  ])
  func refusesHosts(host: String) { #expect(complaint("/", .http1_1, [("Host", host)]) == "Host is not valid") }

  @Test(
    arguments: [
      (.http1_1, [], "Host is missing"), (.http1_0, [], nil),
      (.http1_1, [("Host", "a"), ("host", "a")], "Host must occur exactly once"),
      (HTTPVersion(major: 0, minor: 9), [], "the HTTP version must be 1.0 or 1.1"),
      (HTTPVersion(major: 2, minor: 0), [("Host", "a")], "the HTTP version must be 1.0 or 1.1"),
      (.http1_0, [("Transfer-Encoding", "chunked")], "Transfer-Encoding is not part of HTTP/1.0"),
      (
        .http1_1, [("Host", "a"), ("Transfer-Encoding", "")],
        "Transfer-Encoding must be chunked and occur at most once"
      ),
      (
        .http1_1, [("Host", "a"), ("Transfer-Encoding", "gzip, chunked")],
        "Transfer-Encoding must be chunked and occur at most once"
      ),
      (.http1_1, [("Host", "a"), ("Transfer-Encoding", "Chunked")], nil),
      (
        .http1_1, [("Host", "a"), ("Transfer-Encoding", "chunked"), ("Content-Length", "3")],
        "Transfer-Encoding and Content-Length are mutually exclusive"
      ),
      (
        .http1_1, [("Host", "a"), ("Content-Length", "3"), ("Content-Length", "3")],
        "Content-Length must occur at most once"
      ),
    ] as [(HTTPVersion, [(String, String)], String?)])
  func headsFollowTheStandard(version: HTTPVersion, headers: [(String, String)], expected: String?) {
    #expect(complaint("/", version, headers) == expected)
  }

  @Test(
    arguments: [
      ("x", "the request target must start with a single /"), ("*", "the request target must start with a single /"),
      ("//a/b", "the request target must start with a single /"),
      ("http://a/", "the request target must start with a single /"),
      ("/a b", "the request target has characters that must be percent-encoded"),
      ("/a#b", "the request target has characters that must be percent-encoded"),
      ("/é", "the request target has characters that must be percent-encoded"),
      ("/" + String(repeating: "a", count: 8192), "the request target is longer than 8192 bytes"),
    ])
  func refusesTargets(target: String, expected: String) {
    #expect(complaint(target, .http1_1, [("Host", "a")]) == expected)
  }

  /// The parser would take its body for a tunnel.
  @Test(arguments: ["/", "example.com:443"])
  func refusesTunnels(target: String) {
    let headers: HTTPHeaders = ["Host": "a", "Content-Length": "3"]
    let head = HTTPRequestHead(version: .http1_1, method: .CONNECT, uri: target, headers: headers)
    #expect(RequestHeadRules.complaint(about: head) == "CONNECT is not supported")
  }

  // MARK: connection deadlines

  @Test func everyPhaseHasADeadline() {
    var limits = ConnectionLimits()
    limits.headSeconds = 10
    limits.bodySeconds = 5
    limits.bodyBytesPerSecond = 100
    limits.idleSeconds = 60
    limits.writeSeconds = 15
    var clock = ConnectionClock(limits: limits, now: 0)
    #expect(!clock.isOverdue(at: 10))
    #expect(clock.isOverdue(at: 10.1))  // nothing was ever sent
    clock.headComplete(at: 1)
    #expect(!clock.isOverdue(at: 6))
    #expect(clock.isOverdue(at: 6.1))
    clock.received(bytes: 200, at: 5)  // extends the deadline by two seconds
    clock.asked(at: 100)  // the time the server takes does not count
    #expect(!clock.isOverdue(at: 102.9))
    #expect(clock.isOverdue(at: 103.1))
    clock.requestComplete(at: 110)
    #expect(!clock.isOverdue(at: 170))
    #expect(clock.isOverdue(at: 170.1))
    clock.answerBegins()
    #expect(!clock.isOverdue(at: 1000))
    clock.writability(false, at: 1000)
    #expect(clock.isOverdue(at: 1015.1))
    clock.writability(true, at: 1010)
    clock.answerComplete(at: 1020)
    #expect(!clock.isOverdue(at: 1080))
    #expect(clock.isOverdue(at: 1080.1))
    clock.received(bytes: 1, at: 1050)  // the first byte of the next head
    #expect(!clock.isOverdue(at: 1060))
    #expect(clock.isOverdue(at: 1060.1))
  }

  @Test func aReaderWhoMakesProgressIsNotStalled() {
    var clock = ConnectionClock(limits: ConnectionLimits(), now: 0)
    clock.headComplete(at: 0)
    clock.requestComplete(at: 0)
    clock.answerBegins()
    clock.progressed(at: 10)  // the connection takes more
    #expect(!clock.isOverdue(at: 1000))
    clock.writability(false, at: 1000)
    clock.progressed(at: 1010)
    #expect(!clock.isOverdue(at: 1025))
    #expect(clock.isOverdue(at: 1025.1))
  }

  @Test func aBodyMustNotStallHoweverMuchHasArrived() {
    var limits = ConnectionLimits()
    limits.stallSeconds = 30
    var clock = ConnectionClock(limits: limits, now: 0)
    clock.headComplete(at: 0)
    clock.received(bytes: 10_000_000, at: 1)
    clock.asked(at: 1)
    #expect(!clock.isOverdue(at: 31))
    #expect(clock.isOverdue(at: 31.1))
    clock.received(bytes: 1, at: 31)
    #expect(!clock.isOverdue(at: 1000))  // the server does not ask for more
    clock.asked(at: 1000)
    #expect(!clock.isOverdue(at: 1030))
    #expect(clock.isOverdue(at: 1030.1))
  }

  // MARK: relay

  private func delivery(_ id: String, attempts: Int = 0) -> Delivery {
    Delivery(
      subscriber: "x",
      url: "http://x",
      eventID: id,
      type: "t",
      subject: "s",
      data: "{}",
      traceparent: nil,
      recordedAt: Timestamp(microseconds: 0),
      attempts: attempts
    )
  }

  @Test func relayAlternatesAndForgetsNothing() {
    let now = Timestamp(microseconds: 0)
    var machine = RelayMachine(jitter: { 1 })
    #expect(machine.start() == .exchange([]))
    #expect(machine.exchanged([], nextDue: now) == .wait(until: now))
    #expect(machine.woken() == .exchange([]))
    let sent = delivery("1")
    #expect(machine.exchanged([sent], nextDue: nil) == .send([sent]))
    let settled = RelayMachine.Settled(delivery: sent, outcome: .delivered)
    #expect(machine.sent([(sent, .status(204, retryAfter: nil))], at: now) == .exchange([settled]))
    // The outbox is unavailable: the outcomes are written on the next exchange.
    #expect(machine.exchangeFailed(at: now) == .wait(until: now.advanced(bySeconds: 1)))
    #expect(machine.woken() == .exchange([settled]))
    #expect(machine.exchanged([], nextDue: nil) == .wait(until: nil))
    #expect(machine.woken() == .exchange([]))
  }

  @Test(arguments: [
    (200, "delivered"), (204, "delivered"), (410, "dead"), (400, "dead"), (422, "dead"), (404, "retry"), (429, "retry"),
    (500, "retry"), (503, "retry"), (401, "retry"),
  ])
  func relayJudgesAnswers(status: Int, expected: String) {
    let outcome = RelayMachine().outcome(
      of: .status(status, retryAfter: nil),
      to: delivery("1"),
      at: Timestamp(microseconds: 0)
    )
    switch outcome {
    case .delivered: #expect(expected == "delivered")
    case .retry: #expect(expected == "retry")
    case .dead: #expect(expected == "dead")
    }
  }

  @Test func relayBacksOffAndGivesUp() {
    let machine = RelayMachine(jitter: { 1 })
    let now = Timestamp(microseconds: 0)
    func delay(_ attempts: Int, _ answer: RelayMachine.Answer = .failed("x")) -> Double? {
      if case .retry(let time, _) = machine.outcome(of: answer, to: delivery("1", attempts: attempts), at: now) {
        time.seconds(since: now)
      } else {
        nil
      }
    }
    #expect([0, 1, 2, 3].map { delay($0) } == [0.2, 0.4, 0.8, 1.6])
    #expect(delay(30) == 300)
    #expect(delay(0, .status(503, retryAfter: 7)) == 7)
    #expect(delay(RelayMachine.attempts - 1) == nil)
  }

  // MARK: routes

  @Test func routesMatchLiteralsBeforeParameters() {
    let table = RouteTable<String>([
      ("GET", "/v1/users/me", "me"), ("GET", "/v1/users/{id}", "user"), ("PATCH", "/v1/users/me", "patch"),
      ("GET", "/v1/users/{id}/posts/{post}", "post"), ("GET", "/", "root"),
    ])
    func find(_ method: String, _ path: String) -> String {
      switch table.match(method: method, path: path[...]) {
      case .route(let route, let parameters):
        ([route] + parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
      case .methodNotAllowed(let methods): "405 " + methods.joined(separator: ",")
      case .notFound: "404"
      }
    }
    #expect(find("GET", "/v1/users/me") == "me")
    #expect(find("HEAD", "/v1/users/me") == "me")
    #expect(find("GET", "/v1/users/a%20b") == "user id=a b")
    #expect(find("GET", "/v1/users/1/posts/2") == "post id=1 post=2")
    #expect(find("GET", "/") == "root")
    #expect(find("DELETE", "/v1/users/me") == "405 GET,PATCH")
    for path in [
      "/v1/users", "/v1/users/", "/v1//users/me", "/v1/users/%2e%2e", "/v1/users/a%2fb", "/v1/users/%00",
      "/v1/users/%zz", "", "/v1/users/me/",
    ] {
      #expect(find("GET", path) == "404", "\(path)")
    }
  }

  @Test(arguments: [
    ("\"k1\"", "k1"), ("k1", "k1"), ("\"\"", nil), ("\"a b\"", nil), ("\"a", nil),
    (String(repeating: "x", count: 256), nil),
  ])
  func idempotencyKeys(header: String, key: String?) { #expect(IdempotencyKeyHeader.parse(header) == key) }

  @Test func dates() {
    #expect(HTTPDate.format(Timestamp(microseconds: 784_111_777_000_000)) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.format(Timestamp(microseconds: 0)) == "Thu, 01 Jan 1970 00:00:00 GMT")
  }
}
