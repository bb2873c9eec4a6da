import Contracts

/// Compares a viewer with a few others, as the index does.
struct RoommateComparison {
  let viewer: CompleteProfile
  let today: CalendarDate
  private var tables = RoommateTables()
  private let packed: PackedRoommate

  init(_ viewer: CompleteProfile, on today: CalendarDate) {
    (self.viewer, self.today) = (viewer, today)
    packed = PackedRoommate(viewer, &tables)
  }

  /// The rank of someone in the viewer's deck; `nil` when the two are not eligible for each other.
  mutating func candidate(_ other: CompleteProfile) -> DeckSelection.Candidate? {
    guard other.userID != viewer.userID, viewer.isAtPlace(of: other) else { return nil }
    let row = PackedRoommate(other, &tables)
    guard let score = Compatibility.score(packed, row, tables.languages, today: PackedRoommate.packed(today)) else {
      return nil
    }
    return DeckSelection.Candidate(
      key: UInt64(score) << 32 | UInt64(Compatibility.tieBreaker(packed.id, row.id)), id: row.id)
  }

  /// The card of someone.
  mutating func card(of other: CompleteProfile, _ name: PublicName?) -> RoommateCard {
    var preferences = other.preferences
    preferences.place?.position = nil
    return RoommateCard(
      userID: other.userID, user: name, age: other.age(on: today), gender: other.identity.gender,
      school: other.about.school, bio: other.about.bio, photo: other.photos.card, place: other.preferences.place?.city,
      distance: viewer.distance(to: other), score: candidate(other).map { $0.score * 100 / Compatibility.full },
      reasons: CompatibilityReasons.of(viewer, other), preferences: preferences)
  }
}
