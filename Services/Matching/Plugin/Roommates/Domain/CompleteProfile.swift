import Contracts

/// The stages of a profile, as they are stored.
struct RoommateStages: Codable, Sendable, Equatable {
  var contact: RoommateContact?
  var identity: RoommateIdentity?
  var about: RoommateAbout?
  var preferences: RoommatePreferences?
  var photos: RoommatePhotos?

  var missing: [RoommateStage] {
    let present: [(RoommateStage, Bool)] = [
      (.contact, contact != nil), (.identity, identity != nil), (.about, about != nil),
      (.preferences, preferences != nil), (.photos, photos != nil),
    ]
    return present.filter { !$0.1 }.map(\.0)
  }
}

/// A profile that has every stage: someone whom others may see.
struct CompleteProfile: Sendable {
  let userID: UserID
  let identity: RoommateIdentity
  let about: RoommateAbout
  let preferences: RoommatePreferences
  let photos: RoommatePhotos
  let region: RoommateRegion

  /// `nil` when a stage or the place is missing.
  init?(_ userID: UserID, _ stages: RoommateStages) {
    guard let identity = stages.identity, let about = stages.about, let preferences = stages.preferences,
      let photos = stages.photos, stages.contact != nil, let region = RoommateRegion(preferences.place)
    else { return nil }
    (self.userID, self.identity, self.about, self.preferences) = (userID, identity, about, preferences)
    (self.photos, self.region) = (photos, region)
  }

  func age(on day: CalendarDate) -> Int { identity.birthday.years(until: day) }

  /// Whether two people look for a home at the same place; their distance is part of the comparison.
  func isAtPlace(of other: CompleteProfile) -> Bool {
    if region.square != nil, other.region.square != nil { return true }
    return region.city != nil && region.city == other.region.city
  }

  var point: EarthPoint? { preferences.place?.position.map { EarthPoint($0) } }

  /// The bucket of the distance to someone; `nil` unless both have positions.
  func distance(to other: CompleteProfile) -> RoommateDistance? {
    guard let point, let there = other.point else { return nil }
    return RoommateDistance(squaredKilometers: point.squaredKilometers(to: there))
  }
}

extension RoommateDistance {
  init(squaredKilometers: Double) {
    self =
      switch squaredKilometers {
      case ..<4: .under2Kilometers
      case ..<25: .under5Kilometers
      case ..<100: .under10Kilometers
      case ..<625: .under25Kilometers
      case ..<2500: .under50Kilometers
      case ..<10_000: .under100Kilometers
      default: .farther
      }
  }
}
