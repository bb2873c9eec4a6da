import Contracts
import NIOHTTP1
import TestKit
import Testing

@testable import HTTPServing
@testable import Persistence
@testable import ServiceKit

/// Pure state machines, tested with tables of inputs and outputs.
struct StateMachineTests {
  // MARK: request heads

  private func violation(_ uri: String = "/", _ version: HTTPVersion = .http1_1, _ headers: [(String, String)])
    -> String?
  {
    RequestHeadRules.violation(
      in: HTTPRequestHead(version: version, method: .GET, uri: uri, headers: HTTPHeaders(headers))
    )
  }

  @Test(arguments: [
    "localhost", "example.com:8080", "127.0.0.1", "[::1]", "[::1]:80", "a_b.example", "xn--bcher-kva.example", "a \t",
  ])
  func acceptsHosts(host: String) { #expect(violation("/", .http1_1, [("Host", host)]) == nil) }

  @Test(arguments: [
    "", " ", "a b", "user@host", "host/path", "host:port", "host:123456", "a,b", "[::1", "[]", "http://x", "é", "a\tb",
  ])
  func refusesHosts(host: String) { #expect(violation("/", .http1_1, [("Host", host)]) == "Host is not valid") }

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
    #expect(violation("/", version, headers) == expected)
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
    #expect(violation(target, .http1_1, [("Host", "a")]) == expected)
  }

  /// The parser would take its body for a tunnel.
  @Test(arguments: ["/", "example.com:443"])
  func refusesTunnels(target: String) {
    let headers: HTTPHeaders = ["Host": "a", "Content-Length": "3"]
    let head = HTTPRequestHead(version: .http1_1, method: .CONNECT, uri: target, headers: headers)
    #expect(RequestHeadRules.violation(in: head) == "CONNECT is not supported")
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

  /// A connection is idle when the last response has been read, not when it has been written.
  @Test func aReaderOfACompleteResponseIsNotIdle() {
    var clock = ConnectionClock(limits: ConnectionLimits(), now: 0)
    clock.headComplete(at: 0)
    clock.requestComplete(at: 0)
    clock.answerBegins()
    clock.writability(false, at: 0)
    clock.answerComplete(at: 0)
    for second in stride(from: 10.0, through: 200, by: 10) {
      #expect(!clock.isOverdue(at: second))
      clock.progressed(at: second)
    }
    #expect(clock.isOverdue(at: 215.1))
    clock.writability(true, at: 210)
    #expect(!clock.isOverdue(at: 270))
    #expect(clock.isOverdue(at: 270.1))
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
