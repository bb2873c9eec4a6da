import AuthService
import Contracts
import CurlClient
import Foundation
import HTTPTypes
import ServiceKit
import TestKit
import Testing

@testable import GatewayService
import RedisClient

/// The edge's processing of every request and response: limits, CORS, headers, compression and TLS.
@Suite(.serialized)
struct EdgeTests {
  private func platform(
    _ settings: [String: String] = [:],
    time: ManualTime? = nil,
    _ body: (_ url: String, _ client: CurlClient, _ folder: String) async throws -> Void
  ) async throws {
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], settings: settings, time: time) { test, web in
      try await body(web.url, web.http, test.folder)
    }
  }

  private static func name(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .accept }

  // MARK: rate limits

  @Test func callersOverTheLimitGetRetryAfter() async throws {
    let settings = ["limits.read": "3/60", "limits.signIn": "5/60", "limits.write": "2/60"]
    let time = ManualTime()
    try await platform(settings, time: time) { url, client, _ async throws in
      func get(_ token: String? = nil) async throws -> ClientResponse {
        var headers: HTTPFields = [:]
        if let token { headers[.authorization] = "Bearer \(token)" }
        return try await client.send(ClientRequest(origin: url, target: "/v1/fitness-levels", headers: headers))
      }
      let answers = try await [get(), get(), get(), get()]
      #expect(answers.map(\.status) == [200, 200, 200, 429])
      #expect(answers[0].headers[Self.name("RateLimit-Policy")] == "\"read\";q=3;w=60")
      #expect(answers[0].headers[Self.name("RateLimit")] == "\"read\";r=2;t=20")
      #expect(answers[3].headers[.retryAfter] == "20")
      let body = try await answers[3].body.collect(upTo: 10_000)
      #expect(try WireJSON.decode(Problem.self, from: body).is(.tooManyRequests))
      // A user has separate limits; so does signing in.
      let api = APIClient(transport: CurlTransport(client: client, origin: url))
      let ada = try await api.signUp("ada")
      #expect(try await get(ada.accessToken).status == 200)
      let bob = try await api.signUp("bob")
      #expect(try await get(bob.accessToken).headers[Self.name("RateLimit")] == "\"read\";r=2;t=20")
      #expect(try await get().status == 429)
      time.advance(seconds: 20)
      #expect(try await get().status == 200)
    }
  }

  @Test func searchesHaveALimitOfTheirOwn() async throws {
    try await platform(["limits.search": "2/60"], time: ManualTime()) { url, client, _ async throws in
      func get(_ query: String) async throws -> ClientResponse {
        try await client.send(ClientRequest(origin: url, target: "/v1/fitness-levels\(query)"))
      }
      // However the name is written.
      let answers = try await [get("?query=a"), get("?limit=1&%71uery=b"), get("?query=c")]
      #expect(answers.last?.status == 429)
      #expect(answers[0].headers[Self.name("RateLimit-Policy")] == "\"search\";q=2;w=60")
      #expect(answers[1].headers[Self.name("RateLimit")]?.hasPrefix("\"search\";r=0;") == true)
      let read = try await get("")
      #expect(read.status == 200)
      #expect(read.headers[Self.name("RateLimit-Policy")]?.hasPrefix("\"read\"") == true)
    }
  }

  @Test func redisDecidesAsAProcessDoes() async throws {
    try await withRedis { url in
      let client = RedisClient(try #require(RedisAddress(url)), timeout: Waiting.limit)
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

  /// Many commands are on their way at once, and Redis, which forgets scripts when it restarts, gets the text again.
  @Test func scriptsAreKnownByTheirDigest() async throws {
    try await withRedis { url in
      let client = RedisClient(try #require(RedisAddress(url)), timeout: Waiting.limit)
      let buckets = RedisBuckets(client)
      let limit = try #require(RateLimit("100/3600"))
      _ = try await buckets.take("first", limit, at: .example)
      let all = try await concurrently(0..<500) { number in
        try await buckets.take("key \(number % 5)", limit, at: .example).isAllowed
      }
      #expect(all.allSatisfy { $0 })
      #expect(try await !buckets.take("key 0", limit, at: .example).isAllowed)
      _ = try await client.send(["SCRIPT", "FLUSH"])
      #expect(try await !buckets.take("key 1", limit, at: .example).isAllowed)
      #expect(try await client.send(["INFO", "clients"]).text?.contains("connected_clients:1\r\n") == true)
      #expect(try await client.send(["INFO", "commandstats"]).text?.contains("cmdstat_eval:calls=2,") == true)
      await client.close()
    }
  }

  @Test func gatewaysShareTheirLimitsThroughRedis() async throws {
    try await withRedis { redis in
      let address = try #require(RedisAddress(redis))
      let limit = try #require(RateLimit("4/3600"))
      let clients = (0..<2).map { _ in RedisClient(address, timeout: Waiting.limit) }
      for (index, isAllowed) in [true, true, true, true, false, false].enumerated() {
        let verdict = try await RedisBuckets(clients[index % 2]).take("key", limit, at: .example)
        #expect(verdict.isAllowed == isAllowed, "request \(index)")
      }
      #expect(
        try await RedisBuckets(clients[0]).take("key", limit, at: Timestamp.example.advanced(bySeconds: 901)).isAllowed)
      for client in clients { await client.close() }
    }
  }

  @Test func theGatewaysLimitsAreInRedis() async throws {
    try await withRedis { redis in
      // The bucket is there for an hour, and the second request finds it.
      try await platform(["limits.read": "1/3600", "redis.url": redis]) { url, client, _ async throws in
        try await eventually("the bucket is in Redis") {
          _ = try await client.send(ClientRequest(origin: url, target: "/v1/fitness-levels"))
          let port = try #require(redis.split(separator: ":").last)
          return try await Command.run(["redis-cli", "-p", "\(port)", "--scan"]).contains("quintet:limit:read address")
        }
      }
    }
  }

  /// A Redis that accepts connections and never replies is waited for once, not once per request.
  @Test func aHungRedisDelaysNoRequests() async throws {
    let hung = try ScriptedServer { connection in connection.waitForClose() }
    defer { hung.stop() }
    let url = hung.origin.replacing("http:", with: "redis:")
    let client = RedisClient(try #require(RedisAddress(url)), timeout: 0.01, pause: 2 * Waiting.limit)
    for _ in 0..<30 {
      await #expect(throws: RedisFailure.self) { try await client.send(["PING"]) }
    }
    await client.close()
    #expect(hung.connections <= 1)
    // Requests are limited by the gateway itself then.
    try await platform(["limits.read": "100/60", "redis.url": url]) { url, client, _ async throws in
      #expect(try await client.send(ClientRequest(origin: url, target: "/v1/fitness-levels")).status == 200)
    }
  }

  /// The gateway stays ready without Redis, and says what is missing.
  @Test func readinessAndMetricsKnowRedis() async throws {
    func state(_ url: String) async throws -> (ready: String, isUp: String?) {
      try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], settings: ["redis.url": url]) { _, web in
        func get(_ origin: String, _ path: String) async throws -> String {
          let response = try await web.http.send(ClientRequest(origin: origin, target: path))
          #expect(response.status == 200)
          return String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
        }
        var isUp: String?
        try await eventually("Redis has been asked for") {
          let lines = try await get(web.privateURL, "/metrics").split(separator: "\n")
          isUp = lines.first { $0.hasPrefix("dependency_up{") }.map(String.init)
          return isUp != nil
        }
        return (try await get(web.url, "/readyz"), isUp)
      }
    }
    let without = try await state("redis://127.0.0.1:1")
    #expect(without.ready.contains("[!] redis: cannot be used\n"))
    #expect(without.isUp?.hasSuffix(" 0") == true)
    try await withRedis { redis in
      let with = try await state(redis)
      #expect(with.ready.contains("[+] redis ok\n"))
      #expect(with.isUp == #"dependency_up{service="gateway",dependency="redis"} 1"#)
    }
  }

  @Test func withoutRedisEachGatewayLimitsAlone() async throws {
    let settings = ["limits.read": "1/60", "redis.url": "redis://127.0.0.1:1"]
    try await platform(settings, time: ManualTime()) { url, client, _ async throws in
      let statuses = try await [0, 1].asyncMap { _ in
        try await client.send(ClientRequest(origin: url, target: "/v1/fitness-levels")).status
      }
      #expect(statuses == [200, 429])
    }
  }

  // MARK: browsers

  @Test func webPagesOfKnownOriginsMayCall() async throws {
    try await platform(["cors.origins": "https://app.example.com"]) { url, client, _ async throws in
      func preflight(_ origin: String) async throws -> HTTPFields {
        let response = try await client.send(
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
      let missing = try await client.send(
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
        let headers = try await client.send(
          ClientRequest(origin: url, target: target, headers: [.authorization: "Bearer x"])
        ).headers
        #expect(headers[.xContentTypeOptions] == "nosniff")
        #expect(headers[.contentSecurityPolicy] == "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
        #expect(headers[Self.name("X-Frame-Options")] == "DENY")
        #expect(headers[.cacheControl] == caching)
        #expect(headers[.strictTransportSecurity] == nil)
      }
    }
  }

  @Test func largeAnswersAreCompressed() async throws {
    try await platform { url, client, _ async throws in
      let plain = try await client.send(ClientRequest(origin: url, target: "/openapi.json"))
      let text = try await plain.body.collect(upTo: 10 << 20)
      #expect(plain.headers[.contentEncoding] == nil)
      #expect(plain.headers[.vary]?.contains("Accept-Encoding") == true)
      let raw = try await client.send(
        ClientRequest(origin: url, target: "/openapi.json", headers: [.acceptEncoding: "gzip"])
      )
      let packed = try await raw.body.collect(upTo: 10 << 20)
      #expect(raw.headers[.contentEncoding] == "gzip")
      #expect(packed.count < text.count / 5)
      let unpacked = try await client.send(
        ClientRequest(origin: url, target: "/openapi.json", responseLimit: 10 << 20, decompresses: true)
      )
      #expect(try await unpacked.body.collect(upTo: 10 << 20) == text)
      let small = try await client.send(
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
        #expect(headers.lowercased().contains("strict-transport-security: max-age=31536000; includesubdomains"))
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
        try Self.replace(certificate, with: new.certificate)
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
}

extension Sequence {
  func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await body(element)) }
    return values
  }
}
