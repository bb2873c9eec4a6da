import AuthService
import Contracts
import CurlClient
import Foundation
import HTTPTypes
import ServiceKit
import TestKit
import Testing

@testable import GatewayService

/// What the edge does to every request and response: limits, CORS, headers, compression and TLS.
@Suite(.serialized)
struct EdgeTests {
  private func platform(
    _ settings: [String: String] = [:],
    _ body: @escaping @Sendable (_ url: String, _ client: CurlClient, _ folder: String) async throws -> Void
  ) async throws {
    try await TemporaryFolder.run { folder in
      let usual = ["port": "0", "metrics.port": "0", "log.level": "critical", "data": folder]
      let platform = try await ServiceHost.build(
        [GatewayPlugin.self, AuthPlugin.self],
        settings: Settings(usual.merging(settings) { $1 })
      )
      try await listening(platform) { url in
        let client = CurlClient()
        do { try await body(url, client, folder) } catch {
          await client.shutdown()
          throw error
        }
        await client.shutdown()
      }
    }
  }

  private static func name(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .accept }

  // MARK: rate limits

  @Test func callersWhoComeTooOftenAreToldWhenToComeBack() async throws {
    let settings = ["limits.read": "3/60", "limits.signIn": "5/60", "limits.write": "2/60"]
    try await platform(settings) { url, client, _ async throws in
      func get(_ token: String? = nil) async throws -> ClientResponse {
        var headers: HTTPFields = [:]
        if let token { headers[.authorization] = "Bearer \(token)" }
        return try await client.execute(ClientRequest(origin: url, target: "/v1/fitness-levels", headers: headers))
      }
      let answers = try await [get(), get(), get(), get()]
      #expect(answers.map(\.status) == [200, 200, 200, 429])
      #expect(answers[0].headers[Self.name("RateLimit-Policy")] == "\"read\";q=3;w=60")
      #expect(answers[0].headers[Self.name("RateLimit")] == "\"read\";r=2;t=20")
      let retryAfter = try #require(answers[3].headers[.retryAfter].flatMap { Int($0) })
      #expect((18...20).contains(retryAfter))
      let body = try await answers[3].body.collect(upTo: 10_000)
      #expect(try WireJSON.decode(Problem.self, from: body).is(.tooManyRequests))
      // A user has separate limits, independent of the address; so does signing in.
      let api = APIClient(transport: CurlTransport(client: client, origin: url))
      let guest = try await api.send(AuthAPI.SignInAsGuest())
      #expect(try await get(guest.accessToken).status == 200)
      let other = try await api.send(AuthAPI.SignInAsGuest())
      #expect(try await get(other.accessToken).headers[Self.name("RateLimit")] == "\"read\";r=2;t=20")
      #expect(try await get().status == 429)
    }
  }

