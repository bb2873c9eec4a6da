import Contracts
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// Random histories of devices and members against the service.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct SyncHistoryTests {
  @Test(arguments: TestDatabase.allCases)
  func copiesAndChecksumsAgreeAfterRandomHistories(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var generator = SeededGenerator()
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      var devices = [
        KeepingDevice(host.device(1, of: ada)), KeepingDevice(host.device(2, of: ada)),
        KeepingDevice(host.device(3, of: bob)),
      ]
      let set = devices[0].raw.newID()
      try await devices[0].sync([devices[0].raw.operation(.sets, set, ["title": "Latin"])])
      try await host.grant(.editor, to: bob, in: set)
      for index in devices.indices { try await devices[index].sync() }
      devices[1].raw.skew = 3600
      devices[2].raw.skew = -30
      for _ in 0..<200 {
        host.test.time.advance(seconds: .random(in: 0...2, using: &generator))
        let index = Int.random(in: devices.indices, using: &generator)
        let operations = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
          Self.operation(of: &devices[index], set, &generator)
        }
        var copy = devices[index]
        let isLost = Int.random(in: 0..<5, using: &generator) == 0
        if isLost { try await copy.sync(operations) }
        try await devices[index].sync(operations, limit: .random(in: 1...20, using: &generator))
        #expect(devices[index].ownChecksums == devices[index].checksums, "\(generator)")
      }
      for index in devices.indices { try await devices[index].sync() }
      let cards = devices.map { device in device.live.filter { $0.set?.rawValue == set }.sorted { $0.id < $1.id } }
      #expect(cards[0].count > 5)
      #expect(cards[1] == cards[0], "\(generator)")
      #expect(cards[2] == cards[0], "\(generator)")
    }
  }

  private static func operation(
    of device: inout KeepingDevice, _ set: String, _ generator: inout SeededGenerator
  ) -> SyncOperation {
    let cards = device.records.values.filter { $0.collection == "cards" }.sorted { $0.id < $1.id }
    guard let card = cards.randomElement(using: &generator), Int.random(in: 0..<4, using: &generator) > 0 else {
      return device.raw.operation(
        .cards, device.raw.newID(), set: StudySetID(set), ["front": "one two three four", "back": "x"])
    }
    if card.isDeleted == true {
      return device.raw.operation(.cards, card.id, action: .restore, seen: device.seen(card.id))
    }
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return device.raw.operation(.cards, card.id, action: .delete, seen: device.seen(card.id))
    case 1: return device.raw.review(card.id, of: set, rating: .random(in: 1...4, using: &generator))
    case 2:
      return device.raw.operation(
        .cards, card.id, ["position": .string("\(UInt8.random(in: 0...99, using: &generator))")],
        seen: device.seen(card.id))
    default:
      var words = (card.fields?["front"]?.string ?? "").split(separator: " ").map { String($0) }
      words.insert("w", at: .random(in: 0...words.count, using: &generator))
      return TwoDevices.edit(&device, card.id, "front", words.joined(separator: " "))
    }
  }
}
