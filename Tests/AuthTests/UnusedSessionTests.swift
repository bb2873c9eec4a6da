import Contracts
import Persistence
import Synchronization
import TestKit
import Testing

@testable import AuthService
@testable import ServiceKit

/// Sessions that are not used end; what counts is their use, not their refresh.
@Suite(.serialized)
struct UnusedSessionTests {
  /// Runs the work that a running platform does every few seconds.
  private static func settle(_ host: TestPlatform) async throws {
    try await host.platform.confirmSessions()
    try await host.auth.runOnce("sessions.unused")
    try await host.platform.confirmSessions()
  }

  private static func limit(_ minutes: Int, _ me: APIClient) async throws {
    var settings = UserSettings()
    settings.logOutAfterMinutes = InactivityMinutes(minutes)
    _ = try await me.send(AuthAPI.PutSettings(settings))
  }

  @Test(arguments: TestDatabase.allCases)
  func aSessionIsEndedAfterAMinuteWithoutUse(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let ada = try await host.signUp("ada")
      let me = host.client.with(accessToken: ada.accessToken)
      try await Self.limit(1, me)
      // Used every 50 seconds, and never refreshed.
      for _ in 0..<6 {
        host.time.advance(seconds: 50)
        #expect(try await me.send(AuthAPI.GetMe()).id == ada.user.id)
        try await Self.settle(host)
      }
      let used = try await me.send(AuthAPI.ListSessions()).items.map(\.lastUsedAt)
      #expect(used.map { host.time.source.now().seconds(since: $0) <= 60 } == [true])
      // Then left alone: the phone is in somebody else's hands.
      host.time.advance(seconds: 76)
      try await Self.settle(host)
      #expect(try await problem { _ = try await me.send(AuthAPI.GetMe()) }?.code == "session-revoked")
      #expect(try await problem { _ = try await host.refresh(ada.refreshToken) }?.code == "refresh-token-invalid")
      let found = try await AuditTrail(host.database).search(
        AuditFilter(object: "session:\(ada.session)"), limit: 10, cursor: nil)
      #expect(found.items.first?.changes == [AuditChange("reason", from: nil, to: "inactive")])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aSessionIsEndedAfterThirtyDaysWithoutUse(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let unused = try await host.signUp("ada")
      let used = try await host.logIn("ada")
      host.time.advance(seconds: 29 * 86_400)
      try await Self.settle(host)
      let next = try await host.refresh(used.refreshToken)
      host.time.advance(seconds: 86_400 + 16)
      try await Self.settle(host)
      let me = host.client.with(accessToken: try await host.refresh(next.refreshToken).accessToken)
      #expect(try await me.send(AuthAPI.ListSessions()).items.map(\.id) == [used.session])
      let ended = try await host.database.read { db in
        try db.values("SELECT id FROM revoked_sessions", as: SessionID.self)
      }
      #expect(ended == [unused.session])
    }
  }

  @Test func thePlatformsLimitMayBeAMinute() async throws {
    try await TestPlatform.auth(settings: ["auth.sessionIdleDays": "1m"]) { host async throws in
      let ada = try await host.signUp("ada")
      host.time.advance(seconds: 74)
      try await Self.settle(host)
      let next = try await host.refresh(ada.refreshToken)
      host.time.advance(seconds: 76)
      #expect(try await problem { _ = try await host.refresh(next.refreshToken) }?.code == "refresh-token-invalid")
    }
  }

  /// A shorter limit applies to the sessions that there are.
  @Test func aShorterLimitEndsSessionsThatAreUnusedByThen() async throws {
    try await TestPlatform.auth { host async throws in
      let lost = try await host.signUp("ada")
      host.time.advance(seconds: 600)
      let ada = try await host.logIn("ada")
      try await Self.limit(5, host.client.with(accessToken: ada.accessToken))
      try await Self.settle(host)
      #expect(try await problem { _ = try await host.refresh(lost.refreshToken) }?.code == "refresh-token-invalid")
      #expect(try await host.refresh(ada.refreshToken).session == ada.session)
    }
  }

  /// A service must not make sessions live on by a wrong clock, or those that have ended come back.
  @Test func reportsDoNotProlongWhatHasEnded() async throws {
    try await TestPlatform.auth { host async throws in
      let (ada, other) = (try await host.signUp("ada"), try await host.logIn("ada"))
      let me = host.client.with(accessToken: ada.accessToken)
      try await Self.limit(1, me)
      _ = try await me.send(AuthAPI.EndSession(id: other.session))
      let future = host.time.source.now().advanced(bySeconds: 86_400)
      let service = host.platform.client(of: AuthAPI.self, as: "gateway")
      _ = try await service.send(
        AuthAPI.ReportSessionUses(uses: [ada.session, other.session].map { SessionUse(session: $0, usedAt: future) }))
      #expect(try await problem { _ = try await host.refresh(other.refreshToken) }?.code == "refresh-token-invalid")
      host.time.advance(seconds: 90)
      #expect(try await problem { _ = try await host.refresh(ada.refreshToken) }?.code == "refresh-token-invalid")
      let many = (0...AuthAPI.ReportSessionUses.maxCount).map { _ in
        SessionUse(session: host.ids.make(), usedAt: future)
      }
      #expect(try await problem { _ = try await service.send(AuthAPI.ReportSessionUses(uses: many)) }?.status == 422)
      let outside = try await host.send(.put, "/internal/v1/session-uses", #"{"uses":[]}"#)
      #expect(outside.status == 404)
    }
  }

  // MARK: many sessions

  /// A limit may have been longer when they began.
  @Test(arguments: TestDatabase.allCases)
  func sessionsThatBeganUnderALongerLimitEndByTheShorterOne(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: ["auth.sessionIdleDays": "1m"], database: database) { host async throws in
      let (left, used) = (try await host.signUp("ada"), try await host.signUp("bob"))
      _ = try await host.database.write { tx in
        try tx.execute("UPDATE sessions SET ends_at = used_at + 2592000000000")
      }
      // A refresh applies the limit.
      _ = try await host.refresh(used.refreshToken)
      func seconds(_ session: SessionID) async throws -> Int64? {
        try await host.database.read { db in
          try db.value("SELECT (ends_at - used_at) / 1000000 FROM sessions WHERE id = \(session)")
        }
      }
      #expect(try await seconds(used.session) == 75)
      #expect(try await seconds(left.session) == 2_592_000)
      try await host.auth.runOnce("sessions.limits")
      #expect(try await seconds(left.session) == 75)
      host.time.advance(seconds: 76)
      try await Self.settle(host)
      let ended = try await host.database.read { db in
        try db.values("SELECT id FROM revoked_sessions ORDER BY id", as: SessionID.self)
      }
      #expect(ended == [left.session, used.session].sorted { $0.rawValue < $1.rawValue })
    }
  }

  /// A platform that stood still for months finds all sessions unused: no token of them is valid,
  /// so that no one needs to learn of each.
  @Test(arguments: TestDatabase.allCases)
  func sessionsThatWereForgottenLongAgoEndInSilence(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let old = try await [host.signUp("ada"), host.logIn("ada"), host.signUp("bob")]
      host.time.advance(seconds: 31 * 86_400)
      let new = try await host.logIn("ada")
      try await host.auth.runOnce("sessions.unused")
      #expect(try await host.recorded(SessionEnded.self, by: AuthAPI.self).isEmpty)
      let (live, revoked) = try await host.database.read { db in
        (
          try db.values("SELECT id FROM sessions WHERE revoked_at IS NULL", as: SessionID.self),
          try db.count("SELECT COUNT(*) FROM revoked_sessions")
        )
      }
      #expect(live == [new.session])
      #expect(revoked == 0)
      let audited = try await AuditTrail(host.database).search(
        AuditFilter(action: "session.ended"), limit: 10, cursor: nil)
      #expect(audited.items.isEmpty)
      for session in old {
        #expect(try await problem { _ = try await host.refresh(session.refreshToken) }?.code == "refresh-token-invalid")
      }
    }
  }

  /// A service that knows many ended sessions reads every second; it must not go through all of them each time.
  @Test func whatNoLongerMattersIsSoughtAtMostOnceAMinute() async throws {
    let time = ManualTime()
    let ids = IDGenerator()
    let old = time.source.now().advanced(bySeconds: -86_400)
    let pages = (0..<3).map { _ in
      (0..<1001).map { _ in RevokedSession(id: ids.make(), revokedAt: old) }
    }
    let counter = Mutex(0)
    let feed = RevocationFeed(time: time.source) { _ in
      let number = counter.withLock { counter in
        defer { counter += 1 }
        return counter
      }
      return RevokedSessions(items: pages[number], next: time.source.now())
    }
    func known() -> [Bool] { pages.map { page in page.contains { feed.contains($0.id) } } }
    try await feed.read()
    #expect(known() == [false, false, false])
    time.advance(seconds: 59)
    try await feed.read()
    #expect(known() == [false, true, false])
    time.advance(seconds: 1)
    try await feed.read()
    #expect(known() == [false, false, false])
  }

  // MARK: collecting

  @Test func usesAreReportedAtMostOnceAMinuteAndAgainAfterAFailure() async throws {
    struct Away: Error {}
    let time = ManualTime()
    let uses = SessionUses()
    let session: SessionID = IDGenerator().make()
    func report(_ send: ([SessionUse]) async throws -> Void = { _ in }) async throws -> [SessionUse] {
      var sent: [SessionUse] = []
      try await uses.report(at: time.source.now()) { batch in
        try await send(batch)
        sent += batch
      }
      return sent
    }
    uses.record(session, at: time.source.now())
    await #expect(throws: Away.self) { _ = try await report { _ in throw Away() } }
    #expect(try await report() == [SessionUse(session: session, usedAt: time.source.now())])
    time.advance(seconds: 59)
    uses.record(session, at: time.source.now())
    let last = time.source.now()
    #expect(try await report() == [])
    time.advance(seconds: 1)
    #expect(try await report() == [SessionUse(session: session, usedAt: last)])
    #expect(try await report() == [])
  }

  @Test func usesAreBounded() async throws {
    let uses = SessionUses()
    let ids = IDGenerator()
    let now = Timestamp(microseconds: 0)
    for _ in 0..<SessionUses.capacity + 1000 { uses.record(ids.make(), at: now) }
    var sizes: [Int] = []
    try await uses.report(at: now) { sizes.append($0.count) }
    #expect(sizes.max() == AuthAPI.ReportSessionUses.maxCount)
    #expect(sizes.reduce(0, +) == SessionUses.capacity)
  }
}
