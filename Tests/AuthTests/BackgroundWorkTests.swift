import Contracts
import GatewayService
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// The background work of all services as administrators see it, and their retries.
@Suite(.serialized)
struct BackgroundWorkTests {
  /// Another service, with nothing to do.
  private struct Shelf: ServicePlugin, Feature {
    static let manifest = Manifest(
      name: "shelf",
      consumes: [.init(from: AuthAPI.self, [UserRegistered.self])],
      migrations: [Migration("shelf-001", why: "books", ["CREATE TABLE books (id TEXT PRIMARY KEY)"])]
    )

    init(environment: ServiceEnvironment) async throws {}

    func register(in routes: inout Routes) { routes.on(UserRegistered.self) { _, _ in } }
  }

  private static let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self, Shelf.self]

  /// Dead letters to a subscriber that there is not, and dropped jobs of a kind that no one runs, so that nothing touches
  /// them.
  private func fail(_ ids: [String], in database: any Database) async throws {
    try await database.write { tx in
      for (number, id) in ids.enumerated() {
        try tx.execute(
          """
          INSERT INTO outbox (id, type, subject, data, recorded_at, sequence, lane)
          VALUES (\(id), \("test.\(id)"), 'subject', '{}', \(tx.now), 1, 0)
          """)
        try tx.execute(
          """
          INSERT INTO event_retries (subscriber, event_id, subject, sequence, attempts, due_at, is_dead, failure)
          VALUES ('nobody', \(id), 'subject', \(number), 9, \(tx.now), 1, 'status 422')
          """)
        try tx.execute(
          """
          INSERT INTO jobs (id, kind, payload, attempts, due_at, dropped_at, failure)
          VALUES (\(id), \("test-\(id)"), 'sealed', 60, \(Int64.max), \(tx.now), 'too many attempts')
          """)
      }
    }
  }

  private func listening(_ body: (TestPlatform, _ shelf: any Database) async throws -> Void) async throws {
    try await TestPlatform.listen(Self.plugins) { host, _ async throws in
      let shelf = try #require(host.platform.database(of: "shelf"))
      try await eventually("auth knows of the other service") {
        try await Outbox(database: host.database).subscribers().contains { $0.name == "shelf" }
      }
      try await body(host, shelf)
    }
  }

  @Test("dead letters of all services are shown, and tried again one by one or by type")
  func deadLettersAreRetried() async throws {
    try await listening { host, shelf async throws in
      try await fail(["one"], in: host.database)
      try await fail(["two", "three", "four"], in: shelf)
      let admin = try await host.staff(.administrator)
      let shown = try await admin.client.send(AuthAPI.AdminListDeadLetters())
      #expect(shown.unavailable.isEmpty)
      let own = try #require(shown.services.first { $0.service == "auth" })
      #expect(own.newest.map(\.eventID) == ["one"])
      #expect(own.newest.map(\.failure) == ["status 422"])
      #expect(own.counts == [DeadLetterCount(type: "test.one", subscriber: "nobody", count: 1)])
      let others = try #require(shown.services.first { $0.service == "shelf" })
      #expect(Set(others.newest.map(\.type)) == ["test.two", "test.three", "test.four"])

      func retry(_ service: String, type: String? = nil, eventID: String? = nil) async throws -> Int {
        let request = AuthAPI.AdminRetryDeadLetters(service: service, type: type, eventID: eventID)
        let answer = try await admin.client.send(request)
        return answer.count
      }
      func dead(_ database: any Database) async throws -> [String] {
        try await database.read { db in
          try db.values("SELECT event_id FROM event_retries WHERE is_dead = 1 ORDER BY event_id", as: String.self)
        }
      }
      #expect(try await retry("shelf", eventID: "two") == 1)
      #expect(try await dead(shelf) == ["four", "three"])
      #expect(try await retry("shelf", type: "test.three") == 1)
      #expect(try await dead(shelf) == ["four"])
      #expect(try await dead(host.database) == ["one"])
      #expect(try await retry("auth") == 1)
      #expect(try await dead(host.database) == [])

      let entries = try await host.entries("dead-letters.retried")
      #expect(entries.map(\.object) == ["service:auth", "service:shelf", "service:shelf"])
      #expect(entries.allSatisfy { $0.actor == "user:\(admin.id)" })
      #expect(entries[2].changes == [AuditChange("event", from: nil, to: "two")])
      let unknown = try await problem { _ = try await retry("nobody") }
      #expect(unknown?.errors?.first?.location == "body.service")
    }
  }

  @Test("jobs of all services are shown, and dropped ones run again one by one or by kind")
  func jobsAreRetried() async throws {
    try await listening { host, shelf async throws in
      try await fail(["one"], in: host.database)
      try await fail(["two", "three", "four"], in: shelf)
      let admin = try await host.staff(.administrator)
      let shown = try await admin.client.send(AuthAPI.AdminListJobs())
      #expect(shown.unavailable.isEmpty)
      let own = try #require(shown.services.first { $0.service == "auth" })
      #expect(own.dropped.map(\.id) == ["one"])
      #expect(own.queues.first { $0.kind == "test-one" }?.dropped == 1)
      let others = try #require(shown.services.first { $0.service == "shelf" })
      #expect(Set(others.dropped.map(\.id)) == ["two", "three", "four"])
      #expect(others.dropped.allSatisfy { $0.failure == "too many attempts" && $0.attempts == 60 })

      func retry(_ request: AuthAPI.AdminRetryJobs) async throws -> Int {
        try await admin.client.send(request).count
      }
      func dropped(_ database: any Database) async throws -> [String] {
        try await database.read { db in
          try db.values("SELECT id FROM jobs WHERE dropped_at IS NOT NULL ORDER BY id", as: String.self)
        }
      }
      #expect(try await retry(.init(service: "shelf", id: "two")) == 1)
      #expect(try await retry(.init(service: "shelf", kind: "test-three")) == 1)
      #expect(try await dropped(shelf) == ["four"])
      #expect(try await dropped(host.database) == ["one"])
      #expect(try await retry(.init(service: "auth")) == 1)
      #expect(try await dropped(host.database) == [])
      let entries = try await host.entries("jobs.retried")
      #expect(entries.map(\.object) == ["service:auth", "service:shelf", "service:shelf"])
      #expect(entries[1].changes == [AuditChange("kind", from: nil, to: "test-three")])
    }
  }

  @Test("others than administrators see and do nothing of it")
  func onlyAdministrators() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = TestUser(try await host.signUp("ada"), host.client)
      for user in [ada, try await host.staff(.support), try await host.staff(.owner)] {
        let client = user.client
        #expect(try await problem { _ = try await client.send(AuthAPI.AdminListDeadLetters()) }?.status == 403)
        #expect(try await problem { _ = try await client.send(AuthAPI.AdminListJobs()) }?.status == 403)
        let letters = AuthAPI.AdminRetryDeadLetters(service: "auth")
        #expect(try await problem { _ = try await client.send(letters) }?.status == 403)
        #expect(try await problem { _ = try await client.send(AuthAPI.AdminRetryJobs(service: "auth")) }?.status == 403)
      }
      #expect(try await host.entries("jobs.retried").isEmpty)
    }
  }

  @Test("a stolen token of an administrator tries nothing again")
  func tryingAgainRequiresProof() async throws {
    try await TestPlatform.auth { host async throws in
      try await fail(["one"], in: host.database)
      let admin = try await host.staff(.administrator)
      host.time.advance(seconds: 301)
      let letters = AuthAPI.AdminRetryDeadLetters(service: "auth")
      #expect(try await problem { _ = try await admin.client.send(letters) }?.is(.recentSignInRequired) == true)
      let jobs = AuthAPI.AdminRetryJobs(service: "auth")
      #expect(try await problem { _ = try await admin.client.send(jobs) }?.is(.recentSignInRequired) == true)
      let kept = try await host.database.read { db in
        [
          try db.count("SELECT COUNT(*) FROM event_retries WHERE is_dead = 1"),
          try db.count("SELECT COUNT(*) FROM jobs WHERE dropped_at IS NOT NULL"),
        ]
      }
      #expect(kept == [1, 1])
      #expect(try await host.entries("dead-letters.retried").isEmpty)
      #expect(try await host.entries("jobs.retried").isEmpty)
    }
  }
}
