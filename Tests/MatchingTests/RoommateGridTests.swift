import Contracts
import Foundation
import TestKit
import Testing

@testable import MatchingService

/// Positions are replaced by cells before anything depends on them.
struct RoommateGridTests {
  private static func position(_ random: inout SeededGenerator) -> GeographicPosition {
    GeographicPosition(
      latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
  }

  /// The distance by the haversine formula.
  private static func kilometers(_ one: GeographicPosition, _ other: GeographicPosition) -> Double {
    func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
    let latitude = sin(radians(other.latitude - one.latitude) / 2)
    let longitude = sin(radians(other.longitude - one.longitude) / 2)
    let part =
      latitude * latitude + cos(radians(one.latitude)) * cos(radians(other.latitude)) * longitude * longitude
    return 2 * 6371.0088 * asin(min(1, part.squareRoot()))
  }

  @Test func theCenterOfACellIsInIt() throws {
    var random = SeededGenerator()
    for _ in 0..<10_000 {
      let position = Self.position(&random)
      let cell = try #require(SnappedPosition(position))
      #expect(SnappedPosition(cell.center) == cell, "\(position) \(random)")
      #expect(Self.kilometers(position, cell.center) < 1.7, "\(position) \(random)")
    }
  }

  @Test func cellsAreAtLeastAKilometerWide() throws {
    var random = SeededGenerator()
    for _ in 0..<10_000 {
      let latitude = Double.random(in: -89...89, using: &random)
      let cell = try #require(SnappedPosition(GeographicPosition(latitude: latitude, longitude: 10)))
      // Half a kilometer from the center to either side is the same cell.
      let degrees = 0.499 / (111.2 * cos(cell.center.latitude * .pi / 180))
      for longitude in [cell.center.longitude - degrees, cell.center.longitude + degrees] {
        let beside = SnappedPosition(GeographicPosition(latitude: cell.center.latitude, longitude: longitude))
        #expect(beside == cell, "\(latitude) \(random)")
      }
    }
  }

  @Test(arguments: [(90.0, 180.0), (-90, -180), (0, 180), (0, -180), (89.999, 179.999)] as [(Double, Double)])
  func theEdgesOfTheEarthHaveCells(_ latitude: Double, _ longitude: Double) throws {
    let cell = try #require(SnappedPosition(GeographicPosition(latitude: latitude, longitude: longitude)))
    #expect(SnappedPosition(cell.center) == cell)
  }

  @Test(arguments: [(90.1, 0.0), (-90.1, 0), (0, 180.1), (0, -180.1), (.infinity, 0), (.nan, 0)] as [(Double, Double)])
  func otherPositionsHaveNone(_ latitude: Double, _ longitude: Double) {
    #expect(SnappedPosition(GeographicPosition(latitude: latitude, longitude: longitude)) == nil)
  }

  /// A number that fits no integer once ended the process.
  @Test(arguments: [(1e300, 0.0), (0, -1e300), (90.1, 0)] as [(Double, Double)])
  func otherPositionsAreRefused(_ latitude: Double, _ longitude: Double) async throws {
    try await TestPlatform.roommates { host async throws in
      let refusal = try await problem { _ = try await host.roommate(.at(latitude, longitude)) }
      #expect(refusal?.errors?.map(\.location) == ["body.preferences.place.position"])
    }
  }

  @Test func distancesAreThoseOfTheSphere() {
    var random = SeededGenerator()
    for _ in 0..<2000 {
      let one = Self.position(&random)
      let other = GeographicPosition(
        latitude: min(90, max(-90, one.latitude + .random(in: -0.8...0.8, using: &random))), longitude: one.longitude)
      let found = EarthPoint(one).squaredKilometers(to: EarthPoint(other)).squareRoot()
      #expect(abs(found - Self.kilometers(one, other)) < 0.05, "\(random)")
    }
  }

  @Test func everyPositionWithinADistanceIsInOneOfTheSquares() throws {
    var random = SeededGenerator()
    var found = 0
    for _ in 0..<5000 {
      let one = Self.position(&random)
      let other = GeographicPosition(
        latitude: min(90, max(-90, one.latitude + .random(in: -1...1, using: &random))),
        longitude: (one.longitude + 180 + .random(in: -3...3, using: &random) + 360)
          .truncatingRemainder(dividingBy: 360) - 180)
      let kilometers = Int.random(in: 1...100, using: &random)
      guard Self.kilometers(one, other) <= Double(kilometers) else { continue }
      let square = try #require(RoommateRegion(RoommatePlace(position: other))?.square)
      #expect(RoommateRegion.squares(around: one, kilometers: kilometers).contains(square), "\(random)")
      found += 1
    }
    #expect(found > 0, "\(random)")
  }

  @Test func noSeriesOfDecksDistinguishesPositionsOfACell() async throws {
    try await TestPlatform.roommates { host async throws in
      let target = try await host.roommate(.at(52.5201, 13.4051))
      let twin = try await host.roommate(.at(52.5299, 13.4149))
      let viewer = try await host.roommate(.at(52.5, 13.4))
      var random = SeededGenerator()
      var rounds = 0
      for step in 0..<9 {
        try await viewer.put(
          .at(
            .random(in: 52.3...52.7, using: &random), .random(in: 13.2...13.6, using: &random),
            kilometers: [5, 20, 100][step % 3]))
        let cards = try await viewer.client.send(MatchingAPI.GetRoommateDeck()).items
        let seen = [target, twin].map { user in
          cards.first { $0.userID == user.id }.map {
            "\(String(describing: $0.distance)) \(String(describing: $0.score))"
          }
        }
        #expect(seen[0] == seen[1], "\(random)")
        if seen[0] != nil { rounds += 1 }
        for card in cards { #expect(card.preferences.place?.position == nil) }
      }
      #expect(rounds > 0, "\(random)")
    }
  }

  @Test func thePositionIsStoredAsItsCell() async throws {
    try await TestPlatform.roommates { host async throws in
      let user = try await host.roommate(.at(52.520123, 13.404954))
      let stored = try await user.client.send(MatchingAPI.GetRoommateProfile()).preferences?.place?.position
      #expect(stored == SnappedPosition(GeographicPosition(latitude: 52.520123, longitude: 13.404954))?.center)
      #expect(stored != GeographicPosition(latitude: 52.520123, longitude: 13.404954))
    }
  }

  @Test func aPositionChangesTenTimesADay() async throws {
    try await TestPlatform.roommates { host async throws in
      let user = try await host.roommate(.at(52.5, 13.4))
      for step in 1..<10 { try await user.put(.at(52.5 + Double(step), 13.4)) }
      let problem = try await problem { try await user.put(.at(10, 10)) }
      #expect(problem?.code == "too-many-requests")
      // Other changes are allowed.
      try await user.put(.at(61.5, 13.4, kilometers: 3))
      host.time.advance(seconds: 86_400 / 10)
      try await user.put(.at(10, 10))
    }
  }
}
