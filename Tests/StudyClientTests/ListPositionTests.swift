import TestKit
import Testing

@testable import StudyClient

struct ListPositionTests {
  @Test func thereIsAlwaysAPlaceBetweenTwoOthers() {
    var generator = SeededGenerator()
    var places: [String] = []
    for _ in 0..<2000 {
      let index = Int.random(in: 0...places.count, using: &generator)
      let lower = index > 0 ? places[index - 1] : nil
      let upper = index < places.count ? places[index] : nil
      let place = ListPosition.between(lower, upper)
      #expect(lower.map { $0 < place } ?? true, "\(generator)")
      #expect(upper.map { place < $0 } ?? true, "\(generator)")
      places.insert(place, at: index)
    }
    #expect(places.allSatisfy { (1...200).contains($0.utf8.count) })
  }

  @Test func listsThatGrowAtTheEndKeepShortPlaces() {
    var place: String?
    for _ in 0..<10_000 { place = ListPosition.between(place, nil) }
    #expect(place?.utf8.count == 4)
  }

  @Test func listsThatGrowAtTheBeginningKeepShortPlaces() {
    var place = ListPosition.between(nil, nil)
    for _ in 0..<10_000 { place = ListPosition.between(nil, place) }
    #expect(place.utf8.count == 4)
  }

  /// Other characters have another order in the databases of some servers.
  @Test func placesHaveOnlyDigitsAndLowercaseLetters() {
    var generator = SeededGenerator()
    var places: [String] = []
    for _ in 0..<2000 {
      let index = Int.random(in: 0...places.count, using: &generator)
      places.insert(
        ListPosition.between(
          index > 0 ? places[index - 1] : nil, index < places.count ? places[index] : nil), at: index)
    }
    let digits = Set("0123456789abcdefghijklmnopqrstuvwxyz")
    #expect(places.allSatisfy { $0.allSatisfy(digits.contains) }, "\(generator)")
  }

  @Test func thereIsAPlaceBesideThoseOfOtherClients() {
    let places = ["0V", "9", "A", "V000", "V001", "Vz", "_", "a", "a-b", "m0", "zz~", "~"]
    for (index, upper) in places.enumerated() {
      for lower in places[..<index] {
        let place = ListPosition.between(lower, upper)
        #expect(lower < place, "after \(lower)")
        #expect(place < upper, "between \(lower) and \(upper)")
      }
      #expect(upper < ListPosition.between(upper, nil), "after \(upper)")
      #expect(ListPosition.between(nil, upper) < upper, "before \(upper)")
    }
  }
}
