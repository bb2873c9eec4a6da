import Contracts
import Persistence
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// Operations that the server refuses, one by one, without holding up others.
@Suite(.serialized)
struct SyncRejectionTests {
  @Test(arguments: TestDatabase.allCases)
  func aRejectedOperationDoesNotHoldUpTheOthers(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var phone = host.device(1, of: ada)
      let (set, card) = (phone.newID(), phone.newID())
      func id() -> StudySetID { StudySetID(trusted: set) }
      var unknown = phone.operation(.cards, phone.newID(), set: id(), ["front": "x"])
      unknown.collection = "planets"
      var noID = phone.operation(.cards, phone.newID(), set: id(), ["front": "x"])
      noID.id = "7"
      var server = phone.operation(.cards, phone.newID(), set: id(), ["front": "x"])
      server.version.device = 0
      let operations = [
        phone.operation(.sets, set, ["title": "Latin"]),
        unknown, noID, server,
        phone.operation(.cards, "not-an-id", set: id(), ["front": "x"]),
        phone.operation(.cards, phone.newID(), ["front": "x"]),
        phone.operation(.cards, phone.newID(), set: StudySetID(trusted: phone.newID()), ["front": "x"]),
        phone.operation(.cards, phone.newID(), set: id(), ["front": 7]),
        phone.operation(.cards, phone.newID(), set: id(), ["front": .string(String(repeating: "x", count: 20_001))]),
        phone.operation(.cards, phone.newID(), set: id(), ["x": .string(String(repeating: "x", count: 70_000))]),
        phone.operation(.cards, phone.newID(), set: id(), ["näme": "x"]),
        phone.operation(.cards, phone.newID(), set: id(), action: .delete),
        phone.operation(.cards, phone.newID(), set: id(), ["front": "x"], seen: phone.clock.last),
        phone.operation(.sets, phone.newID(), ["description": "without a title"]),
        phone.operation(.studySettings, phone.newID(), ["rolloverHour": 3]),
        phone.operation(.reviews, phone.newID(), ["rating": 3]),
        phone.operation(.reviews, phone.newID(), action: .delete),
        phone.operation(.cards, card, set: id(), ["front": "good"]),
      ]
      let results = try await phone.sync(operations).results
      #expect(
        results.map { $0.code ?? $0.status.rawValue } == [
          "applied", "unknown-collection", "invalid-value", "invalid-value", "invalid-value", "invalid-value",
          "not-found", "invalid-value", "invalid-value", "too-large", "invalid-value", "not-found", "not-found",
          "invalid-value", "invalid-value", "invalid-value", "immutable", "applied",
        ])
      #expect(
        results.map(\.field) == [
          nil, "collection", "id", "version", "record", "set", "set", "fields.front", "fields.front", "fields",
          "fields", "record", "record", "fields.title", "record", "fields.at", "action", nil,
        ])
      #expect(try await host.count("SELECT COUNT(*) FROM sync_records") == 2)
      // None took effect, and none is known as having done so.
      #expect(try await host.count("SELECT COUNT(*) FROM sync_operations") == 2)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aMalformedOperationIsRejectedAmongGoodOnes(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var phone = host.device(1, of: ada)
      let good = phone.operation(.sets, phone.newID(), ["title": "Latin"])
      let body: JSONValue = [
        "device": .string(phone.id.rawValue), "deviceTime": .string(phone.now.description),
        "operations": [
          ["id": "x1", "collection": "sets", "record": 7, "action": "put", "version": .string("0")],
          7, ["id": "x3", "action": "explode"], try JSONValue(good),
        ],
      ]
      let text = String(decoding: try WireJSON.encode(body), as: UTF8.self)
      let response = try await host.test.send(.post, "/v1/sync", text, by: ada)
      #expect(response.status == 200)
      let results = try WireJSON.decode(SyncResponse.self, from: response.body).results
      #expect(results.map(\.status) == [.rejected, .rejected, .rejected, .applied])
      #expect(results.map(\.operation) == ["x1", "", "x3", good.id])
      #expect(results.compactMap(\.code) == ["invalid-operation", "invalid-operation", "invalid-operation"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anotherUsersRecordsStayAsTheyAre(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let (ada, eve) = (try await host.user("ada"), try await host.user("eve"))
      var devices = try await TwoDevices(host, ada)
      let review = devices.phone.raw.review(devices.card, of: devices.set, rating: 3)
      try await devices.phone.sync([review])
      var stranger = host.device(9, of: eve)
      let results = try await stranger.sync([
        stranger.operation(.cards, devices.card, set: StudySetID(trusted: devices.set), ["front": "mine"]),
        stranger.operation(.cards, devices.card, action: .delete, seen: devices.phone.seen(devices.card)),
        stranger.operation(.sets, devices.set, ["title": "mine"]),
        stranger.operation(.cards, stranger.newID(), set: StudySetID(trusted: devices.set), ["front": "mine"]),
        stranger.operation(.workouts, devices.card, ["note": "mine"]),
        stranger.operation(.studySettings, ada.id.rawValue, ["rolloverHour": 3]),
        stranger.review(devices.card, of: devices.set, rating: 1, id: review.record),
      ]).results
      #expect(results.allSatisfy { $0.status == .rejected && $0.record == nil })
      #expect(
        results.map(\.code) == [
          "id-in-use", "not-found", "id-in-use", "not-found", "id-in-use", "invalid-value", "id-in-use",
        ])
      let before = devices.phone.records
      try await devices.phone.sync()
      #expect(devices.phone.records == before)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func readersDoNotWriteAndEditorsDoNotDeleteSets(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let devices = try await TwoDevices(host, ada)
      try await host.grant(.viewer, to: bob, in: devices.set)
      var tablet = KeepingDevice(host.device(3, of: bob))
      try await tablet.sync()
      #expect(tablet.live.count == 2)
      let edit = TwoDevices.edit(&tablet, devices.card, "back", "liquid")
      let card = tablet.raw.operation(.cards, tablet.raw.newID(), set: StudySetID(devices.set), ["front": "x"])
      let deletion = tablet.raw.operation(.sets, devices.set, action: .delete, seen: tablet.seen(devices.set))
      #expect(try await tablet.sync([edit, card, deletion]).map(\.code) == ["forbidden", "forbidden", "forbidden"])
      try await host.grant(.editor, to: bob, in: devices.set)
      let results = try await tablet.sync([edit, card, deletion])
      #expect(results.map(\.status) == [.applied, .applied, .rejected])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aCardStaysInItsSet(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let other = devices.phone.raw.newID()
      let results = try await devices.phone.sync([
        devices.phone.raw.operation(.sets, other, ["title": "Greek"]),
        devices.phone.raw.operation(
          .cards, devices.card, set: StudySetID(other), ["front": "x"], seen: devices.phone.seen(devices.card)),
      ])
      #expect(results[1].code == "immutable")
      #expect(results[1].field == "set")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func unknownFieldsAreKeptAndBounded(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let nested = JSONValue.object([("a", .array([.integer(1), .number(2.5), .null]))])
      func add(_ count: Int, from first: Int) -> SyncOperation {
        let fields = (first..<first + count).map { JSONValue.Member(name: "new\($0)", value: nested) }
        return devices.phone.raw.operation(
          .cards, devices.card, SyncFields(fields), seen: devices.phone.seen(devices.card))
      }
      let results = try await devices.phone.sync([add(60, from: 0), add(60, from: 60), add(60, from: 120)])
      #expect(results.map(\.status) == [.applied, .applied, .rejected])
      #expect(results[2].code == "too-large")
      try await devices.desktop.sync()
      #expect(devices.desktop.records[devices.card]?.fields?["new119"] == nested)
      #expect(devices.desktop.ownChecksums == devices.desktop.checksums)
    }
  }

  @Test func tooManyOperationsAreRefusedAltogether() async throws {
    try await StudyHost.run { host async throws in
      var phone = host.device(1, of: try await host.user("ada"))
      let operations = (0...1000).map { _ in phone.operation(.workouts, phone.newID(), ["note": "x"]) }
      let refusal = try await problem { try await phone.sync(operations) }
      #expect(refusal?.errors?.first?.location == "body.operations")
    }
  }
}
