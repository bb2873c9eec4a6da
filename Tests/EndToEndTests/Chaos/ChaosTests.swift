import Contracts
import CurlClient
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

/// The platform's processes are killed, paused and restarted at random while users of all apps work, and nothing that was
/// acknowledged is lost or done twice.
///
/// `QUINTET_CHAOS_KILLS` is the number of kills of each form, 20 by default; `QUINTET_SEED` repeats the choices of a
/// failed run.
@Suite(.serialized, .long)
struct ChaosTests {
  private static let killsOfRound = 10
  /// Faults at the same time.
  private static let lanes = 2

  private static var kills: Int {
    ProcessInfo.processInfo.environment["QUINTET_CHAOS_KILLS"].flatMap { Int($0) } ?? 20
  }

  @Test(arguments: ChaosPlatform.Form.allCases)
  func nothingIsLost(_ form: ChaosPlatform.Form) async throws {
    let generator = SeededGenerator()
    print("chaos on \(form): \(Self.kills) kills, \(generator)")
    try await ChaosPlatform.run(form) { platform in
      try await CurlClient.running { http in
        let shop = try await ChaosShop(platform, http)
        var records: [ChaosRecord] = []
        while await platform.victims.kills < Self.kills {
          let left = await Self.kills - platform.victims.kills
          await platform.victims.allow(min(left, Self.killsOfRound))
          let round = ChaosRound(number: records.count, shop: shop)
          try await Self.run(round, generator.seed)
          records.append(round.record)
          let violations = try await ChaosCheck(shop: shop).violations(in: [round.record])
          let log = await platform.victims.log
          try #require(violations == [], "\(generator), round \(round.number) after \(log)")
        }
        let violations = try await ChaosCheck(shop: shop).violations(in: records)
        #expect(violations == [], "\(generator)")
        let sold = records.map(\.all).reduce(0) { $0 + $1.orders.count }
        print("chaos on \(form): \(await platform.victims.log.count) faults, \(sold) orders, \(generator)")
      }
    }
  }

  /// Lets the users of a round work while victims fail.
  private static func run(_ round: ChaosRound, _ seed: UInt64) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await round.run() }
      group.addTask {
        defer { round.over.add() }
        _ = try await concurrently(0..<lanes) { lane in
          var generator = SeededGenerator(seed: seed &+ UInt64(round.number * lanes + lane))
          var goesOn = true
          while goesOn {
            let before = round.record.answered
            try await eventually("the platform answers between faults") { round.record.answered > before + 5 }
            let fault = ChaosFault.random(using: &generator)
            let (choice, milliseconds) = (generator.below(1 << 20), generator.below(3000))
            goesOn = try await round.shop.platform.victims.fail(
              fault, choice: choice, seconds: Double(milliseconds) / 1000)
          }
        }
      }
      for try await _ in group {}
    }
  }

  /// Faults that the platform does not have are planted behind its back.
  @Test func theCheckFindsWhatIsWrong() async throws {
    try await ChaosPlatform.run(.sqlite) { platform in
      try await CurlClient.running { http in
        let shop = try await ChaosShop(platform, http)
        let round = ChaosRound(number: 0, shop: shop)
        // Everyone does everything a few times.
        round.over.add()
        try await round.run()
        let check = ChaosCheck(shop: shop)
        #expect(try await check.violations(in: [round.record]) == [])
        let message = try #require(round.record.all.messages.values.first?.last?.id)
        let upload = try #require(round.record.all.uploads.first)
        let product = shop.products[1].id
        let plants: [(service: String, statement: SQL)] = [
          ("matching", "DELETE FROM messages WHERE id = \(message)"),
          ("catalog", "UPDATE stock SET on_hand = on_hand + 1 WHERE item_id = \(product)"),
          ("orders", "UPDATE ledger_balances SET posted = posted + 1 WHERE account LIKE 'earnings:%'"),
        ]
        for plant in plants {
          try await platform.withDatabase(of: plant.service) { database in
            _ = try await database.write { tx in try tx.execute(plant.statement) }
          }
        }
        let media = try await upload.owner.insist(MediaAPI.GetMedia(id: upload.media))
        let hash = try #require(media.sha256)
        try Data("other".utf8).write(
          to: URL(fileURLWithPath: "\(platform.folder)/media/\(hash.prefix(2))/\(hash.dropFirst(2))"))
        let violations = try await check.violations(in: [round.record])
        for sign in ["1 are lost", "stock of \(product)", "ledger: ", "\(upload.media) is not what was sent"] {
          #expect(violations.contains { $0.contains(sign) }, "\(sign): \(violations)")
        }
      }
    }
  }
}
