import Contracts

/// The visible profiles of all places in packed rows: about 170 bytes for each person.
///
/// People who look in the same city, or in the same square of half a degree, are in one group, so that the candidates of
/// a viewer are a few whole groups. A group is a list of chunks: a scan holds the chunks that it began with while a
/// change copies at most one of them.
struct RoommateIndexContent: Sendable {
  private struct Location {
    var group: Int32
    var row: Int32
  }

  private static let chunkSize = 4096

  private(set) var tables = RoommateTables()
  private var groups: [[ContiguousArray<PackedRoommate>]] = []
  private var groupNumbers: [RoommateRegion: Int32] = [:]
  private var byCity: [String: [Int32]] = [:]
  private var bySquare: [RoommateRegion.Square: [Int32]] = [:]
  private var locations: [PackedID: Location] = [:]

  var count: Int { locations.count }

  /// Adds or replaces a profile.
  mutating func insert(_ profile: CompleteProfile) {
    let packed = PackedRoommate(profile, &tables)
    let group = number(of: profile.region)
    if let known = locations[packed.id] {
      if known.group == group {
        groups[Int(group)][Int(known.row) / Self.chunkSize][Int(known.row) % Self.chunkSize] = packed
        return
      }
      remove(packed.id)
    }
    let row = count(of: group)
    if row % Self.chunkSize == 0 { groups[Int(group)].append([]) }
    groups[Int(group)][row / Self.chunkSize].append(packed)
    locations[packed.id] = Location(group: group, row: Int32(row))
  }

  /// Removes a profile; the last one of its group takes its row.
  mutating func remove(_ id: PackedID) {
    guard let place = locations.removeValue(forKey: id) else { return }
    let (group, row, last) = (Int(place.group), Int(place.row), count(of: place.group) - 1)
    let moved = groups[group][last / Self.chunkSize].removeLast()
    if last % Self.chunkSize == 0 { groups[group].removeLast() }
    guard row != last else { return }
    groups[group][row / Self.chunkSize][row % Self.chunkSize] = moved
    locations[moved.id] = place
  }

  mutating func apply(_ changes: RoommateChanges) {
    for (user, profile) in changes.profiles {
      if let profile { insert(profile) } else { remove(PackedID(user)) }
    }
  }

  mutating func pack(_ profile: CompleteProfile) -> PackedRoommate { PackedRoommate(profile, &tables) }

  /// The rows of everyone at the place of a viewer, and of some who are too far away.
  func rows(for viewer: CompleteProfile) -> [ContiguousArray<PackedRoommate>] {
    let region = viewer.region
    guard let position = viewer.preferences.place?.position else {
      return (region.city.flatMap { byCity[$0] } ?? []).flatMap { groups[Int($0)] }
    }
    let kilometers = viewer.preferences.distance?.kilometers.value ?? RoommateRegion.defaultKilometers
    var found = RoommateRegion.squares(around: position, kilometers: kilometers).flatMap { bySquare[$0] ?? [] }
    if let city = RoommateRegion(cityOf: region), let group = groupNumbers[city] { found.append(group) }
    return found.flatMap { groups[Int($0)] }
  }

  private func count(of group: Int32) -> Int {
    let chunks = groups[Int(group)]
    return chunks.isEmpty ? 0 : (chunks.count - 1) * Self.chunkSize + chunks[chunks.count - 1].count
  }

  private mutating func number(of region: RoommateRegion) -> Int32 {
    if let known = groupNumbers[region] { return known }
    let number = Int32(groups.count)
    groups.append([])
    groupNumbers[region] = number
    if let city = region.city { byCity[city, default: []].append(number) }
    if let square = region.square { bySquare[square, default: []].append(number) }
    return number
  }
}
