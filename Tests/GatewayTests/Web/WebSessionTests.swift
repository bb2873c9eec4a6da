import AuthService
import Contracts
import CurlClient
import Foundation
import HTTPTypes
import ServiceKit
import TestKit
import Testing
import WebClient

@testable import GatewayService

/// The session of browsers at the gateway.
@Suite(.serialized)
struct WebSessionTests {
  private static let secrets = ["accessToken", "refreshToken", "deviceSecret", "tokenType", "expiresIn", "eyJ"]

  private func run(
    _ settings: [String: String] = [:], time: ManualTime? = nil,
    _ body: (TestPlatform, TestPlatform.Web) async throws -> Void
  ) async throws {
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], settings: settings, time: time, body)
  }

  // MARK: signing in and out

  @Test func pagesSignInWithoutSeeingATokenOrChoosingAnApp() async throws {
    try await run { _, web async throws in
      let browser = Browser("archived", web)
      #expect(try await browser.send(.get, "/session").text == #"{"isSignedIn":false}"#)
      let body = #"{"email":"ada@example.com","username":"ada","password":"\#(Browser.password)","app":"web"}"#
      let signedUp = try await browser.send(.post, "/v1/auth/signup", body)
      #expect(signedUp.status == 201)
      #expect(try signedUp.json["user"]?["username"] == "ada")
      for secret in Self.secrets { #expect(!signedUp.text.contains(secret), "\(secret)") }
      let cookies = signedUp.headers[values: .setCookie]
      #expect(Set(cookies.map { $0.prefix { $0 != "=" } }) == ["__Host-archived", "__Host-device"])
      for cookie in cookies {
        #expect(cookie.hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=34560000"))
        #expect(!cookie.contains("eyJ"))
      }
      let session = try await browser.send(.get, "/session")
      #expect(try session.json["isSignedIn"] == true)
      #expect(try session.json["user"]?["username"] == "ada")
      #expect(session.headers[.cacheControl] == "no-store")
      #expect(session.headers[.contentSecurityPolicy] != nil)
      // The token has the scopes of the app, whatever the page asked for.
      let sessions = try await browser.send(.get, "/v1/auth/sessions")
      #expect(try sessions.json["items"]?.elements.compactMap { $0["app"]?.string } == ["archived"])
      #expect(try sessions.json["items"]?.elements.map { $0["id"] } == [try signedUp.json["session"]])
      // A response that may be kept is kept for this session only.
      let levels = try await browser.send(.get, "/v1/fitness-levels")
      #expect(levels.headers[.cacheControl]?.contains("private") == true)
      #expect(levels.headers[values: .vary].contains("Cookie"))
    }
  }

  /// Staff prove their second factor there.
  @Test func theAccountDoesNotLeadToTheBackOffice() async throws {
    try await run { _, web async throws in
      let browser = Browser("account", web)
      try await browser.signUp("ada")
      let sessions = try await browser.send(.get, "/v1/auth/sessions")
      #expect(try sessions.json["items"]?.elements.compactMap { $0["app"]?.string } == ["account"])
      #expect(!WebApp.account.clientApp.scopes.contains(.administration))
    }
  }

  @Test func signingOutEndsTheSessionEverywhere() async throws {
    try await run { _, web async throws in
      let browser = Browser("keepfit", web)
      try await browser.signUp("ada")
      let stolen = Browser("keepfit", web, cookies: browser.cookies)
      #expect(try await stolen.user() == "ada")
      let signedOut = try await browser.send(.delete, "/session")
      #expect(signedOut.status == 204)
      #expect(signedOut.removed == ["__Host-keepfit"])
      #expect(browser.cookies.keys.sorted() == ["__Host-device"])
      #expect(try await browser.send(.delete, "/session").status == 204)
      try await eventually("the stolen cookie is of no use") {
        try await stolen.send(.get, "/v1/users/me").code == "session-revoked"
      }
      #expect(stolen.cookies["__Host-keepfit"] == nil)
      // A sign-out elsewhere signs out here.
      #expect(try await browser.logIn("ada").status == 200)
      let other = Browser("roomi", web)
      #expect(try await other.logIn("ada").status == 200)
      #expect(try await other.send(.post, "/v1/auth/logout?scope=others").status == 204)
      #expect(try await other.user() == "ada")
      try await eventually("the other app is signed out") {
        try await browser.send(.get, "/session").text == #"{"isSignedIn":false}"#
      }
      #expect(browser.cookies["__Host-keepfit"] == nil)
      #expect(try await other.send(.post, "/v1/auth/logout").removed == ["__Host-roomi"])
    }
  }

  @Test func wrongPasswordsLeaveTheSessionAlone() async throws {
    try await run { _, web async throws in
      let browser = Browser("account", web)
      try await browser.signUp("ada")
      let wrong = try await browser.send(.post, "/v1/auth/proof", #"{"password":"wrong"}"#)
      #expect(wrong.status == 401)
      #expect(wrong.removed.isEmpty)
      let proved = try await browser.send(.post, "/v1/auth/proof", #"{"password":"\#(Browser.password)"}"#)
      #expect(proved.status == 200)
      #expect(try proved.json.members.map(\.name) == ["provedAt"])
      #expect(proved.headers[values: .setCookie].count == 1)
      #expect(try await browser.user() == "ada")
    }
  }

  @Test func aGuestKeepsWhatItHasWithoutKnowingItsTokens() async throws {
    try await run { _, web async throws in
      let browser = Browser("yesenia", web)
      let guest = try await browser.send(.post, "/v1/auth/guest", "{}")
      #expect(guest.status == 201)
      let id = try guest.json["user"]?["id"]
      let body = #"{"username":"ada","password":"\#(Browser.password)"}"#
      let upgraded = try await browser.send(.post, "/v1/auth/upgrade", body)
      #expect(upgraded.status == 200)
      #expect(try upgraded.json["user"]?["id"] == id)
      for secret in Self.secrets { #expect(!upgraded.text.contains(secret), "\(secret)") }
      // A guest who signs in instead gives its cart away, which needs both of its tokens.
      let other = Browser("yesenia", web)
      #expect(try await other.send(.post, "/v1/auth/guest", "{}").status == 201)
      #expect(try await other.logIn("ada").status == 200)
      #expect(try await other.user() == "ada")
    }
  }

  @Test func theTokenIsTakenAnewOnRequest() async throws {
    let time = ManualTime()
    try await run(time: time) { _, web async throws in
      let browser = Browser("admin", web)
      try await browser.signUp("ada")
      let before = browser.cookies
      time.advance(seconds: 5)
      let renewed = try await browser.send(.post, "/session")
      #expect(renewed.status == 200)
      #expect(try renewed.json["user"]?["username"] == "ada")
      #expect(browser.cookies["__Host-admin"] != before["__Host-admin"])
      #expect(try await browser.send(.put, "/session").status == 405)
      for hidden in ["/v1/auth/refresh", "/v1/auth/token"] {
        #expect(try await browser.send(.post, hidden, "{}").status == 404, "\(hidden)")
      }
    }
  }

  // MARK: attacks

  @Test func whatOtherSitesMakeBrowsersSendIsRefused() async throws {
    try await run { _, web async throws in
      let browser = Browser("letustudy", web)
      try await browser.signUp("ada")
      let rows: [(HTTPRequest.Method, [String: String?])] = [
        (.get, ["Sec-Fetch-Site": "cross-site"]), (.get, ["Sec-Fetch-Site": "same-site"]),
        (.get, ["Sec-Fetch-Site": "none"]), (.get, ["Sec-Fetch-Site": nil]),
        (.post, ["Sec-Fetch-Site": "cross-site"]), (.post, ["Quintet-App": nil]),
        (.post, ["Quintet-App": "archived"]), (.post, ["Quintet-App": ""]),
        (.post, ["Sec-Fetch-Site": "cross-site", "Quintet-App": nil, "Content-Type": "text/plain"]),
        (.delete, ["Quintet-App": nil]),
      ]
      for (method, headers) in rows {
        for path in ["/session", "/v1/users/me", "/v1/auth/logout", "/v1/auth/login"] {
          let answer = try await browser.send(method, path, method == .post ? "{}" : nil, headers: headers)
          #expect(answer.status == 403, "\(method) \(path) \(headers)")
          #expect(answer.code == "forbidden")
          #expect(answer.headers[values: .setCookie].isEmpty)
        }
      }
      #expect(try await browser.user() == "ada")
      // Neither is a preflight answered that would allow it.
      let preflight = try await browser.send(
        .options, "/v1/users/me",
        headers: [
          "Origin": "https://evil.example", "Access-Control-Request-Method": "POST", "Sec-Fetch-Site": "cross-site",
        ])
      #expect(preflight.headers[.accessControlAllowOrigin] == nil)
    }
  }

  @Test func cookiesThatAreNotOursAreNoSession() async throws {
    try await run { _, web async throws in
      let browser = Browser("archived", web)
      try await browser.signUp("ada")
      let good = try #require(browser.cookies["__Host-archived"])
      let bytes = good.split(separator: ".")
      let flipped = good.dropLast(4) + (good.hasSuffix("AAAA") ? "BBBB" : "AAAA")
      for bad in [
        "", "x", String(good.dropLast()), String(flipped), "\(bytes[0]).\(bytes[1]).", "eyJhbGciOiJub25lIn0.e30.",
      ] {
        let thief = Browser("archived", web, cookies: ["__Host-archived": bad])
        #expect(try await thief.send(.get, "/v1/users/me").code == "token-missing", "\(bad)")
        let other = Browser("archived", web, cookies: ["__Host-archived": bad])
        let session = try await other.send(.get, "/session")
        #expect(session.text == #"{"isSignedIn":false}"#)
        #expect(session.removed == ["__Host-archived"])
      }
      // Each app has a session of its own, also if a page sets the cookie of another.
      for name in ["keepfit", "admin"] {
        let other = Browser(name, web, cookies: ["__Host-\(name)": good])
        #expect(try await other.user() == nil)
        #expect(try await Browser(name, web, cookies: browser.cookies).user() == nil)
      }
      // A token of a page is no token.
      let token = try await Browser("archived", web).send(
        .get, "/v1/users/me", headers: ["Authorization": "Bearer \(good)"])
      #expect(token.code == "token-missing")
      // Nor is the cookie one for the API itself.
      #expect(try await browser.send(.get, "/v1/users/me", headers: [:]).status == 200)
      let direct = try await web.http.send(
        ClientRequest(origin: web.url, target: "/v1/users/me", headers: [.cookie: "__Host-archived=\(good)"]))
      #expect(direct.status == 401)
    }
  }

  /// Another host of the site can set cookies for all of its hosts, but none that begin with `__Host-`.
  @Test func noOtherHostOfTheSiteSignsABrowserIn() async throws {
    try await run { _, web async throws in
      let attacker = Browser("admin", web)
      try await attacker.signUp("mallory")
      let own = try #require(attacker.cookies["__Host-admin"])
      let browser = Browser("admin", web)
      try await browser.signUp("ada")
      let mine = try #require(browser.cookies["__Host-admin"])
      func user(_ cookies: String) async throws -> String? {
        let answer = try await Browser("admin", web).send(.get, "/session", headers: ["Cookie": cookies])
        #expect(answer.removed.isEmpty, "\(cookies)")
        return try answer.json["user"]?["username"]?.string
      }
      // The Greek question mark looks like a semicolon, and Unicode says that it is one.
      #expect(try await user("x=a\u{37E} __Host-admin=\(own)") == nil)
      #expect(try await user("x=a\u{37E} __Host-admin=\(own); __Host-admin=\(mine)") == "ada")
      #expect(try await user("__Host-admin=\(own); __Host-admin=\(mine)") == nil)
      #expect(try await user("a=b;__Host-admin=\(mine); c") == "ada")
    }
  }

  @Test func pathsAreThoseOfTheAPI() async throws {
    try await run { _, web async throws in
      let browser = Browser("archived", web)
      try await browser.signUp("ada")
      for path in [
        "/web/archived/livez", "/web/archived/internal/v1/revoked-sessions", "/web/archived/", "/web/archived",
        "/web/none/v1/users/me", "/web/ARCHIVED/session", "/web/web/session", "/web/archived/v1/../internal/v1/x",
        "/web/archived/v1/auth%2Flogout", "/web/archived//v1/users/me", "/web/", "/web/archived/docs",
      ] {
        #expect(try await browser.send(.get, path).status == 404, "\(path)")
      }
      #expect(try await browser.send(.get, "/v1/users?query=ada").status == 200)
      let head = try await browser.send(.head, "/v1/users/me")
      #expect(head.status == 200)
      #expect(head.text.isEmpty)
      #expect(try await browser.send(.post, "/v1/auth/login", "[]").status == 400)
      #expect(try await browser.send(.post, "/v1/auth/login", String(repeating: " ", count: 70_000)).status == 413)
    }
  }

  // MARK: refreshing

  @Test func manyRequestsAtOnceRefreshOnce() async throws {
    let time = ManualTime()
    try await run(time: time) { _, web async throws in
      let browser = Browser("keepfit", web)
      try await browser.signUp("ada")
      let cookies = browser.cookies
      for _ in 0..<3 {
        time.advance(seconds: 900)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
          for _ in 0..<20 { group.addTask { try await browser.send(.get, "/v1/users/me").status } }
          return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(statuses == [200])
      }
      // No answer can be lost, because none changes the cookie.
      #expect(browser.cookies == cookies)
      let response = try await web.http.send(ClientRequest(origin: web.privateURL, target: "/metrics"))
      let metrics = String(decoding: try await response.body.collect(upTo: 10 << 20), as: UTF8.self)
      let line = try #require(
        metrics.split(separator: "\n").first {
          $0.hasPrefix("http_server_request_duration_seconds_count") && $0.contains("/internal/v1/sessions/renew")
        })
      #expect(line.hasSuffix(" 3"), "\(line)")
    }
  }

  @Test func takingTheTokenAnewIsLimited() async throws {
    let time = ManualTime()
    try await run(time: time) { _, web async throws in
      let browser = Browser("keepfit", web)
      try await browser.signUp("ada")
      var statuses: [Int] = []
      for _ in 0..<25 { statuses.append(try await browser.send(.post, "/session").status) }
      #expect(statuses == Array(repeating: 200, count: 20) + Array(repeating: 429, count: 5))
      // The session is not affected.
      #expect(try await browser.user() == "ada")
      time.advance(seconds: 60)
      #expect(try await browser.send(.post, "/session").status == 200)
    }
  }

  @Test func aSessionEndsWhenAuthSaysSo() async throws {
    let time = ManualTime()
    try await run(["auth.sessionIdleDays": "1h"], time: time) { _, web async throws in
      let browser = Browser("keepfit", web)
      try await browser.signUp("ada")
      // Use keeps it alive.
      for _ in 0..<4 {
        time.advance(seconds: 1800)
        #expect(try await browser.user() == "ada")
      }
      time.advance(seconds: 7200)
      let ended = try await browser.send(.get, "/v1/users/me")
      #expect(ended.status == 401)
      #expect(ended.code == "session-revoked")
      #expect(ended.removed == ["__Host-keepfit"])
      // Without it, what everyone may read is there again, and signing in works.
      #expect(try await browser.send(.get, "/v1/fitness-levels").status == 200)
      #expect(try await browser.logIn("ada").status == 200)
    }
  }

  /// Two gateways on one database: neither knows of the other's tokens.
  @Test func severalGatewaysNeedNotAgreeOnWhoRefreshes() async throws {
    let time = ManualTime()
    let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self]
    try await TestPlatform.runTwo(plugins, time: time) { one, two in
      let gateways = [one, two]
      func send(
        _ gateway: Int, _ method: Contracts.Operation.Method, _ path: String, _ body: String?, _ cookie: String?
      )
        async throws -> WireResponse
      {
        let fields =
          [("sec-fetch-site", "same-origin"), ("quintet-app", "keepfit")] + (cookie.map { [("cookie", $0)] } ?? [])
        return try await gateways[gateway].send(
          method, "/web/keepfit\(path)", body, headers: fields.map { (name: $0.0, value: $0.1) })
      }
      let body = #"{"email":"ada@example.com","username":"ada","password":"\#(Browser.password)"}"#
      let signedUp = try await send(0, .post, "/v1/auth/signup", body, nil)
      let cookie = try #require(
        signedUp.headers.first { $0.name == "set-cookie" && $0.value.hasPrefix("__Host-keepfit") }?.value.prefix {
          $0 != ";"
        })
      for _ in 0..<3 {
        for gateway in [1, 0, 1] {
          #expect(try await send(gateway, .get, "/v1/users/me", nil, String(cookie)).status == 200)
        }
        time.advance(seconds: 1000)
      }
    }
  }

  @Test func cookiesSurviveNewKeys() async throws {
    try await run { test, web async throws in
      let browser = Browser("roomi", web)
      try await browser.signUp("ada")
      let before = browser.cookies["__Host-roomi"]
      #expect(try await browser.send(.get, "/v1/users/me").headers[values: .setCookie].isEmpty)
      _ = try await test.platform.rotateDataKeys()
      // The page's next look at its session does it, so that no late answer undoes a sign-in.
      #expect(try await browser.send(.get, "/v1/users/me").headers[values: .setCookie].isEmpty)
      #expect(browser.cookies["__Host-roomi"] == before)
      #expect(try await browser.user() == "ada")
      #expect(browser.cookies["__Host-roomi"] != before)
      #expect(try await browser.send(.get, "/v1/users/me").headers[values: .setCookie].isEmpty)
    }
  }
}
