import Contracts

/// The visible profiles of all places in packed rows: about 170 bytes for each person.
///
/// People who look in the same city, or in the same square of half a degree, are in one group, so that the candidates
/// of a viewer are a few whole groups. A group is a list of chunks: a scan holds the chunks that it began with while a
/// change copies at most one of them. What the last person of a group, school or set of languages leaves is used again,
/// so that the memory depends on the people and not on the number of changes.
struct RoommateIndexContent: Sendable {
  private struct Location {
    var group: Int32
    var row: Int32
  }

  private struct Group {
    var region: RoommateRegion?
    var chunks: [ContiguousArray<PackedRoommate>] = []

    var count: Int { chunks.isEmpty ? 0 : (chunks.count - 1) * chunkSize + chunks[chunks.count - 1].count }
  }

  private static let chunkSize = 4096

  private var tables = RoommateTables()
  private var groups: [Group] = []
  private var emptyGroups: [Int32] = []
  private var groupNumbers: [RoommateRegion: Int32] = [:]
  private var byCity: [String: [Int32]] = [:]
  private var bySquare: [RoommateRegion.Square: [Int32]] = [:]
  private var locations: [PackedID: Location] = [:]

  var count: Int { locations.count }

  /// The number of entries beside the people: numbers, used or not, and keys of groups.
  var overhead: Int { tables.count + groups.count + groupNumbers.count + byCity.count + bySquare.count }

  /// Adds or replaces a profile.
  mutating func insert(_ profile: CompleteProfile) {
    let packed = PackedRoommate(profile, &tables)
    if let known = locations[packed.id] {
      let (group, chunk, row) = (
        Int(known.group), Int(known.row) / Self.chunkSize, Int(known.row) % Self.chunkSize
      )
      if groups[group].region == profile.region {
        tables.release(groups[group].chunks[chunk][row])
        groups[group].chunks[chunk][row] = packed
        return
      }
      remove(packed.id)
    }
    let group = number(of: profile.region)
    let row = groups[Int(group)].count
    if row % Self.chunkSize == 0 { groups[Int(group)].chunks.append([]) }
    groups[Int(group)].chunks[row / Self.chunkSize].append(packed)
    locations[packed.id] = Location(group: group, row: Int32(row))
  }

  /// Removes a profile; the last one of its group takes its row.
  mutating func remove(_ id: PackedID) {
    guard let location = locations.removeValue(forKey: id) else { return }
    let (group, row, last) = (Int(location.group), Int(location.row), groups[Int(location.group)].count - 1)
    tables.release(groups[group].chunks[row / Self.chunkSize][row % Self.chunkSize])
    let moved = groups[group].chunks[last / Self.chunkSize].removeLast()
    if last % Self.chunkSize == 0 { groups[group].chunks.removeLast() }
    if last == 0 { freeGroup(location.group) }
    guard row != last else { return }
    groups[group].chunks[row / Self.chunkSize][row % Self.chunkSize] = moved
    locations[moved.id] = location
  }

  mutating func apply(_ changes: RoommateChanges) {
    for (user, profile) in changes.profiles {
      if let profile { insert(profile) } else { remove(PackedID(user)) }
    }
  }

  /// A selection that finds the best of ``rows(for:)``.
  mutating func selection(for viewer: CompleteProfile, without excluded: Set<PackedID>, on today: CalendarDate)
    -> DeckSelection
  {
    let packed = PackedRoommate(viewer, &tables)
    // The selection has its own copy of the languages, in which the viewer's numbers remain valid.
    defer { tables.release(packed) }
    return DeckSelection(
      viewer: packed, languages: tables.languages, today: PackedRoommate.packed(today), excluded: excluded)
  }

  /// The rows of everyone at the place of a viewer, and of some who are too far away.
  func rows(for viewer: CompleteProfile) -> [ContiguousArray<PackedRoommate>] {
    let region = viewer.region
    guard let position = viewer.preferences.place?.position else {
      return (region.city.flatMap { byCity[$0] } ?? []).flatMap { groups[Int($0)].chunks }
    }
    let kilometers = viewer.preferences.distance?.kilometers.value ?? RoommateRegion.defaultKilometers
    var found = RoommateRegion.squares(around: position, kilometers: kilometers).flatMap { bySquare[$0] ?? [] }
    if let city = RoommateRegion(cityOf: region), let group = groupNumbers[city] { found.append(group) }
    return found.flatMap { groups[Int($0)].chunks }
  }

  private mutating func number(of region: RoommateRegion) -> Int32 {
    if let known = groupNumbers[region] { return known }
    let number = emptyGroups.popLast() ?? Int32(groups.count)
    if Int(number) == groups.count { groups.append(Group()) }
    groups[Int(number)].region = region
    groupNumbers[region] = number
    if let city = region.city { byCity[city, default: []].append(number) }
    if let square = region.square { bySquare[square, default: []].append(number) }
    return number
  }

  private mutating func freeGroup(_ number: Int32) {
    guard let region = groups[Int(number)].region else { return }
    groups[Int(number)] = Group()
    emptyGroups.append(number)
    groupNumbers[region] = nil
    if let city = region.city { Self.remove(number, of: city, from: &byCity) }
    if let square = region.square { Self.remove(number, of: square, from: &bySquare) }
  }

  private static func remove<Key: Hashable>(_ number: Int32, of key: Key, from groups: inout [Key: [Int32]]) {
    groups[key]?.removeAll { $0 == number }
    if groups[key]?.isEmpty == true { groups[key] = nil }
  }
}
