import AuthService
import Contracts
import CurlClient
import Foundation
import HTTPTypes
import TestKit

@testable import GatewayService

/// A platform with the gateway and auth behind a trusted proxy, which names the addresses of the callers.
struct EdgeClient: Sendable {
  let test: TestPlatform
  let web: TestPlatform.Web

  /// - Parameter settings: Additional settings. All addresses of this machine are trusted proxies.
  static func run(
    _ settings: [String: String] = [:], time: ManualTime? = ManualTime(), _ body: (EdgeClient) async throws -> Void
  ) async throws {
    let all = ["http.trustedProxies": "127.0.0.0/8, ::1"].merging(settings) { $1 }
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], settings: all, time: time) { test, web in
      try await body(EdgeClient(test: test, web: web))
    }
  }

  /// A request as the proxy passes it on.
  func send(
    _ method: HTTPRequest.Method = .get, _ target: String = Self.read, from address: String, token: String? = nil,
    headers: HTTPFields = [:], body: String? = nil
  ) async throws -> ClientResponse {
    var headers = headers
    headers[Self.name("X-Forwarded-For")] = address
    if let token { headers[.authorization] = "Bearer \(token)" }
    if body != nil { headers[.contentType] = "application/json" }
    return try await web.http.send(
      ClientRequest(
        method, origin: web.url, target: target, headers: headers, body: body.map { .bytes(Array($0.utf8)) } ?? .none))
  }

  func statuses(_ count: Int, from address: String, token: String? = nil) async throws -> [Int] {
    var statuses: [Int] = []
    for _ in 0..<count { statuses.append(try await send(from: address, token: token).status) }
    return statuses
  }

  /// A new account, made without a connection, so that no address pays for it.
  func user(_ name: String) async throws -> String { try await test.client.signUp(name).accessToken }

  func guest() async throws -> String { try await test.guest().accessToken }

  /// A path that everyone may read.
  static let read = "/v1/fitness-levels"

  static func name(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .accept }
}

extension ClientResponse {
  var problem: Problem {
    get async throws { try WireJSON.decode(Problem.self, from: await body.collect(upTo: 10_000)) }
  }

  /// The first class of the limit that the response reports, such as `read`.
  var limitClass: String? {
    headers[EdgeClient.name("RateLimit-Policy")]?.split(separator: "\"").first.map { String($0) }
  }
}
