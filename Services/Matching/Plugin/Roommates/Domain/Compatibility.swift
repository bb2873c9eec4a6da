/// How well two people suit each other.
///
/// One way, it is the mean of how far the other satisfies the fields that the person requires (counted twice) or prefers
/// (counted once) and that the other has filled; 1 without any. Both ways, it is the harmonic mean, which is near the
/// worse of the two. Two people are eligible for each other when each satisfies all that the other requires, and the
/// distance of their positions is within both limits. Everything is computed in whole numbers, so that every instance
/// comes to the same order.
enum Compatibility {
  /// The score of two people who suit each other completely.
  static let full = 1_000_000

  /// The score, or `nil` when they are not eligible for each other.
  ///
  /// - Parameters:
  ///   - languages: The table to which both refer.
  ///   - today: For ages, as ``PackedRoommate/packed(_:)``.
  @inline(__always)
  static func score(
    _ one: PackedRoommate, _ other: PackedRoommate, _ languages: ContiguousArray<LanguageSets>, today: UInt32
  ) -> Int? {
    // The requirements on closed sets reject most people with two operations. Levels are of the same kind.
    if other.own & one.required & ~one.accepts != 0 || one.own & other.required & ~other.accepts != 0 { return nil }
    var squared = -1.0
    if !one.point.isUnset && !other.point.isUnset {
      squared = one.point.squaredKilometers(to: other.point)
      let limit = Double(min(one.kilometers, other.kilometers))
      if squared > limit * limit { return nil }
    }
    guard let there = satisfaction(of: one, by: other, languages, squared, today),
      let back = satisfaction(of: other, by: one, languages, squared, today)
    else { return nil }
    return there + back == 0 ? 0 : 2 * there * back / (there + back)
  }

  /// How far someone satisfies a person, or `nil` when they lack something required.
  @inline(__always)
  private static func satisfaction(
    of person: PackedRoommate, by other: PackedRoommate, _ languages: ContiguousArray<LanguageSets>,
    _ squaredKilometers: Double, _ today: UInt32
  ) -> Int? {
    var (sum, weights) = (0, 0)
    var rest = person.musts | person.prefers
    while rest != 0 {
      let bit = rest & (~rest &+ 1)
      rest ^= bit
      guard let field = RoommateField(rawValue: UInt32(bit.trailingZeroBitCount)) else { continue }
      let isRequired = person.musts & bit != 0
      guard let grade = grade(field, person, other, languages, squaredKilometers, today) else {
        if isRequired { return nil }
        continue
      }
      if isRequired && grade < leastGrade(field) { return nil }
      sum += isRequired ? 2 * grade : grade
      weights += isRequired ? 2 : 1
    }
    return weights == 0 ? full : sum * 1000 / weights
  }

  /// The least grade that satisfies a requirement: any overlap of ranges, any distance within the limits, all of
  /// anything else.
  @inline(__always)
  private static func leastGrade(_ field: RoommateField) -> Int {
    switch field {
    case .budget, .moveIn, .stay: 1
    case .distance: 0
    default: 1000
    }
  }

  /// How far someone satisfies a person in one field, from 0 to 1000; `nil` when they have not filled it.
  @inline(__always)
  private static func grade(
    _ field: RoommateField, _ person: PackedRoommate, _ other: PackedRoommate,
    _ languages: ContiguousArray<LanguageSets>, _ squaredKilometers: Double, _ today: UInt32
  ) -> Int? {
    switch field {
    case .gender, .smoking, .pets, .sleep, .guests, .cooking, .workFromHome:
      let own = other.own & field.mask
      return own == 0 ? nil : own & ~person.accepts == 0 ? 1000 : 0
    case .cleanliness, .noise:
      return level(other.own & field.mask, accepted: person.accepts & field.mask, field.mask)
    case .budget:
      if other.budgetTo < 0 { return nil }
      if other.currency != person.currency { return 0 }
      return overlap(person.budgetFrom, person.budgetTo, other.budgetFrom, other.budgetTo)
    case .moveIn:
      if other.moveInTo == 0 { return nil }
      return overlap(
        Int64(person.moveInFrom), Int64(person.moveInTo), Int64(other.moveInFrom), Int64(other.moveInTo))
    case .stay:
      if other.stayTo == 0 { return nil }
      return overlap(Int64(person.stayFrom), Int64(person.stayTo), Int64(other.stayFrom), Int64(other.stayTo))
    case .age:
      let age = Int(today &- other.birthday) >> 9
      let off = max(Int(person.ageFrom) - age, age - Int(person.ageTo), 0)
      return max(0, 1000 - 200 * off)
    case .distance:
      return squaredKilometers < 0 ? nil : nearness(squaredKilometers, limit: Int(person.kilometers))
    case .languages:
      if other.languages == 0 { return nil }
      let spoken = languages[Int(other.languages)].own
      if spoken == SIMD4() { return nil }
      return spoken & languages[Int(person.languages)].accepts == SIMD4() ? 0 : 1000
    case .school:
      return other.school == 0 ? nil : other.school == person.school ? 1000 : 0
    }
  }

  /// A level that is not accepted loses a quarter for each step to the nearest accepted one.
  @inline(__always)
  private static func level(_ own: UInt64, accepted: UInt64, _ mask: UInt64) -> Int? {
    if own == 0 { return nil }
    var (reached, steps) = (accepted, 0)
    while reached & own == 0 && steps < 4 {
      reached = (reached | reached << 1 | reached >> 1) & mask
      steps += 1
    }
    return 1000 - 250 * steps
  }

  /// The common part of two ranges, as a part of the shorter one; at least 1 when there is any.
  @inline(__always)
  private static func overlap(_ from: Int64, _ to: Int64, _ otherFrom: Int64, _ otherTo: Int64) -> Int {
    let common = min(to, otherTo) - max(from, otherFrom) + 1
    if common <= 0 { return 0 }
    return max(1, Int(common * 1000 / (min(to - from, otherTo - otherFrom) + 1)))
  }

  /// Falls with the lower bound of the distance's bucket, the only distance that is shown to others.
  @inline(__always)
  private static func nearness(_ squaredKilometers: Double, limit: Int) -> Int {
    let least =
      switch squaredKilometers {
      case ..<4: 0
      case ..<25: 2
      case ..<100: 5
      case ..<625: 10
      case ..<2500: 25
      default: 50
      }
    return max(0, 1000 - 1000 * least / limit)
  }

  /// A number that orders people with equal scores differently for every viewer, so that all are seen.
  @inline(__always)
  static func tieBreaker(_ viewer: PackedID, _ candidate: PackedID) -> UInt32 {
    var mixed = viewer.low ^ viewer.high &* 0x9E37_79B9_7F4A_7C15 ^ candidate.low &* 0xBF58_476D_1CE4_E5B9
    mixed ^= candidate.high
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return UInt32(truncatingIfNeeded: (mixed ^ (mixed >> 31)) >> 32)
  }
}
