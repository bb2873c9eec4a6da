import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

/// Users are reminded of due cards at the time of day of their last review (LS19).
@Suite(.serialized)
struct DueReminderTests {
  private func pushes(_ host: StudyHost) async throws -> [PushRequested] {
    try await host.test.recorded(PushRequested.self, by: StudyAPI.self).filter { $0.kind == .dueCards }
  }

  private func work(_ host: StudyHost) async throws -> Int {
    try await host.test.plugin(StudySyncPlugin.self).runOnce(DueReminders.kind)
  }

  @Test(arguments: TestDatabase.allCases)
  func everyReviewPostponesTheReminder(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada", cards: 1)
      try await ada.device.sync([ada.review(3, at: host.now)])
      host.test.time.advance(seconds: 600)
      try await ada.device.sync([ada.review(1, at: host.now)])
      host.test.time.advance(seconds: 86_400 - 600)
      #expect(try await work(host) == 0)
      host.test.time.advance(seconds: 600)
      #expect(try await work(host) == 1)
      #expect(try await pushes(host).map(\.userID) == [ada.user.id])
      #expect(try await work(host) == 0)
      // At most a week of reminders, once a day.
      for _ in 0..<10 {
        host.test.time.advance(seconds: 86_400)
        _ = try await work(host)
      }
      #expect(try await pushes(host).count == 7)
      #expect(try await host.count("SELECT COUNT(*) FROM jobs WHERE kind = \(DueReminders.kind)") == 0)
    }
  }

  @Test func noOneIsRemindedOfCardsThatAreNotDue() async throws {
    try await StudyHost.run { host async throws in
      var ada = try await host.learner("ada", cards: 1)
      // An easy card is due after many days.
      try await ada.device.sync([ada.review(4, at: host.now)])
      host.test.time.advance(seconds: 86_400)
      #expect(try await work(host) == 1)
      #expect(try await pushes(host).isEmpty)
      #expect(try await host.count("SELECT COUNT(*) FROM jobs WHERE kind = \(DueReminders.kind)") == 1)
    }
  }
}
