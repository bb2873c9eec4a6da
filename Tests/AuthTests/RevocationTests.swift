import Contracts
import CurlClient
import GatewayService
import JWTKit
import Persistence
import Synchronization
import TestKit
import Testing

@testable import AuthService
@testable import ServiceKit

/// Ended sessions stay ended: after a restart, over many pages, and while auth is away.
@Suite(.serialized)
struct RevocationTests {
  private struct Away: Error {}

  @Test(arguments: TestDatabase.allCases)
  func sessionsThatEndAtOneMomentAreAllRead(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let ended: [SessionID] = (0..<2500).map { _ in host.ids.make() }
      try await host.database.write { tx in
        for id in ended {
          try tx.execute("INSERT INTO revoked_sessions (id, revoked_at) VALUES (\(id), \(tx.now))")
        }
      }
      let auth = host.platform.client(of: AuthAPI.self, as: "gateway")
      let feed = RevocationFeed(time: host.time.source) { try await auth.send($0) }
      try await feed.read()
      #expect(ended.filter { !feed.contains($0) }.isEmpty)
      // The next read begins where this one ended and misses nothing.
      let late: SessionID = host.ids.make()
      try await host.database.write { tx in
        try tx.execute("INSERT INTO revoked_sessions (id, revoked_at) VALUES (\(late), \(tx.now))")
      }
      try await feed.read()
      #expect(feed.contains(late))
      let refused = try await problem {
        _ = try await auth.send(AuthAPI.ListRevokedSessions(since: host.time.source.now(), cursor: "nonsense"))
      }
      #expect(refused?.errors?.map(\.location) == ["query.cursor"])
    }
  }

  /// The transaction that ended a session was held up for longer than its successors.
  @Test func aSessionWhoseEndIsCommittedLateIsRead() async throws {
    try await TestPlatform.auth { host async throws in
      let auth = host.platform.client(of: AuthAPI.self, as: "gateway")
      let feed = RevocationFeed(time: host.time.source) { try await auth.send($0) }
      let begun = host.time.source.now()
      let late: SessionID = host.ids.make()
      host.time.advance(seconds: 70)
      try await feed.read()
      try await host.database.write { tx in
        try tx.execute("INSERT INTO revoked_sessions (id, revoked_at) VALUES (\(late), \(begun))")
      }
      try await feed.read()
      host.time.advance(seconds: 15)
      try await feed.read()
      #expect(!feed.contains(late))
      host.time.advance(seconds: 15)
      try await feed.read()
      #expect(feed.contains(late))
    }
  }

  /// The attack: a session has ended, and the service that is asked has just been restarted.
  @Test func noTokenIsAcceptedBeforeTheFirstCompleteRead() async throws {
    let time = ManualTime()
    let keys = try await SigningKeys(pem: ES256PrivateKey().pemRepresentation)
    let session: SessionID = IDGenerator().make()
    let isAway = Mutex(true)
    let feed = RevocationFeed(time: time.source) { request in
      if isAway.withLock({ $0 }) { throw Away() }
      guard request.cursor == nil else {
        let ended = RevokedSession(id: session, revokedAt: time.source.now())
        return RevokedSessions(items: [ended], next: time.source.now())
      }
      return RevokedSessions(items: [], next: time.source.now(), cursor: "second page")
    }
    let verifier = TokenVerifier(time: time.source, revocations: feed) { keys.publicKeys }
    let now = time.source.now().unixSeconds
    let token = try await keys.sign(
      AccessClaims(
        iss: Issuer.name, sub: IDGenerator().text(), aud: "web", sid: session.rawValue, scope: "account",
        roles: ["user"], iat: now, exp: now + 900, jti: "1"))
    func code() async -> String {
      do {
        _ = try await verifier.verify(token[...])
        return "accepted"
      } catch { return (error as? Problem)?.code ?? "\(error)" }
    }
    #expect(await code() == "unavailable")
    isAway.withLock { $0 = false }
    #expect(await code() == "session-revoked")
    isAway.withLock { $0 = true }
    #expect(await code() == "session-revoked")
  }

  @Test func aServiceThatStartsWithoutAuthSaysWhyItIsNotReady() async throws {
    let settings = ["services.auth.url": "http://127.0.0.1:1"]
    try await TestPlatform.listen([GatewayPlugin.self], settings: settings) { _, web in
      for origin in [web.url, web.privateURL] {
        let response = try await web.http.send(ClientRequest(origin: origin, target: "/readyz"))
        #expect(response.status == 503)
        let text = String(decoding: try await response.body.collect(upTo: 10_000), as: UTF8.self)
        #expect(text.contains("[+] database ok\n"))
        #expect(text.contains("[-] ended-sessions failed: auth has not answered since the start"))
      }
    }
  }

  /// Auth goes away while the gateway runs: users go on, administration stops.
  @Test func administrationIsRefusedWhenTheListIsStale() async throws {
    try await TemporaryFolder.run { folder in
      let auth = try await ServiceProcess("auth", settings: ["DATA": folder, "LOG_LEVEL": "error"])
      try await attempt {
        // Auth's clock runs on; the gateway's tokens are valid for a minute of it.
        let time = ManualTime(TimeSource.system.now())
        let settings = ["services.auth.url": auth.url]
        try await TestPlatform.listen([GatewayPlugin.self], settings: settings, time: time) { test, web in
          let keys = try await SigningKeys.load(Settings([:]), dataFolder: folder)
          let now = time.source.now().unixSeconds
          let claims = AccessClaims(
            iss: Issuer.name, sub: test.ids.text(), aud: "web", sid: test.ids.text(), scope: "account administration",
            roles: ["administrator"], iat: now, exp: now + 3600, jti: "1")
          let staff = web.client.with(accessToken: try await keys.sign(claims))
          func codes() async throws -> [String?] {
            let topics = GatewayAPI.FollowTopics(stream: test.ids.make(), topics: [])
            return [
              try await problem { _ = try await staff.send(GatewayAPI.ListCrashReports()) }?.code,
              try await problem { _ = try await staff.send(topics) }?.code,
            ]
          }
          try await eventually("the gateway knows the ended sessions") {
            time.advance(seconds: TimeSource.system.now().seconds(since: time.source.now()))
            return try await codes() == [nil, "stream-not-found"]
          }
          await auth.kill()
          #expect(try await codes() == [nil, "stream-not-found"])
          time.advance(seconds: 62)
          #expect(try await codes() == ["sessions-unconfirmed", "stream-not-found"])
          let ready = try await web.http.send(ClientRequest(origin: web.url, target: "/readyz"))
          #expect(ready.status == 200)
          let text = String(decoding: try await ready.body.collect(upTo: 10_000), as: UTF8.self)
          let hasWarning = text.contains(
            /\[!\] ended-sessions: auth has not answered for \d+ seconds: administration is refused/)
          #expect(hasWarning)
        }
      } finally: {
        await auth.terminate()
      }
    }
  }
}
