import Contracts
import Persistence
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// The cost limits of one request, device and user.
@Suite(.serialized)
struct SyncLimitTests {
  @Test func tooManyOperationsAreRefusedBeforeAnyIsRead() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let phone = host.device(1, of: ada)
      // Each of them is invalid; reading them all took time that grew with the square of their number.
      let operations = String(repeating: "7,", count: 400_000) + "7"
      let body = """
        {"device":"\(phone.id.rawValue)","deviceTime":"\(phone.now)","operations":[\(operations)]}
        """
      let clock = ContinuousClock()
      let begin = clock.now
      let response = try await host.test.send(.post, "/v1/sync", body, by: ada)
      #expect(clock.now - begin < .seconds(120))
      #expect(response.status == 422)
      let problem = try WireJSON.decode(Problem.self, from: response.body)
      #expect(problem.errors?.map(\.location) == ["body.operations"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aRecordIsSentOncePerResponse(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let devices = try await TwoDevices(host, try await host.user("ada"))
      var (phone, desktop) = (devices.phone, devices.desktop)
      let edits = ["one", "two"].map { TwoDevices.edit(&phone, devices.card, "note", $0) }
      try await phone.sync(edits)
      // Another device does not know them: the answers have the record.
      let others = ["three", "four", "five"].map { TwoDevices.edit(&desktop, devices.card, "extra", $0) }
      let response = try await desktop.raw.sync(others)
      #expect(response.results.map(\.status) == [.merged, .merged, .merged])
      #expect(response.results.map { $0.record == nil } == [true, true, false])
      #expect(response.results[2].record?.fields?["note"] == "two")
      #expect(response.results[2].record?.fields?["extra"] == "five")
      let again = try await desktop.sync(others)
      #expect(again.map(\.status) == [.duplicate, .duplicate, .duplicate])
      #expect(again.map { $0.record == nil } == [true, true, false])
      #expect(desktop.ownChecksums == desktop.checksums)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func operationsOnTooMuchAtOnceAreRefusedAndTakenInParts(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var phone = KeepingDevice(host.device(1, of: ada))
      let (set, filler) = (phone.raw.newID(), String(repeating: "x", count: 60_000))
      try await phone.sync([phone.raw.operation(.sets, set, ["title": "Latin"])])
      // About 240 KB each.
      let cards = (0..<40).map { _ in phone.raw.newID() }
      for (part, half) in (0..<4).flatMap({ part in [cards.prefix(20), cards.suffix(20)].map { (part, $0) } }) {
        let fields = SyncFields([.init(name: "part\(part)", value: .string(filler))])
        try await phone.sync(half.map { phone.raw.operation(.cards, $0, set: StudySetID(set), fields) })
      }
      let edits = cards.map { phone.raw.operation(.cards, $0, ["tags": ["noun"]], seen: phone.seen($0)) }
      let before = try await host.count("SELECT COUNT(*) FROM sync_operations")
      let refusal = try await problem { try await phone.sync(edits) }
      #expect(refusal?.is(.tooManyRecords) == true)
      // StudyClient halves its requests by the status.
      #expect(refusal?.status == 413)
      #expect(try await host.count("SELECT COUNT(*) FROM sync_operations") == before)
      #expect(try await phone.sync(Array(edits.prefix(20))).allSatisfy { $0.status == .applied })
      #expect(try await phone.sync(Array(edits.suffix(20))).allSatisfy { $0.status == .applied })
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aUserHasABoundedNumberOfDevices(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      var other = host.device(999, of: bob)
      try await other.sync()
      for number in 1...UInt64(DeviceStore.maxDevices + 3) {
        var device = host.device(number, of: ada)
        try await device.sync()
        host.test.time.advance(seconds: 1)
      }
      let devices = try await host.database.read { db in try DeviceStore.list(of: ada.id, in: db).map(\.device) }
      #expect(devices.count == DeviceStore.maxDevices)
      // The newest are there, the oldest are not.
      #expect(devices.contains(host.device(UInt64(DeviceStore.maxDevices + 3), of: ada).id))
      #expect(!devices.contains(host.device(3, of: ada).id))
      #expect(devices.contains(host.device(4, of: ada).id))
      #expect(try await host.count("SELECT COUNT(*) FROM sync_devices WHERE user_id = \(bob.id)") == 1)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func entriesOfALogAreSmall(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var phone = host.device(1, of: ada)
      func result(_ count: Int) -> SyncOperation {
        var operation = phone.review(phone.newID(), of: phone.newID(), rating: 3)
        operation.fields?.members.append(.init(name: "notes", value: .string(String(repeating: "x", count: count))))
        return operation
      }
      let operations = [result(17_000), result(15_000)]
      #expect(
        try await phone.sync(operations).results.map { $0.code ?? $0.status.rawValue } == ["too-large", "applied"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func deletedRecordsCountToo(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var devices = try await TwoDevices(host, try await host.user("ada"))
      let (set, id) = (SpaceID(trusted: devices.set), StudySetID(trusted: devices.set))
      let rows = RecordRules.maxRows
      // Before everything that devices read, because their content is none.
      try await host.database.write { tx in
        // In parts, because PostgreSQL ends a statement after ten seconds.
        for start in stride(from: 0, to: 199_997, by: 10_000) {
          try tx.execute(
            """
            INSERT INTO sync_records
              (id, space_id, collection, sequence, position, content, created_at, changed_at, deleted_at, has_conflict)
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
            SELECT 'row-' || CAST(i + \(start) AS TEXT), id, 'cards', -(i + \(start)), '', '', 0, 0, 0, 0
            FROM n CROSS JOIN spaces WHERE id = \(set) AND i + \(start) <= 199997
            """)
        }
        try tx.execute("UPDATE spaces SET sequence = \(rows) WHERE id = \(set)")
      }
      let results = try await devices.phone.sync([
        devices.phone.raw.operation(.cards, devices.phone.raw.newID(), set: id, ["front": "last"]),
        devices.phone.raw.operation(.cards, devices.phone.raw.newID(), set: id, ["front": "too many"]),
        TwoDevices.edit(&devices.phone, devices.card, "back", "liquid"),
      ])
      #expect(results.map { $0.code ?? $0.status.rawValue } == ["applied", "too-many", "applied"])
      #expect(try await host.count("SELECT COUNT(*) FROM sync_records") == rows)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func pagesEndWhenMuchIsReadInVain(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var phone = KeepingDevice(host.device(1, of: ada))
      let (set, settings) = (phone.raw.newID(), ada.id.rawValue)
      var operations = (0..<30).map { _ in phone.raw.review(phone.raw.newID(), of: set, rating: 3) }
      operations.append(phone.raw.operation(.studySettings, settings, ["rolloverHour": 3]))
      try await phone.sync(operations)
      let (database, now) = (try host.database, host.test.time.source.now())
      var (cursor, found, pages): (SyncCursor?, [String], Int) = (nil, [], 0)
      while pages < 20 {
        let (position, isFirst) = (cursor, pages == 0)
        let page = try await database.read { db in
          let pull = SyncPull(
            user: ada.id, collections: Set(SyncCollection.allCases), limit: 1000, known: SyncPush.Known(), db: db,
            maxSkipped: 10)
          return try pull.page(
            after: position ?? SyncCursor(issuedAt: now), refetch: isFirst ? [.studySettings] : [], at: now)
        }
        cursor = page.cursor
        pages += 1
        for case .record(let record) in page.items { found.append(record.id.wire) }
        if page.cursor.refetch == nil { break }
      }
      #expect(found.contains(settings))
      #expect(pages == 4)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aCorrectedClockRevealsNothingOfRecordsOfOthers(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let (ada, eve) = (try await host.user("ada"), try await host.user("eve"))
      let devices = try await TwoDevices(host, ada)
      let version = try #require(devices.phone.seen(devices.card))
      // An edit is moved after what its author has seen, and with it the next one, of a record of her own.
      for (seen, number): (HybridTime, UInt64) in [(version, 21), (version.next(device: 0), 22)] {
        var device = host.device(number, of: eve)
        var operations = [
          device.operation(.cards, devices.card, ["front": "x"], seen: seen),
          device.operation(.workouts, device.newID(), ["note": "x"]),
        ]
        for index in 0..<2 {
          operations[index].version = HybridTime(milliseconds: UInt64(index) + 1, counter: 0, device: number)
        }
        let results = try await device.sync(operations).results
        #expect(results.map { $0.code ?? $0.status.rawValue } == ["not-found", "applied"])
        #expect(results.map(\.version) == [nil, nil])
      }
    }
  }
}
