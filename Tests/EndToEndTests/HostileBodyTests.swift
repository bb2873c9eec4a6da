import Contracts
import CurlClient
import Foundation
import HTTPTypes
import TestKit
import Testing

/// Hostile bodies and tokens cost processor time at most in proportion to their length.
struct HostileBodyTests {
  /// The processor time used by a process, in seconds (proc(5): `utime` and `stime` in ticks of 10 ms).
  private static func processorSeconds(of pid: Int32) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      throw TestKitError("cannot read the processor time of \(pid)")
    }
    return (user + system) / 100
  }

  /// The processor time that background work may have used since then, in seconds: a fifth of the time. It also runs
  /// while the requests wait on a busy machine.
  private static func inTheBackground(since begin: ContinuousClock.Instant) -> Double {
    0.2 * ((ContinuousClock.now - begin) / Duration.seconds(1))
  }

  private static let bodies: [String] = [
    String(repeating: "[", count: 2000) + String(repeating: "]", count: 2000),
    String(repeating: "[", count: 400), String(repeating: #"{"a":"#, count: 2000),
    "["
      + Array(repeating: String(repeating: "[", count: 62) + String(repeating: "]", count: 62), count: 120).joined(
        separator: ","
      ) + "]",
    "{" + (0..<1500).map { "\"name\($0)\":\($0)" }.joined(separator: ",") + "}",
    "{" + String(repeating: "\"a\":1,", count: 2500) + "\"a\":1}", String(repeating: "9", count: 16_000),
    "[" + String(repeating: "99999999999999999999,", count: 700) + "1]",
    "\"" + String(repeating: "\\u0041", count: 2600) + "\"",
  ]

  @Test(arguments: [
    "/v1/payments/webhooks/stripe", "/v1/payments/webhooks/storekit", "/v1/payments/webhooks/test", "/v1/auth/login",
    "/v1/auth/signup", "/v1/contact-messages", "/v1/crash-reports",
  ])
  func bodiesCostNoMoreThanTheirLength(path: String) async throws {
    try await withQuintet { quintet, curl async throws in
      // The first request also pays for one-time initialization.
      _ = try await Self.post(curl, quintet.url + path, "{}")
      let (begin, start) = (ContinuousClock.now, try Self.processorSeconds(of: quintet.pid))
      for body in Self.bodies {
        let status = try await Self.post(curl, quintet.url + path, body)
        #expect((400..<500).contains(status), "\(body.prefix(20))")
      }
      let used = try Self.processorSeconds(of: quintet.pid) - start - Self.inTheBackground(since: begin)
      #expect(used < 2, "\(used) s of processor time for \(Self.bodies.count) bodies of 16 KB")
    }
  }

  @Test func headersOfTokensCostNoMoreThanTheirLength() async throws {
    try await withQuintet { quintet, curl async throws in
      let keys = try await Self.get(curl, quintet.url + "/.well-known/jwks.json")
      let key = try #require(keys.text.firstMatch(of: /"kid":"([^"]+)"/)?.1)
      _ = try await Self.get(curl, quintet.url + "/v1/users/me")
      let (begin, start) = (ContinuousClock.now, try Self.processorSeconds(of: quintet.pid))
      for depth in [30, 60, 400, 1000] {
        let nest = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let header = #"{"alg":"ES256","typ":"at+jwt","kid":"\#(key)","x":\#(nest)}"#
        let parts = [header, "{}", String(repeating: "s", count: 64)].map { Data($0.utf8).base64URL }
        let answer = try await Self.get(curl, quintet.url + "/v1/users/me", token: parts.joined(separator: "."))
        #expect(answer.status == 401)
      }
      let used = try Self.processorSeconds(of: quintet.pid) - start - Self.inTheBackground(since: begin)
      #expect(used < 1, "\(used) s of processor time for four tokens")
    }
  }

  private func withQuintet(_ body: (ServiceProcess, CurlClient) async throws -> Void) async throws {
    try await TemporaryFolder.run { folder in
      try await ServiceProcess.running(
        "quintet", settings: ["DATA": folder, "LOG_LEVEL": "error", "PAYMENTS_TEST": "true"]
      ) { quintet in
        try await CurlClient.running { try await body(quintet, $0) }
      }
    }
  }

  private static func post(_ curl: CurlClient, _ url: String, _ body: String) async throws -> Int {
    let parts = try #require(url.firstMatch(of: /(http:\/\/[^\/]+)(\/.*)/))
    let request = ClientRequest(
      .post,
      origin: String(parts.1),
      target: String(parts.2),
      headers: [.contentType: "application/json"],
      body: .bytes(Array(body.utf8))
    )
    return try await curl.send(request).status
  }

  private static func get(_ curl: CurlClient, _ url: String, token: String? = nil) async throws -> (
    status: Int, text: String
  ) {
    let parts = try #require(url.firstMatch(of: /(http:\/\/[^\/]+)(\/.*)/))
    var request = ClientRequest(origin: String(parts.1), target: String(parts.2))
    if let token { request.headers[.authorization] = "Bearer \(token)" }
    let response = try await curl.send(request)
    return (response.status, String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self))
  }
}

extension Data {
  fileprivate var base64URL: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
