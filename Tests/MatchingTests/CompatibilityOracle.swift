import Contracts

@testable import MatchingService

/// The documented rules of compatibility over the profiles as people fill them, without packing, tables or index.
enum CompatibilityOracle {
  /// The score of two people from 0 to 1,000,000; `nil` when they are not eligible for each other.
  static func score(_ one: CompleteProfile, _ other: CompleteProfile, on day: CalendarDate) -> Int? {
    guard areAtOnePlace(one, other), let there = satisfaction(one, other, day), let back = satisfaction(other, one, day)
    else { return nil }
    return there + back == 0 ? 0 : 2 * there * back / (there + back)
  }

  private static func areAtOnePlace(_ one: CompleteProfile, _ other: CompleteProfile) -> Bool {
    guard let kilometers = kilometers(one, other) else {
      guard let here = one.preferences.place?.city, let there = other.preferences.place?.city else { return false }
      return here.country == there.country && folded(here.name.rawValue) == folded(there.name.rawValue)
    }
    return kilometers <= limit(one) && kilometers <= limit(other)
  }

  private static func limit(_ person: CompleteProfile) -> Double {
    Double(person.preferences.distance?.kilometers.value ?? 50)
  }

  private static func kilometers(_ one: CompleteProfile, _ other: CompleteProfile) -> Double? {
    guard let here = one.preferences.place?.position, let there = other.preferences.place?.position else { return nil }
    return EarthPoint(here).squaredKilometers(to: EarthPoint(there)).squareRoot()
  }

  private static func folded(_ text: String) -> String {
    text.lowercased().replacing("é", with: "e").split(separator: " ").joined(separator: " ")
  }

  /// A field that counts: how far the other satisfies it, `nil` when they have not filled it.
  private struct Field {
    var weight: PreferenceWeight?
    var grade: Int?
    var least = 1000
  }

  private static func satisfaction(_ person: CompleteProfile, _ other: CompleteProfile, _ day: CalendarDate) -> Int? {
    let counted = fields(person, other, day).filter { $0.weight == .must || $0.weight == .prefer }
    for field in counted where field.weight == .must {
      guard let grade = field.grade, grade >= field.least else { return nil }
    }
    let graded = counted.compactMap { field in field.grade.map { ($0, field.weight == .must ? 2 : 1) } }
    let weights = graded.reduce(0) { $0 + $1.1 }
    return weights == 0 ? 1_000_000 : graded.reduce(0) { $0 + $1.0 * $1.1 } * 1000 / weights
  }

  private static func fields(_ person: CompleteProfile, _ other: CompleteProfile, _ day: CalendarDate) -> [Field] {
    let (mine, theirs) = (person.preferences, other.preferences)
    var fields = [
      choice(mine.smoking, theirs.smoking), choice(mine.sleep, theirs.sleep), choice(mine.guests, theirs.guests),
      choice(mine.cooking, theirs.cooking), choice(mine.workFromHome, theirs.workFromHome),
      level(mine.cleanliness, theirs.cleanliness), level(mine.noise, theirs.noise),
      Field(
        weight: mine.gender?.weight, grade: mine.gender?.accepts.contains(other.identity.gender) == true ? 1000 : 0),
    ]
    if let pets = mine.pets {
      let own = theirs.pets?.own ?? []
      let isAccepted = Set(own).isSubset(of: pets.accepts ?? [])
      fields.append(Field(weight: pets.weight, grade: own.isEmpty ? nil : isAccepted ? 1000 : 0))
    }
    if let wanted = mine.languages?.accepts ?? mine.languages?.own {
      let own = theirs.languages?.own ?? []
      let isShared = !Set(own).isDisjoint(with: wanted)
      fields.append(Field(weight: mine.languages?.weight, grade: own.isEmpty ? nil : isShared ? 1000 : 0))
    }
    if let school = person.about.school {
      let grade = other.about.school.map { folded($0.rawValue) == folded(school.rawValue) ? 1000 : 0 }
      fields.append(Field(weight: mine.school?.weight, grade: grade))
    }
    if let age = mine.age {
      let years = other.identity.birthday.years(until: day)
      let off = years < age.from.value ? age.from.value - years : max(0, years - age.to.value)
      fields.append(Field(weight: age.weight, grade: max(0, 1000 - 200 * off)))
    }
    if let distance = mine.distance, mine.place?.position != nil {
      let lower = kilometers(person, other).map { away in [50, 25, 10, 5, 2].first { Double($0) <= away } ?? 0 }
      fields.append(
        Field(
          weight: distance.weight, grade: lower.map { max(0, 1000 - 1000 * $0 / distance.kilometers.value) }, least: 0))
    }
    return fields + ranges(mine, theirs)
  }

  private static func ranges(_ mine: RoommatePreferences, _ theirs: RoommatePreferences) -> [Field] {
    var fields: [Field] = []
    if let budget = mine.budget {
      let grade = theirs.budget.map {
        $0.currency == budget.currency ? overlap(budget.from...budget.to, $0.from...$0.to) : 0
      }
      fields.append(Field(weight: budget.weight, grade: grade, least: 1))
    }
    if let moveIn = mine.moveIn {
      // All are in one month.
      let grade = theirs.moveIn.map {
        overlap(Int64(moveIn.from.day)...Int64(moveIn.to.day), Int64($0.from.day)...Int64($0.to.day))
      }
      fields.append(Field(weight: moveIn.weight, grade: grade, least: 1))
    }
    if let stay = mine.stay {
      let grade = theirs.stay.map {
        overlap(Int64(stay.from.value)...Int64(stay.to.value), Int64($0.from.value)...Int64($0.to.value))
      }
      fields.append(Field(weight: stay.weight, grade: grade, least: 1))
    }
    return fields
  }

  private static func overlap(_ one: ClosedRange<Int64>, _ other: ClosedRange<Int64>) -> Int {
    guard one.overlaps(other) else { return 0 }
    return max(1, one.clamped(to: other).count * 1000 / min(one.count, other.count))
  }

  private static func choice<Value: Hashable>(_ mine: ChoicePreference<Value>?, _ theirs: ChoicePreference<Value>?)
    -> Field
  {
    Field(
      weight: mine?.accepts == nil ? nil : mine?.weight,
      grade: theirs?.own.map { mine?.accepts?.contains($0) == true ? 1000 : 0 })
  }

  private static func level(_ mine: ChoicePreference<LivingLevel>?, _ theirs: ChoicePreference<LivingLevel>?) -> Field {
    let steps = theirs?.own.map { own in (mine?.accepts ?? []).map { abs($0.value - own.value) }.min() ?? 4 }
    return Field(weight: mine?.accepts == nil ? nil : mine?.weight, grade: steps.map { 1000 - 250 * $0 })
  }
}
