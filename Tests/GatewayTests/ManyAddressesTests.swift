import Contracts
import Foundation
import TestKit
import Testing

@testable import GatewayService

/// The callers who are served while some of many addresses attack.
@Suite(.serialized)
struct ManyAddressesTests {
  private static let addresses = 1000
  private static let attackers = 10
  private static let allowance = 20

  /// A thousand addresses of IPv4 and IPv6 networks.
  private static func address(_ number: Int) -> String {
    number.isMultiple(of: 2)
      ? "198.51.\(100 + number / 200).\(number % 200)" : "2001:db8:\(String(number, radix: 16)):1::1"
  }

  /// Ten addresses send a hundred requests each, in four ways: without a token, with forged tokens, as ever new guests,
  /// and from ever new addresses of their /64 network. Each is served as often as its allowance says, and everyone else
  /// is served always.
  @Test func tenAttackersOfAThousandAddressesHurtOnlyThemselves() async throws {
    let settings = ["limits.read": "\(Self.allowance)/60", "limits.addressFactor": "2"]
    try await EdgeClient.run(settings) { edge async throws in
      var guests: [String] = []
      for _ in 0..<10 { guests.append(try await edge.guest()) }
      let (user, newcomer) = (try await edge.user("ada"), try await edge.user("bob"))
      // Ada is at work already.
      #expect(try await edge.statuses(1, from: "203.0.113.1", token: user) == [200])
      let served = try await withThrowingTaskGroup(of: (number: Int, statuses: [Int]).self) { [guests] group in
        for number in 0..<Self.attackers {
          group.addTask { (number, try await Self.attack(edge, number, guests)) }
        }
        // Eight at a time, so that their requests arrive between those of the attackers.
        for start in 0..<8 {
          group.addTask {
            var statuses: [Int] = []
            for number in stride(from: Self.attackers + start, to: Self.addresses, by: 8) {
              statuses += try await edge.statuses(3, from: Self.address(number))
            }
            return (-1, statuses)
          }
        }
        return try await group.reduce(into: [:] as [Int: [Int]]) { $0[$1.number, default: []] += $1.statuses }
      }
      let others = try #require(served[-1])
      #expect(others.count == 3 * (Self.addresses - Self.attackers))
      #expect(others.allSatisfy { $0 == 200 })
      for number in 0..<Self.attackers {
        let statuses = try #require(served[number])
        #expect(statuses.count == 100)
        #expect(statuses.count { $0 == 200 } == Self.allowance, "attacker \(number)")
        #expect(statuses.allSatisfy { [200, 429].contains($0) })
      }
      // The users of the attackers' networks still have everything: of those without tokens, with forged tokens and with
      // those of guests.
      for attacker in 0...2 {
        #expect(try await edge.statuses(3, from: Self.address(attacker), token: user) == [200, 200, 200])
      }
      for attacker in [0, 2] {
        #expect(try await edge.statuses(3, from: Self.address(attacker), token: newcomer) == [200, 200, 200])
      }
    }
  }

  private static func attack(_ edge: EdgeClient, _ number: Int, _ guests: [String]) async throws -> [Int] {
    var statuses: [Int] = []
    for attempt in 0..<100 {
      switch number % 4 {
      case 0: statuses += try await edge.statuses(1, from: address(number))
      case 1: statuses += try await edge.statuses(1, from: address(number), token: "forged.\(number).\(attempt)")
      case 2: statuses += try await edge.statuses(1, from: address(number), token: guests[attempt % guests.count])
      default: statuses += try await edge.statuses(1, from: "2001:db8:ffff:\(number)::\(attempt + 1)")
      }
    }
    return statuses
  }
}
