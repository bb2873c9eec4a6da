import Contracts
import Persistence
import ServiceKit
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// Requests that arrive again, late, or while something else changes.
@Suite(.serialized)
struct RepetitionTests {
  private static let day = 86_400.0

  @Test(arguments: TestDatabase.allCases)
  func aReviewIsRepeatedAfterTheDayBeginsAtAnotherHour(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let set = try await ada.makeSet()
      let card = try await ada.makeCard(set.id, "aqua")
      let id = host.test.ids.text()
      let log = StudyAPI.AddReviews(reviews: [
        NewReview(
          id: id, set: set.id, card: card.id, rating: AnswerRating(checked: 3),
          at: host.test.time.source.now().advanced(bySeconds: -Self.day), milliseconds: 1000,
          utcOffsetMinutes: UTCOffsetMinutes(checked: 0))
      ])
      _ = try await ada.client.send(log)
      _ = try await ada.client.send(StudyAPI.UpdateScheduler(rolloverHour: 23))
      #expect(try await ada.client.send(log).ids == [id])
      #expect(try await host.count("SELECT COUNT(*) FROM study_log") == 1)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func reviewsAreImportedOnlyIntoASetThatIsSeen(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let (ada, bob) = (try await host.member("ada"), try await host.member("bob"))
      let set = try await ada.makeSet()
      let core = try host.core
      let review = try LogEntry(
        RecordID(trusted: host.test.ids.text()), .reviews,
        [
          "at": .string(host.test.time.source.now().description), "milliseconds": 1, "utcOffsetMinutes": 0,
          "set": .string(set.id.rawValue), "card": .string(host.test.ids.text()), "rating": 3,
        ])
      let refused = try await code {
        try await core.database.write { tx in try Imports.append([review], to: set.id, by: bob.id, core, in: tx) }
      }
      #expect(refused == "study-set-not-found")
      #expect(try await host.count("SELECT COUNT(*) FROM study_log") == 0)
      try await core.database.write { tx in try Imports.append([review], to: set.id, by: ada.id, core, in: tx) }
      #expect(try await host.count("SELECT COUNT(*) FROM study_log") == 1)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aContinuedImportNeedsRoomForTheRestOnly(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let set = try await ada.makeSet()
      let file = "q1\na1\nq2\na2\nq3\na3\n".utf8
      try await ada.importFile(file, set: set.id, key: "import")
      /// As if the import had stopped before its last card, in a set with that many cards.
      func interrupt(_ count: Int) async throws {
        try await host.database.write { tx in
          try tx.execute("DELETE FROM idempotency_keys WHERE key = 'import'")
          try tx.execute(
            """
            DELETE FROM sync_records WHERE id IN
              (SELECT id FROM sync_records WHERE collection = 'cards' ORDER BY sequence DESC LIMIT 1)
            """
          )
          var space = try #require(try SpaceStore.find(set.id.space, in: tx))
          space.checksums[.cards].count = count
          try SpaceStore.update(space, in: tx)
        }
      }
      try await interrupt(RecordRules.maxRecords)
      #expect(
        try await code { try await ada.importFile(file, set: set.id, key: "import") } == "too-many-cards")
      try await host.database.write { tx in
        var space = try #require(try SpaceStore.find(set.id.space, in: tx))
        space.checksums[.cards].count = RecordRules.maxRecords - 1
        try SpaceStore.update(space, in: tx)
      }
      #expect(try await ada.importFile(file, set: set.id, key: "import").imported == 3)
      #expect(try await host.count("SELECT COUNT(*) FROM sync_records WHERE collection = 'cards'") == 3)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func statisticsThatReviewsWereAddedToMeanwhileAreReadAgain(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let reading = try await StatisticsRebuild.read(ada.id, host.core)
      try await host.database.write { tx in
        #expect(try StatisticsRebuild.store(reading, of: ada.id, in: tx))
        try tx.execute(
          "INSERT INTO deferred_reviews (user_id, card_id, id) VALUES (\(ada.id), 'card', 'review')")
        #expect(try !StatisticsRebuild.store(reading, of: ada.id, in: tx))
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anOldSubmissionThatArrivesAgainReplacesNothing(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      try await host.join(course, of: ada, bob)
      let assignment = try await host.assignment(course, by: ada)
      _ = try await host.submit("first", assignment, course, by: bob)
      let second = try await host.submit("second", assignment, course, by: bob)
      let late = try await host.submit("first", assignment, course, by: bob)
      #expect(late.text?.rawValue == "second")
      #expect(late.count == 2)
      // A request that names the version wants it so.
      let wanted = try await host.submit(
        "first", assignment, course, by: bob, ifMatch: EntityTag(version: second.version))
      #expect(wanted.text?.rawValue == "first")
      #expect(wanted.count == 3)
    }
  }
}
