import Contracts
import Persistence
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// The spaces of a deleted account are invisible at once and deleted soon, in steps.
@Suite(.serialized)
struct SpaceRemovalTests {
  @Test(arguments: TestDatabase.allCases)
  func anErasureDeletesTheContentsInBatches(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      var devices = try await TwoDevices(host, ada)
      let set = StudySetID(trusted: devices.set)
      // More than a batch of each.
      let operations = (0..<600).flatMap { _ in
        [
          devices.phone.raw.operation(.cards, devices.phone.raw.newID(), set: set, ["front": "x"]),
          devices.phone.raw.review(devices.card, of: devices.set, rating: 3),
        ]
      }
      for part in [operations.prefix(600), operations.suffix(600)] { try await devices.phone.sync(Array(part)) }

      try await host.deleteAccount(of: ada)
      // The transaction of the erasure deletes none of it.
      #expect(try await host.count("SELECT COUNT(*) FROM sync_records") == 602)
      #expect(try await host.count("SELECT COUNT(*) FROM study_log") == 600)
      for section in ["studyRecords", "studyLog", "studyDevices", "sharedStudySets"] {
        #expect(try await host.export(section, of: ada.id).isEmpty, "\(section)")
      }
      #expect(try await ada.sets() == [])

      try await host.removeSpaces()
      for table: SQL in ["sync_records", "study_log", "sync_operations", "spaces"] {
        #expect(try await host.count("SELECT COUNT(*) FROM \(table)") == 0)
      }
    }
  }
}
