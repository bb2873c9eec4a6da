import Contracts
import CurlClient
import Foundation
import Persistence
import TestKit
import Testing

@testable import StudyClient

/// study-sync is killed again and again while devices synchronize.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct ServerCrashTests {
  private static let rounds = 40
  private static let kills = 6

  @Test func devicesConvergeAlthoughTheServerIsKilled() async throws {
    try await TemporaryFolder.run { folder async throws in
      let settings = ["LIMITS_SIGN_IN": "0/1", "LIMITS_READ": "0/1", "LIMITS_WRITE": "0/1"]
      try await ServiceProcesses.run(["auth", "study-sync"], folder: folder, settings: settings) { services in
        try await CurlClient.running { curl in
          let api = APIClient(transport: CurlTransport(client: curl, origin: await services.url))
          let ada = TestUser(try await api.signUp("ada"), api)
          let ledger = Ledger()
          let devices = try (0..<3).map { number in
            try StudyClient(
              path: folder + "/device\(number).db", user: ada.id,
              transport: FaultyTransport(user: ada, plan: FaultPlan(), ledger: ledger), time: .system,
              limits: .init(operations: 3, page: 4))
          }
          let set = try await devices[0].addSet(title: "Latin")
          try await Self.settle(devices)
          let done = Counter()
          try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, device) in devices.enumerated() {
              group.addTask { try await Self.work(on: device, number, set, done) }
            }
            group.addTask {
              for kill in 1...Self.kills {
                let moment = kill * 3 * Self.rounds / (Self.kills + 1)
                // The devices always end; how long they take depends on the machine.
                while done.value < moment { try await Task.sleep(for: .seconds(0.02)) }
                try await services.restart("study-sync")
              }
            }
            for try await _ in group {}
          }
          try await Self.settle(devices)
          let content = try await devices[0].content()
          #expect(ledger.violations(in: content) == [])
          for device in devices {
            #expect(try await device.content() == content)
            #expect(try await device.refusedOperations() == [])
          }
          #expect(content.records.filter { $0.collection == "cards" }.count == 3 * Self.rounds)
        }
      }
    }
  }

  private static func work(on device: StudyClient, _ number: Int, _ set: StudySetID, _ done: Counter) async throws {
    for round in 0..<rounds {
      _ = try await device.addCard(to: set, front: "card \(number) \(round)", back: "")
      let cards = try await device.cards(in: set)
      if let card = cards.randomElement() {
        try await device.editCard(card.id, back: card.back + " w\(number)x\(round)")
      }
      // The server may be away.
      _ = try? await device.sync()
      done.add()
    }
  }

  private static func settle(_ devices: [StudyClient]) async throws {
    for _ in 0..<2 {
      for device in devices {
        try await eventually("a device is synchronized") { (try? await device.sync().healed) == [] }
      }
    }
  }
}
