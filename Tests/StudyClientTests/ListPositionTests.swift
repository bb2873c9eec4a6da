import TestKit
import Testing

@testable import StudyClient

struct ListPositionTests {
  @Test func thereIsAlwaysAPositionBetweenTwoOthers() {
    var generator = SeededGenerator()
    var positions: [String] = []
    for _ in 0..<2000 {
      let index = Int.random(in: 0...positions.count, using: &generator)
      let lower = index > 0 ? positions[index - 1] : nil
      let upper = index < positions.count ? positions[index] : nil
      let position = ListPosition.between(lower, upper)
      #expect(lower.map { $0 < position } ?? true, "\(generator)")
      #expect(upper.map { position < $0 } ?? true, "\(generator)")
      positions.insert(position, at: index)
    }
    #expect(positions.allSatisfy { (1...200).contains($0.utf8.count) })
  }

  @Test func listsThatGrowAtTheEndKeepShortPositions() {
    var position: String?
    for _ in 0..<10_000 { position = ListPosition.between(position, nil) }
    #expect(position?.utf8.count == 4)
  }

  @Test func listsThatGrowAtTheBeginningKeepShortPositions() {
    var position = ListPosition.between(nil, nil)
    for _ in 0..<10_000 { position = ListPosition.between(nil, position) }
    #expect(position.utf8.count == 4)
  }

  /// Other characters have another order in the databases of some servers.
  @Test func positionsHaveOnlyDigitsAndLowercaseLetters() {
    var generator = SeededGenerator()
    var positions: [String] = []
    for _ in 0..<2000 {
      let index = Int.random(in: 0...positions.count, using: &generator)
      positions.insert(
        ListPosition.between(
          index > 0 ? positions[index - 1] : nil, index < positions.count ? positions[index] : nil), at: index)
    }
    let digits = Set("0123456789abcdefghijklmnopqrstuvwxyz")
    #expect(positions.allSatisfy { $0.allSatisfy(digits.contains) }, "\(generator)")
  }

  @Test func thereIsAPositionBesideThoseOfOtherClients() {
    let positions = ["0V", "9", "A", "V000", "V001", "Vz", "_", "a", "a-b", "m0", "zz~", "~"]
    for (index, upper) in positions.enumerated() {
      for lower in positions[..<index] {
        let position = ListPosition.between(lower, upper)
        #expect(lower < position, "after \(lower)")
        #expect(position < upper, "between \(lower) and \(upper)")
      }
      #expect(upper < ListPosition.between(upper, nil), "after \(upper)")
      #expect(ListPosition.between(nil, upper) < upper, "before \(upper)")
    }
  }
}
