import AuthService
import Contracts
import CurlClient
import Foundation
import HTTPTypes
import ServiceKit
import TestKit
import Testing

@testable import GatewayService

/// HTTPS for all traffic, also behind a proxy that ends TLS, and what may be kept of responses.
@Suite(.serialized)
struct HTTPSTests {
  private static let forwardedProto = EdgeClient.name("X-Forwarded-Proto")
  private static let location = EdgeClient.name("Location")

  private func send(
    _ edge: EdgeClient, _ method: HTTPRequest.Method = .get, _ target: String = EdgeClient.read, proto: String?,
    token: String? = nil, body: String? = nil
  ) async throws -> ClientResponse {
    var headers: HTTPFields = [:]
    if let proto { headers[Self.forwardedProto] = proto }
    return try await edge.send(method, target, from: "192.0.2.1", token: token, headers: headers, body: body)
  }

  // MARK: plain HTTP

  @Test func readsByPlainHTTPGoToHTTPS() async throws {
    let settings = ["gateway.plainHttp": "redirect", "gateway.publicUrl": "https://api.example.com"]
    try await EdgeClient.run(settings) { edge async throws in
      let redirected = try await send(edge, .get, "/v1/listings?query=a%20b", proto: "http")
      #expect(redirected.status == 308)
      #expect(redirected.headers[Self.location] == "https://api.example.com/v1/listings?query=a%20b")
      #expect(redirected.headers[.strictTransportSecurity] == nil)
      // A proxy that says nothing has not used HTTPS.
      #expect(try await send(edge, proto: nil).status == 308)
      #expect(try await send(edge, .head, proto: "http").status == 308)
      // A request with secrets is not redirected: it has been sent in the clear already, and its sender must notice.
      let login = try await send(edge, .post, "/v1/auth/login", proto: "http", body: #"{"login":"a","password":"b"}"#)
      #expect(login.status == 403)
      #expect(try await login.problem.is(.httpsRequired))
      #expect(try await send(edge, proto: "http", token: edge.user("ada")).status == 403)
      #expect(try await send(edge, proto: "https").status == 200)
      // For the machine's own checks.
      #expect(try await send(edge, .get, "/livez", proto: nil).status == 200)
      #expect(try await send(edge, .get, "/readyz", proto: nil).status == 200)
    }
  }

  @Test func plainHTTPCanBeRefused() async throws {
    try await EdgeClient.run(["gateway.plainHttp": "refuse"]) { edge async throws in
      let refused = try await send(edge, proto: "http")
      #expect(refused.status == 403)
      #expect(try await refused.problem.is(.httpsRequired))
      #expect(try await send(edge, proto: "https").status == 200)
    }
    // Whoever is no trusted proxy cannot claim to have used HTTPS.
    try await EdgeClient.run(["gateway.plainHttp": "refuse", "http.trustedProxies": "10.0.0.0/8"]) {
      edge async throws in
      #expect(try await send(edge, proto: "https").status == 403)
    }
  }

  /// With a certificate of its own, the gateway has a second port, which serves nothing.
  @Test func theSecondPortOnlyRedirects() async throws {
    try await TemporaryFolder.run { folder in
      let pair = try await Certificates.make(in: folder, name: "own")
      let answers = "\(folder)/answers"
      try FileManager.default.createDirectory(atPath: answers, withIntermediateDirectories: true)
      try "token-1.thumbprint".write(toFile: "\(answers)/token-1", atomically: true, encoding: .utf8)
      let settings = [
        "tls.certificate": pair.certificate, "tls.key": pair.key, "http.redirectPort": "0",
        "gateway.acmeFolder": answers,
      ]
      try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], settings: settings) { _, web in
        let plain = try #require(web.redirectURL)
        func get(_ target: String, _ headers: HTTPFields = [:]) async throws -> ClientResponse {
          try await web.http.send(ClientRequest(origin: plain, target: target, headers: headers))
        }
        let redirected = try await get("/docs?a=1")
        #expect(redirected.status == 308)
        #expect(redirected.headers[Self.location] == "https://127.0.0.1/docs?a=1")
        #expect(try await get("/v1/users/me", [.authorization: "Bearer x"]).status == 403)
        let challenge = try await get("/.well-known/acme-challenge/token-1")
        #expect(challenge.status == 200)
        #expect(try await challenge.body.collect(upTo: 1000) == Array("token-1.thumbprint".utf8))
        let served = try await Command.run(
          ["curl", "-sS", "--cacert", pair.certificate, "-o", "/dev/null", "-w", "%{http_code}", "\(web.url)/docs"])
        #expect(served == "200")
      }
    }
  }

  @Test func aRedirectNeedsAPlaceToGoTo() async throws {
    await #expect(throws: SettingError.self) {
      try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], settings: ["http.redirectPort": "0"]) {
        _, _ in
      }
    }
  }

  // MARK: ACME

  @Test func challengesAreAnsweredFromTheirFolderOnly() async throws {
    try await TemporaryFolder.run { folder in
      let answers = "\(folder)/answers"
      try FileManager.default.createDirectory(atPath: "\(answers)/folder", withIntermediateDirectories: true)
      try "secret".write(toFile: "\(folder)/secret", atomically: true, encoding: .utf8)
      try "good".write(toFile: "\(answers)/Abc-123_x", atomically: true, encoding: .utf8)
      try String(repeating: "x", count: 5000).write(toFile: "\(answers)/large", atomically: true, encoding: .utf8)
      try FileManager.default.createSymbolicLink(
        atPath: "\(answers)/link", withDestinationPath: "\(folder)/secret")
      #expect(mkfifo("\(answers)/pipe", 0o600) == 0)
      let settings = ["gateway.acmeFolder": answers, "gateway.plainHttp": "refuse"]
      try await EdgeClient.run(settings) { edge async throws in
        let good = try await send(edge, .get, "/.well-known/acme-challenge/Abc-123_x", proto: nil)
        #expect(good.status == 200)
        #expect(try await good.body.collect(upTo: 100) == Array("good".utf8))
        #expect(good.headers[.cacheControl] == "no-store")
        for token in [
          "..%2Fsecret", "%2e%2e%2fsecret", "..", "link", "pipe", "folder", "large", "missing", "Abc-123_x%00",
          "Abc-123_x/", "%41bc-123_x/../../secret",
        ] {
          let refused = try await send(edge, .get, "/.well-known/acme-challenge/\(token)", proto: nil)
          #expect(refused.status == 404, "\(token)")
        }
      }
    }
    try await EdgeClient.run { edge async throws in
      #expect(try await send(edge, .get, "/.well-known/acme-challenge/Abc", proto: "https").status == 404)
    }
  }

  // MARK: headers

  @Test func clientsRememberHTTPSAlsoBehindAProxy() async throws {
    try await EdgeClient.run { edge async throws in
      let secure = try await send(edge, proto: "https")
      #expect(secure.headers[.strictTransportSecurity] == "max-age=31536000; includeSubDomains")
      #expect(try await send(edge, proto: "http").headers[.strictTransportSecurity] == nil)
    }
    try await EdgeClient.run(["http.trustedProxies": "10.0.0.0/8"]) { edge async throws in
      #expect(try await send(edge, proto: "https").headers[.strictTransportSecurity] == nil)
    }
  }

  /// No cache keeps tokens, nor anything that does not say that it may be kept.
  @Test func answersOfAuthAreKeptNowhere() async throws {
    try await EdgeClient.run { edge async throws in
      let form = #"{"email":"ada@example.com","username":"ada","displayName":"Ada","password":"correct horse ada"}"#
      for (target, body, status) in [
        ("/v1/auth/signup", form, 201), ("/v1/auth/guest", "{}", 201),
        ("/v1/auth/login", #"{"login":"ada","password":"correct horse ada"}"#, 200),
        ("/v1/auth/login", #"{"login":"ada","password":"wrong horse ada"}"#, 401), ("/v1/auth/login", "{", 400),
      ] {
        let response = try await send(edge, .post, target, proto: "https", body: body)
        #expect(response.status == status, "\(target)")
        #expect(response.headers[.cacheControl] == "no-store", "\(target)")
      }
      let unknown = try await send(edge, .get, "/v1/nothing", proto: "https")
      #expect(unknown.headers[.cacheControl] == "no-store")
      let me = try await send(edge, .get, "/v1/users/me", proto: "https", token: edge.user("bob"))
      #expect(me.headers[.cacheControl] == "no-store")
      #expect(try await send(edge, proto: "https").headers[.cacheControl] == "public, no-cache")
    }
  }
}
