import Contracts
import Foundation

/// A cell of a grid on the earth, at least one kilometer high and wide. Positions are replaced by their cells before
/// anything is stored or computed, so that no series of queries can distinguish two positions in one cell.
struct SnappedPosition: Hashable, Sendable {
  /// Hundredths of a degree from the equator.
  let row: Int
  /// Cells eastward from the date line; their width depends on the row.
  let column: Int

  private static let kilometersPerHundredth = 1.1119
  private static let hundredthsAround = 36_000

  /// `nil` outside the ranges of latitude and longitude.
  init?(_ position: GeographicPosition) {
    guard (-90...90).contains(position.latitude), (-180...180).contains(position.longitude) else { return nil }
    row = min(max(Int((position.latitude * 100).rounded(.down)), -9000), 8999)
    let east = Int(((position.longitude + 180) * 100).rounded(.down)) % Self.hundredthsAround
    column = east / Self.width(of: row)
  }

  /// The width of the cells of a row in hundredths of a degree: one kilometer at the edge nearer to the pole.
  private static func width(of row: Int) -> Int {
    let edge = Double(max(abs(row), abs(row + 1))) / 100
    let kilometers = kilometersPerHundredth * cos(edge * .pi / 180)
    guard kilometers * Double(hundredthsAround) > 1 else { return hundredthsAround }
    return min(hundredthsAround, Int((1 / kilometers).rounded(.up)))
  }

  var center: GeographicPosition {
    let width = Self.width(of: row)
    let (west, east) = (column * width, min((column + 1) * width, Self.hundredthsAround))
    return GeographicPosition(
      latitude: (Double(row) + 0.5) / 100, longitude: Double(west + east) / 200 - 180)
  }
}

/// A point on a sphere in fixed-point numbers, so that distances need no trigonometry.
struct EarthPoint: Hashable, Sendable {
  let x: Int32
  let y: Int32
  let z: Int32

  private static let scale = 1_073_741_824.0

  init(_ position: GeographicPosition) {
    let (latitude, longitude) = (position.latitude * .pi / 180, position.longitude * .pi / 180)
    x = Int32((cos(latitude) * cos(longitude) * Self.scale).rounded())
    y = Int32((cos(latitude) * sin(longitude) * Self.scale).rounded())
    z = Int32((sin(latitude) * Self.scale).rounded())
  }

  private init() { (x, y, z) = (0, 0, 0) }

  /// The center of the earth, which is no position.
  static let unset = EarthPoint()

  var isUnset: Bool { x == 0 && y == 0 && z == 0 }

  /// The square of the length of the chord in kilometers, which for 100 km is a meter shorter than the arc.
  @inline(__always)
  func squaredKilometers(to other: EarthPoint) -> Double {
    let (dx, dy, dz) = (Double(x) - Double(other.x), Double(y) - Double(other.y), Double(z) - Double(other.z))
    let factor = 6371.0088 / 1_073_741_824.0
    return (dx * dx + dy * dy + dz * dz) * (factor * factor)
  }
}
