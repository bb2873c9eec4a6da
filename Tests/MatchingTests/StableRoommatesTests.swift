import Contracts
import Foundation
import TestKit
import Testing

@testable import MatchingService

struct StableRoommatesTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("stable_roommates.py").path

  /// Everyone ranks some of those who rank them.
  private static func instance(_ count: Int, density: Double, _ random: inout SeededGenerator) -> [[Int]] {
    var lists = Array(repeating: [Int](), count: count)
    for one in 0..<count {
      for other in 0..<one where Double.random(in: 0..<1, using: &random) < density {
        lists[one].append(other)
        lists[other].append(one)
      }
    }
    return lists.map { $0.shuffled(using: &random) }
  }

  /// Whether partners are mutual, and no two of the others would both rather have each other.
  private static func isStable(_ partners: [Int?], _ lists: [[Int]], without leftOut: Set<Int>) -> Bool {
    func rank(_ person: Int, _ other: Int?) -> Int { other.flatMap { lists[person].firstIndex(of: $0) } ?? .max }
    for (person, partner) in partners.enumerated() {
      if let partner, partners[partner] != person || rank(person, partner) == .max { return false }
      if leftOut.contains(person) { continue }
      for other in lists[person] where !leftOut.contains(other) {
        if rank(person, other) < rank(person, partner) && rank(other, person) < rank(other, partners[other]) {
          return false
        }
      }
    }
    return true
  }

  /// Whether some stable matching exists without these people, by trying all.
  private static func hasStable(_ lists: [[Int]], without leftOut: Set<Int>) -> Bool {
    var partners = Array(repeating: Int?.none, count: lists.count)
    func pair(_ person: Int) -> Bool {
      if person == lists.count { return isStable(partners, lists, without: leftOut) }
      if leftOut.contains(person) || partners[person] != nil { return pair(person + 1) }
      if pair(person + 1) { return true }
      for other in lists[person] where other > person && partners[other] == nil && !leftOut.contains(other) {
        (partners[person], partners[other]) = (other, person)
        if pair(person + 1) { return true }
        (partners[person], partners[other]) = (nil, nil)
      }
      return false
    }
    return pair(0)
  }

  @Test func agreesWithMatchingOfPyPI() async throws {
    var random = SeededGenerator()
    let instances = (0..<300).map { _ in
      Self.instance(2 * Int.random(in: 1...8, using: &random), density: 1, &random)
    }
    let input = String(decoding: try WireJSON.encode(instances), as: UTF8.self)
    let output = try await Command.run([Python.path(), "-W", "ignore", Self.script], input: input)
    let lines = output.split(separator: "\n")
    let theirs = try WireJSON.decode([[Int]?].self, from: Array(try #require(lines.last).utf8))
    #expect(theirs.count == instances.count)
    for (lists, found) in zip(instances, theirs) {
      let ours = StableRoommates(lists)
      #expect(ours.leftOut.isEmpty == (found != nil), "\(random)")
      #expect(Self.isStable(ours.partners, lists, without: ours.leftOut), "\(random)")
      if let found { #expect(Self.isStable(found.map { $0 }, lists, without: []), "\(random)") }
    }
    #expect(theirs.contains { $0 == nil })
  }

  @Test func leavesOutAsFewAsPossible() {
    var random = SeededGenerator()
    var unsolvable = 0
    for _ in 0..<400 {
      let lists = Self.instance(
        .random(in: 2...7, using: &random), density: .random(in: 0.4...1, using: &random), &random)
      let found = StableRoommates(lists)
      #expect(Self.isStable(found.partners, lists, without: found.leftOut), "\(random)")
      unsolvable += found.leftOut.isEmpty ? 0 : 1
      let smaller = (0..<(1 << lists.count)).map { bits in Set(lists.indices.filter { bits & 1 << $0 != 0 }) }
        .filter { $0.count < found.leftOut.count }
      #expect(!smaller.contains { Self.hasStable(lists, without: $0) }, "\(random)")
    }
    #expect(unsolvable > 0)
  }

  @Test func threeWhoPreferEachOtherInACircleLeaveOneOut() {
    let found = StableRoommates([[1, 2, 3], [2, 0, 3], [0, 1, 3], [0, 1, 2]])
    #expect(found.leftOut.count == 1)
    #expect(found.partners.compactMap(\.self).count == 2)
  }

  @Test func noOneIsPairedWithSomeoneWhoDoesNotAcceptThem() {
    #expect(StableRoommates([[1], [], []]).partners == [nil, nil, nil])
    #expect(StableRoommates([]).partners.isEmpty)
  }
}
