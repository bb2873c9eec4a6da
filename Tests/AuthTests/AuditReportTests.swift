import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// The scheduled report of the audit trails.
@Suite(.serialized)
struct AuditReportTests {
  private func moment(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

  @Test(arguments: [
    ("2026-11-23T00:00:00Z", "2026-11-22", "2026-11-16 to 2026-11-22"),
    ("2026-11-22T23:59:59Z", "2026-11-21", "2026-11-09 to 2026-11-15"),
    ("2026-01-01T12:00:00Z", "2025-12-31", "2025-12-22 to 2025-12-28"),
  ])
  func periodsAreWholeDaysAndWeeks(now: String, day: String, week: String) throws {
    let now = try moment(now)
    #expect(AuditPeriod(before: now, .daily).name == day)
    #expect(AuditPeriod(before: now, .weekly).name == week)
    #expect(
      AuditPeriod(before: now, .weekly).until.seconds(since: AuditPeriod(before: now, .weekly).from) == 7 * 86_400)
  }

  @Test("SD14: staff receive one report of each day, without personal data", arguments: TestDatabase.allCases)
  func staffReceiveReports(_ database: TestDatabase) async throws {
    let settings = ["audit.reportTo": "boss@example.com, audit@example.com", "audit.reportEvery": "daily"]
    let time = ManualTime(try moment("2026-11-20T10:30:00Z"))
    try await TestPlatform.auth(settings: settings, database: database, time: time) { host async throws in
      let support = try await host.staff(.support)
      let ada = try await host.signUp("augusta", app: .keepfit)
      _ = try await support.client.send(AuthAPI.GetUser(id: ada.user.id))
      for _ in 0..<3 { _ = try await problem { _ = try await host.logIn("augusta", "wrong") } }
      time.advance(seconds: 86_400)
      for _ in 0..<2 { try await AuditReports(host.auth.core).reportLast() }
      while try await host.auth.runOnce("mail") > 0 {}
      for address in ["boss@example.com", "audit@example.com"] {
        let mails = try host.mails(deliveredTo: address)
        #expect(mails.count == 1)
        let text = try #require(mails.first).text
        #expect(text.contains("2026-11-20"))
        #expect(text.contains("profile.viewed: 1"))
        #expect(text.contains("sign-in.failed: 3"))
        #expect(text.contains("web: "))
        #expect(text.contains("10:00: "))
        for secret in ["augusta", "Test augusta", ada.user.id.rawValue, support.id.rawValue] {
          #expect(!text.contains(secret), "\(secret)")
        }
      }
    }
  }

  @Test("SD14: a report waits an hour for services that do not answer", arguments: TestDatabase.allCases)
  func reportsWaitForServicesThatDoNotAnswer(_ database: TestDatabase) async throws {
    let settings = ["audit.reportTo": "boss@example.com", "audit.reportEvery": "daily"]
    let time = ManualTime(try moment("2026-11-20T10:30:00Z"))
    try await TestPlatform.auth(settings: settings, database: database, time: time) { host async throws in
      let reports = try AuditReports(host.auth.core)
      /// The mails, without what was mailed before.
      func report() async throws -> [String] {
        try await reports.reportLast()
        while try await host.auth.runOnce("mail") > 0 {}
        return try host.mails(deliveredTo: "boss@example.com").map(\.text)
      }
      // Before the first midnight, while every service answers.
      #expect(try await report().count == 1)
      // Nothing listens there.
      let silent = EventSubscription(subscriber: "matching", url: "http://127.0.0.1:1", types: [])
      try await Outbox(database: host.database).subscribe(silent)
      time.advance(seconds: 13.5 * 3600 + 60)
      #expect(try await report().count == 1)
      time.advance(seconds: 3480)
      #expect(try await report().count == 1)
      time.advance(seconds: 60)
      let mails = try await report()
      #expect(mails.count == 2)
      #expect(mails.filter { $0.contains("matching did not answer") }.count == 1)
      // Of another day it waits for less than an hour, because the service answers again.
      time.advance(seconds: 23 * 3600 + 60)
      #expect(try await report().count == 2)
      _ = try await host.database.write { tx in
        try tx.execute("DELETE FROM event_subscriptions WHERE subscriber = 'matching'")
      }
      let complete = try await report()
      #expect(complete.count == 3)
      #expect(complete.filter { $0.contains("did not answer") }.count == 1)
      #expect(try await report().count == 3)
    }
  }
}
