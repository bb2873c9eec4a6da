import Foundation
import RedisClient
import TestKit
import Testing

/// Redis by TLS, against a real server that speaks nothing else.
@Suite(.serialized)
struct RedisTLSTests {
  @Test func commandsGoByTLS() async throws {
    try await TemporaryFolder.run { folder async throws in
      try await withSecureRedis(in: folder) { url, authority async throws in
        let client = RedisClient(
          try #require(RedisAddress("\(url)?cacert=\(authority.certificate)")), timeout: Waiting.limit)
        let value = String(repeating: "x", count: 1 << 20)
        #expect(try await client.send(["SET", "picture", value]) == .bytes(Array("OK".utf8)))
        #expect(try await client.send(["GET", "picture"]).text == value)
        await client.close()
      }
    }
  }

  @Test("Redis with a certificate of another authority, or of another name, gets no command")
  func strangersAreRefused() async throws {
    try await TemporaryFolder.run { folder async throws in
      let stranger = try await Certificates.make(in: folder, name: "stranger")
      try await withSecureRedis(in: folder) { url, authority async throws in
        let other = url.replacing("127.0.0.1", with: "127.0.0.2")
        for address in ["\(url)?cacert=\(stranger.certificate)", url, "\(other)?cacert=\(authority.certificate)"] {
          let client = RedisClient(try #require(RedisAddress(address)), timeout: Waiting.limit)
          await #expect(throws: RedisFailure.self, "\(address)") {
            _ = try await client.send(["SET", "secret", "x"])
          }
          await client.close()
        }
        let client = RedisClient(
          try #require(RedisAddress("\(url)?cacert=\(authority.certificate)")), timeout: Waiting.limit)
        #expect(try await client.send(["GET", "secret"]) == .null)
        await client.close()
      }
    }
  }

  /// Commands that wait end with the connection, also before the handshake.
  @Test func aServerThatClosesAtOnceIsAFailure() async throws {
    let server = try ScriptedServer { _ in }
    defer { server.stop() }
    let address = try #require(RedisAddress(server.origin.replacing("http", with: "rediss")))
    for _ in 0..<50 {
      let client = RedisClient(address, timeout: Waiting.limit)
      await #expect(throws: RedisFailure.self) { _ = try await client.send(["PING"]) }
      await client.close()
    }
  }

  @Test func addressesAreReadStrictly() {
    let address = RedisAddress("rediss://:hush@redis.example:6380?cacert=/ca.pem")
    #expect(address?.tls?.authorities == "/ca.pem")
    #expect(address?.port == 6380)
    #expect(address?.password == "hush")
    #expect(RedisAddress("redis://redis.example")?.tls == nil)
    for text in [
      "redis://host?cacert=/ca.pem", "rediss://host?cert=/a.pem", "rediss://host?verify=no", "https://host",
      "rediss://",
    ] {
      #expect(RedisAddress(text) == nil, "\(text)")
    }
  }
}
