import Contracts
import Persistence
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// Personal data in what is synchronized: encrypted, exported to its owner, erased with the account.
@Suite(.serialized)
struct SyncPrivacyTests {
  @Test(arguments: TestDatabase.allCases)
  func aPersonLeaves(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let (ada, bob, eve) = (try await host.user("ada"), try await host.user("bob"), try await host.user("eve"))
      var devices = try await TwoDevices(host, ada)
      var phone = devices.phone
      let (alone, read) = (phone.raw.newID(), phone.raw.newID())
      try await phone.sync([
        phone.raw.operation(.sets, alone, ["title": "Alone"]), phone.raw.operation(.sets, read, ["title": "Read"]),
        phone.raw.operation(.cards, phone.raw.newID(), set: StudySetID(alone), ["front": "x"]),
        phone.raw.operation(.workouts, phone.raw.newID(), ["note": "run"]),
        phone.raw.review(devices.card, of: devices.set, rating: 3),
      ])
      devices.phone = phone
      try await host.grant(.viewer, to: eve, in: devices.set)
      try await host.grant(.viewer, to: eve, in: read)
      try await host.grant(.editor, to: bob, in: devices.set)
      var tablet = KeepingDevice(host.device(3, of: bob))
      try await tablet.sync()

      #expect(try await host.export("studyRecords", of: ada.id).count == 6)
      #expect(try await host.export("studyRecords", of: ada.id).contains { $0["fields"]?["back"] == "water" })
      #expect(try await host.export("studyLog", of: ada.id).map { $0["fields"]?["rating"] } == [3])
      #expect(try await host.export("studyDevices", of: ada.id).count == 2)
      #expect(try await host.export("sharedStudySets", of: bob.id).map { $0["role"] } == ["editor"])
      #expect(try await host.export("studyRecords", of: bob.id).isEmpty)

      for _ in 0..<2 { try await host.test.deliver(UserDeleted(userID: ada.id), from: AuthAPI.self, to: StudyAPI.self) }
      for section in ["studyRecords", "studyLog", "studyDevices", "sharedStudySets"] {
        #expect(try await host.export(section, of: ada.id).isEmpty, "\(section)")
      }
      try await host.removeSpaces()
      for table: SQL in ["space_grants", "space_members", "sync_devices", "sync_operations", "study_log"] {
        #expect(try await host.count("SELECT COUNT(*) FROM \(table) WHERE user_id = \(ada.id)") == 0)
      }
      // The set that bob edits is his now; that which eve only read is gone.
      let space = SpaceID(trusted: devices.set)
      let owners = try await host.database.read { db in
        try SpaceStore.members(of: space, in: db).filter { $0.role == .owner }.map(\.user)
      }
      #expect(owners == [bob.id])
      try await tablet.sync([TwoDevices.edit(&tablet, devices.card, "back", "liquid")])
      #expect(tablet.ownChecksums == tablet.checksums)
      #expect(try await host.count("SELECT COUNT(*) FROM sync_records") == 2)
      var eves = KeepingDevice(host.device(4, of: eve))
      try await eves.sync()
      #expect(eves.live.map(\.id).sorted() == [devices.set, devices.card].sorted())
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whatUsersWroteIsEncrypted(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      _ = try await TwoDevices(host, ada, front: "secretfront")
      let stored = try await host.database.read { db in
        try db.values("SELECT content FROM sync_records", as: String.self)
      }
      #expect(stored.count == 2)
      #expect(stored.allSatisfy { !$0.contains("secretfront") && !$0.contains("Latin") })
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func guestsSynchronize(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let guest = TestUser(
        try await host.test.client.send(AuthAPI.SignInAsGuest(app: .letustudy)), host.test.client)
      let devices = try await TwoDevices(host, guest)
      #expect(devices.desktop.live.count == 2)
    }
  }
}
