import AuthService
import Contracts
import CurlClient
import Foundation
import HTTPServing
import HTTPTypes
import ServiceKit
import TestKit
import Testing

@testable import GatewayService

/// Streamed transfers pass the session of browsers as they do the API.
@Suite(.serialized)
struct WebTransferTests {
  private static let text = StoredContent(
    mediaType: "text/plain", length: 5000, tag: EntityTag(version: nil, digest: "text"), caching: .caller(),
    source: .bytes(Array(repeating: UInt8(ascii: "x"), count: 5000)))

  @Test func filesAreSentInRanges() async throws {
    let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self, FilesPlugin.self]
    try await TestPlatform.listen(plugins) { test, web in
      try test.plugin(FilesPlugin.self).contents.set(["text": Self.text])
      let browser = Browser("archived", web)
      #expect(try await browser.send(.get, "/v1/own-files/text").code == "token-missing")
      try await browser.signUp("ada")
      // As an element of a page asks for it.
      let part = try await browser.send(
        .get, "/v1/own-files/text", headers: ["Range": "bytes=4000-", "Sec-Fetch-Dest": "video"])
      #expect(part.status == 206)
      #expect(part.headers[.contentRange] == "bytes 4000-4999/5000")
      #expect(part.text.utf8.count == 1000)
      #expect(part.headers[.contentSecurityPolicy]?.hasSuffix("; sandbox") == true)
      let known = try await browser.send(.get, "/v1/own-files/text", headers: ["If-None-Match": "\"text\""])
      #expect(known.status == 304)
    }
  }

  /// A cache that others share must keep neither what a session has seen nor a cookie.
  @Test func sharedCachesKeepNothing() async throws {
    let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self]
    try await TestPlatform.listen(plugins) { _, web in
      let direct = try await web.http.send(ClientRequest(origin: web.url, target: "/v1/fitness-levels"))
      let browser = Browser("archived", web, cookies: ["__Host-archived": "forged"])
      let first = try await browser.send(.get, "/v1/fitness-levels")
      #expect(first.removed == ["__Host-archived"])
      #expect(first.headers[.cacheControl] == "no-store")
      let second = try await browser.send(.get, "/v1/fitness-levels")
      #expect(second.headers[.cacheControl] == direct.headers[.cacheControl]?.replacing("public", with: "private"))
    }
  }

  @Test func eventsArriveInTheStreamOfAPage() async throws {
    try await TestPlatform.rooms { test, web in
      let browser = Browser("roomi", web)
      try await browser.signUp("ada")
      let cookies = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
      var headers: HTTPFields = [.cookie: cookies, .accept: "text/event-stream"]
      headers[.secFetchSite] = "same-origin"
      let response = try await web.http.send(
        ClientRequest(
          origin: web.url, target: "/web/roomi/v1/events", headers: headers, delivery: .streaming,
          timeouts: .init(firstByte: Waiting.limit, total: nil)))
      #expect(response.status == 200)
      #expect(response.headers[.contentType] == "text/event-stream")
      guard case .stream(let body) = response.body else { throw TestKitError("no stream") }
      let stream = OpenedStream(body, lastSeen: nil)
      #expect(try await stream.topics().topics.isEmpty)
      // The settings of the user change in another tab.
      let settings = """
        {"notifications":true,"darkMode":true,"sound":true,"accessibility":false,"reverseColor":false,"voiceOver":false,\
        "brightness":80,"role":"student"}
        """
      #expect(try await browser.send(.put, "/v1/users/me/settings", settings).status == 200)
      #expect(try await stream.next().name == "settings.changed")
    }
  }

  /// Uploads are followed to where the service says they are.
  @Test func newThingsAreBelowThePrefix() async throws {
    let locations = [
      "http://HOST/v1/uploads/1": "/web/keepfit/v1/uploads/1", "/v1/uploads/1": "/web/keepfit/v1/uploads/1",
      "https://bank.example/v1/pay": "https://bank.example/v1/pay", "/docs": "/docs",
    ]
    for (location, expected) in locations {
      var service = try ServiceDescription(of: AuthAPI.self)
      for index in service.operations.indices { service.operations[index].seconds = Waiting.limit }
      let described = String(
        decoding: try WireJSON.encode(DescriptionAPI.Answer(version: "1", description: service)), as: UTF8.self)
      let server = try ScriptedServer { connection in
        while true {
          let head = connection.readHead()
          if head.isEmpty { return }
          if head.contains("/events/subscriptions/") {
            let length = head.firstMatch(of: /(?i)content-length: (\d+)/).flatMap { Int($0.1) }
            connection.readBody(length ?? 0)
            connection.answer("{}")
          } else if head.contains(DescriptionAPI.Describe.operation.path.description) {
            connection.answer(described)
          } else if head.contains("/internal/") {
            connection.answer(#"{"items":[],"next":"2026-01-01T00:00:00.000Z"}"#)
          } else {
            let host = head.firstMatch(of: /(?i)x-forwarded-host: ([^\r]*)/).map { String($0.1) } ?? ""
            let answer = location.replacing("HOST", with: host)
            connection.answer(head, headers: "Location: \(answer)\r\nSet-Cookie: __Host-keepfit=mine; Path=/\r\n")
          }
        }
      }
      defer { server.stop() }
      try await TestPlatform.listen([GatewayPlugin.self], settings: ["services.auth.url": server.origin]) { _, web in
        try await web.client.waitForServices()
        let answer = try await Browser("keepfit", web).send(.get, "/v1/fitness-levels")
        #expect(answer.headers[.location] == expected)
        // No service sets a cookie, and none gets one.
        #expect(answer.headers[values: .setCookie].isEmpty)
        let other = Browser("keepfit", web, cookies: ["__Host-keepfit": "forged", "other": "1"])
        let seen = try await other.send(.get, "/v1/fitness-levels").text.lowercased()
        for own in ["cookie", "quintet-app", "__host-", "forged"] { #expect(!seen.contains(own), "\(own)") }
      }
    }
  }
}