  @Test func redisDecidesAsAProcessDoes() async throws {
    try await withRedis { url in
      let client = RedisClient(try #require(RedisAddress(url)))
      let (shared, local) = (RedisBuckets(client), LocalBuckets())
      let limit = try #require(RateLimit("7/300"))
      var generator = SeededGenerator()
      var now = Timestamp.example
      for _ in 0..<200 {
        now = now.advanced(bySeconds: .random(in: 0...80, using: &generator))
        let verdict = try await shared.take("ada", limit, at: now)
        #expect(verdict == local.take("ada", limit, at: now), "\(generator)")
      }
      await client.close()
    }
  }

  @Test func gatewaysShareTheirLimitsThroughRedis() async throws {
    try await withRedis { redis in
      let settings = ["limits.read": "4/60", "redis.url": redis]
      try await platform(settings) { first, client, _ async throws in
        try await platform(settings) { second, _, _ async throws in
          var statuses: [Int] = []
          for index in 0..<6 {
            let url = index.isMultiple(of: 2) ? first : second
            statuses.append(
              try await client.execute(ClientRequest(origin: url, target: "/v1/fitness-levels")).status
            )
          }
          #expect(statuses == [200, 200, 200, 200, 429, 429])
        }
      }
    }
    // A Redis that accepts connections and never replies does not delay requests.
    let hung = try ScriptedServer { connection in connection.waitForClose() }
    defer { hung.stop() }
    let address = hung.origin.replacing("http:", with: "redis:")
    try await platform(["limits.read": "100/60", "redis.url": address]) { url, client, _ async throws in
      let start = ContinuousClock.now
      for _ in 0..<30 {
        #expect(try await client.execute(ClientRequest(origin: url, target: "/v1/fitness-levels")).status == 200)
      }
      #expect(ContinuousClock.now - start < .seconds(3))
    }
    // Without Redis each gateway enforces its limits locally.
    try await platform(["limits.read": "1/60", "redis.url": "redis://127.0.0.1:1"]) { url, client, _ async throws in
      let statuses = try await [0, 1].asyncMap { _ in
        try await client.execute(ClientRequest(origin: url, target: "/v1/fitness-levels")).status
      }
      #expect(statuses == [200, 429])
    }
  }

  // MARK: browsers

  @Test func webPagesOfKnownOriginsMayCall() async throws {
    try await platform(["cors.origins": "https://app.example.com"]) { url, client, _ async throws in
      func preflight(_ origin: String) async throws -> HTTPFields {
        let response = try await client.execute(
          ClientRequest(
            .options,
            origin: url,
            target: "/v1/users/me",
            headers: [.origin: origin, .accessControlRequestMethod: "PATCH"]
          )
        )
        #expect(response.status == 204)
        return response.headers
      }
      let allowed = try await preflight("https://app.example.com")
      #expect(allowed[.accessControlAllowOrigin] == "https://app.example.com")
      #expect(allowed[.accessControlAllowMethods]?.contains("PATCH") == true)
      #expect(allowed[.accessControlAllowHeaders]?.contains("Authorization") == true)
      #expect(allowed[.vary]?.contains("Origin") == true)
      let refused = try await preflight("https://evil.example.com")
      #expect(refused[.accessControlAllowOrigin] == nil)
      #expect(refused[.accessControlAllowMethods] == nil)
      // Error responses carry the CORS headers too.
      let missing = try await client.execute(
        ClientRequest(origin: url, target: "/v1/nothing", headers: [.origin: "https://app.example.com"])
      )
      #expect(missing.status == 404)
      #expect(missing.headers[.accessControlAllowOrigin] == "https://app.example.com")
    }
  }

  @Test func everyAnswerCarriesTheSecurityHeaders() async throws {
    try await platform { url, client, _ async throws in
      for (target, caching) in [
        ("/v1/fitness-levels", "public, no-cache"), ("/v1/nothing", "no-store"), ("/v1/users/me", "no-store"),
      ] {
        let headers = try await client.execute(
          ClientRequest(origin: url, target: target, headers: [.authorization: "Bearer x"])
        ).headers
        #expect(headers[.xContentTypeOptions] == "nosniff")
        #expect(headers[.contentSecurityPolicy] == "default-src 'none'; frame-ancestors 'none'")
        #expect(headers[Self.name("X-Frame-Options")] == "DENY")
        #expect(headers[.cacheControl] == caching)
        #expect(headers[.strictTransportSecurity] == nil)
      }
    }
  }

  @Test func largeAnswersAreCompressed() async throws {
    try await platform { url, client, _ async throws in
      let plain = try await client.execute(ClientRequest(origin: url, target: "/openapi.json"))
      let text = try await plain.body.collect(upTo: 10 << 20)
      #expect(plain.headers[.contentEncoding] == nil)
      #expect(plain.headers[.vary]?.contains("Accept-Encoding") == true)
      let raw = try await client.execute(
        ClientRequest(origin: url, target: "/openapi.json", headers: [.acceptEncoding: "gzip"])
      )
      let packed = try await raw.body.collect(upTo: 10 << 20)
      #expect(raw.headers[.contentEncoding] == "gzip")
      #expect(packed.count < text.count / 5)
      let unpacked = try await client.execute(
        ClientRequest(origin: url, target: "/openapi.json", responseLimit: 10 << 20, decompresses: true)
      )
      #expect(try await unpacked.body.collect(upTo: 10 << 20) == text)
      let small = try await client.execute(
        ClientRequest(origin: url, target: "/v1/fitness-levels", headers: [.acceptEncoding: "gzip"])
      )
      #expect(small.headers[.contentEncoding] == nil)
    }
    for (header, accepts) in [
      ("gzip", true), ("br, gzip;q=0.5", true), ("*", true), ("gzip;q=0", false), ("gzip;q=0.0, *", false),
      ("br", false),
      ("", false), ("identity;q=1, *;q=0", false),
    ] {
      #expect(Compression.accepts([header]) == accepts, "\(header)")
    }
  }

  // MARK: TLS

  @Test func speaksTLSAndHTTP2AndTakesRenewedCertificates() async throws {
    try await TemporaryFolder.run { folder in
      let old = try await Certificates.make(in: folder, name: "old")
      let new = try await Certificates.make(in: folder, name: "new")
      let both = "\(folder)/both.pem"
      try
        (String(contentsOfFile: old.certificate, encoding: .utf8)
        + String(contentsOfFile: new.certificate, encoding: .utf8))
        .write(toFile: both, atomically: true, encoding: .utf8)
      let (certificate, key) = ("\(folder)/live.pem", "\(folder)/live.key")
      try FileManager.default.copyItem(atPath: old.certificate, toPath: certificate)
      try FileManager.default.copyItem(atPath: old.key, toPath: key)
      let settings = ["tls.certificate": certificate, "tls.key": key, "tls.reloadSeconds": "0.1"]
      try await platform(settings) { url, _, _ async throws in
        #expect(url.hasPrefix("https://"))
        func curl(_ arguments: String...) async throws -> String {
          try await Command.run(["curl", "-sS", "--cacert", both] + arguments)
        }
        let format = "%{http_version} %{http_code}"
        #expect(try await curl("-o", "/dev/null", "-w", format, "\(url)/v1/fitness-levels") == "2 200")
        #expect(try await curl("-o", "/dev/null", "-w", format, "--http1.1", "\(url)/v1/fitness-levels") == "1.1 200")
        let headers = try await curl("-D", "-", "-o", "/dev/null", "\(url)/v1/fitness-levels")
        #expect(headers.lowercased().contains("strict-transport-security: max-age=31536000"))
        // End to end: a request with a body of unknown length creates an account.
        let form = #"{"email":"ada@example.com","username":"ada","displayName":"A","password":"correct horse"}"#
        let made = try await curl(
          "-X",
          "POST",
          "-H",
          "Content-Type: application/json",
          "-d",
          form,
          "\(url)/v1/auth/signup"
        )
        #expect(made.contains("\"accessToken\""))
        let malformed = try await curl(
          "-o",
          "/dev/null",
          "-w",
          format,
          "-H",
          "Content-Type: application/json",
          "-d",
          "{",
          "\(url)/v1/auth/login"
        )
        #expect(malformed == "2 400")
        #expect(await refuses(["--cacert", both, "--tls-max", "1.1", url]))
        #expect(await refuses([url]))
        #expect(await refuses(["--cacert", new.certificate, url]))
        // The certificate is replaced before the key; until both match, the old pair stays in use.
        try Self.replace(certificate, with: new.certificate)
        try await Task.sleep(for: .seconds(0.3))
        #expect(try await curl("-o", "/dev/null", "-w", "%{http_code}", "\(url)/livez") == "200")
        try Self.replace(key, with: new.key)
        try await eventually("the new certificate is served") {
          await !refuses(["--cacert", new.certificate, "\(url)/livez"])
        }
        #expect(await refuses(["--cacert", old.certificate, "\(url)/livez"]))
      }
    }
  }

  private static func replace(_ path: String, with other: String) throws {
    try String(contentsOfFile: other, encoding: .utf8).write(toFile: path, atomically: true, encoding: .utf8)
  }

  private func refuses(_ arguments: [String]) async -> Bool {
    (try? await Command.run(["curl", "-sS", "-o", "/dev/null"] + arguments)) == nil
  }

  // MARK: crash reports

  @Test func appsTellOfTheirCrashes() async throws {
    try await platform { url, client, folder async throws in
      let api = APIClient(transport: CurlTransport(client: client, origin: url))
      func report(_ text: String) async throws -> CrashReport {
        try await api.send(
          GatewayAPI.ReportCrash(
            app: .keepfit, version: ShortText(validating: "1.2.3"), device: ShortText(validating: "iPhone14,2"),
            text: CrashText(validating: text))
        )
      }
      let first = try await report("Fatal error: 1")
      let second = try await report("Fatal error: 2")
      let list = GatewayAPI.ListCrashReports(app: .keepfit, limit: PageSize(checked: 1))
      await #expect(throws: CallError.self) { try await api.send(list) }
      try await Command.run(
        [
          ServiceProcess.executable("quintet").path, "accounts", "create", "--email", "s@example.com", "--username",
          "support", "--role", "support", "--password-from-input", "--data", folder,
        ],
        input: "support password\n"
      )
      let session = try await api.send(AuthAPI.LogIn(login: "support", password: "support password"))
      let support = api.with(accessToken: session.accessToken)
      let page = try await support.send(list)
      #expect(page.items == [second])
      var next = list
      next.cursor = page.nextCursor
      #expect(try await support.send(next).items == [first])
      #expect(try await support.send(GatewayAPI.ListCrashReports(app: .roomi)).items.isEmpty)
      let large = try await client.execute(
        ClientRequest(
          .post,
          origin: url,
          target: "/v1/crash-reports",
          headers: [.contentType: "application/json"],
          body: .bytes(Array(repeating: 32, count: 70_000))
        )
      )
      #expect(large.status == 413)
    }
  }
}

extension Sequence {
  func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await body(element)) }
    return values
  }
}
