import Contracts
import Foundation

/// The region in which someone looks for a home, as keys by which others are found.
struct RoommateRegion: Hashable, Sendable {
  /// Country and folded name, such as `US/san jose`.
  let city: String?
  /// The square of half a degree that holds the position.
  let square: Square?

  struct Square: Hashable, Sendable {
    let row: Int
    let column: Int
  }

  static let defaultKilometers = 50

  /// The region of a place whose position is on the earth; `nil` without city and position.
  init?(_ place: RoommatePlace?) {
    guard let place, place.city != nil || place.position != nil else { return nil }
    city = place.city.map { "\($0.country)/\(Self.folded($0.name.rawValue))" }
    square = place.position.map { Self.square($0.latitude, $0.longitude) }
  }

  /// The region of people who look in the same city and have no position; `nil` without a city.
  init?(cityOf region: RoommateRegion) {
    guard let city = region.city else { return nil }
    (self.city, square) = (city, nil)
  }

  /// Case, diacritics and spaces make no difference.
  static func folded(_ text: String) -> String {
    text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// The name by which the suggestions of the day are grouped.
  var name: String { city ?? square.map { "\($0.row)/\($0.column)" } ?? "" }

  private static func square(_ latitude: Double, _ longitude: Double) -> Square {
    Square(
      row: Int((latitude * 2).rounded(.down)),
      column: Int(((longitude + 180) * 2).rounded(.down)) % 720
    )
  }

  /// The squares in which positions within a distance may lie.
  static func squares(around position: GeographicPosition, kilometers: Int) -> [Square] {
    let height = Double(kilometers) / 111
    let (south, north) = (max(-90, position.latitude - height), min(90, position.latitude + height))
    let narrowest = cos(max(abs(south), abs(north)) * .pi / 180)
    let width = narrowest * 180 > height ? min(180, height / narrowest) : 180
    let rows = Int((south * 2).rounded(.down))...Int((north * 2).rounded(.down))
    let (west, east) = ((position.longitude + 180 - width) * 2, (position.longitude + 180 + width) * 2)
    let columns = Int(west.rounded(.down))...min(Int(east.rounded(.down)), Int(west.rounded(.down)) + 719)
    return rows.flatMap { row in columns.map { Square(row: row, column: ($0 + 720) % 720) } }
  }
}
