import Contracts
import TestKit

@testable import MatchingService

/// Random people with few distinct values, so that requirements exclude some and satisfy others.
enum RoommatePopulation {
  static func person(_ random: inout SeededGenerator, born: Int? = nil) -> CompleteProfile? {
    var stages = RoommateStages()
    stages.contact = RoommateContact(phone: PhoneNumber(checked: "+14155550100"))
    stages.identity = RoommateIdentity(
      fullName: PersonName(checked: "Ada Lovelace"),
      birthday: CalendarDate(
        checked: born ?? .random(in: 1980...2007, using: &random), .random(in: 1...12, using: &random),
        .random(in: 1...28, using: &random)),
      gender: pick(Gender.allCases, &random))
    stages.about = RoommateAbout(
      school: maybe(ShortText(checked: pick(["Some College", "SOME  COLLEGE", "Other"], &random)), &random),
      bio: Biography(checked: ""))
    stages.photos = RoommatePhotos(card: id(&random))
    stages.preferences = preferences(&random)
    return CompleteProfile(id(&random), stages)
  }

  static func id<Subject>(_ random: inout SeededGenerator) -> ID<Subject> {
    let start = Timestamp(microseconds: 1_767_225_600_000_000)
    return ID(trusted: UUIDv7.text(at: start, high: random.next() % 4096, low: random.next()))
  }

  static func people(_ count: Int, _ random: inout SeededGenerator) -> [CompleteProfile] {
    var people: [CompleteProfile] = []
    while people.count < count { if let person = person(&random) { people.append(person) } }
    return people
  }

  private static func preferences(_ random: inout SeededGenerator) -> RoommatePreferences {
    var found = RoommatePreferences(place: place(&random))
    found.distance = maybe(
      DistancePreference(kilometers: Kilometers(checked: pick([1, 3, 10, 60, 100], &random)), weight: weight(&random)),
      &random)
    let rent = Int64.random(in: 0...10, using: &random) * 100
    found.budget = maybe(
      BudgetPreference(
        from: rent, to: rent + .random(in: 0...500, using: &random),
        currency: pick([.usd, Currency(trusted: "EUR")], &random),
        weight: weight(&random)), &random)
    let day = Int.random(in: 1...20, using: &random)
    found.moveIn = maybe(
      MoveInPreference(
        from: CalendarDate(checked: 2026, 3, day),
        to: CalendarDate(checked: 2026, 3, .random(in: day...28, using: &random)),
        weight: weight(&random)), &random)
    let months = Int.random(in: 1...20, using: &random)
    found.stay = maybe(
      StayPreference(
        from: StayMonths(checked: months), to: StayMonths(checked: months + .random(in: 0...12, using: &random)),
        weight: weight(&random)), &random)
    let age = Int.random(in: 18...40, using: &random)
    found.age = maybe(
      AgePreference(
        from: RoommateAge(checked: age), to: RoommateAge(checked: age + .random(in: 0...20, using: &random)),
        weight: weight(&random)), &random)
    found.gender = maybe(GenderPreference(accepts: some(Gender.allCases, &random), weight: weight(&random)), &random)
    found.smoking = choice(SmokingHabit.allCases, &random)
    found.cleanliness = choice((1...5).map { LivingLevel(checked: $0) }, &random)
    found.noise = choice((1...5).map { LivingLevel(checked: $0) }, &random)
    found.sleep = choice(SleepRhythm.allCases, &random)
    found.guests = choice(LivingFrequency.allCases, &random)
    found.cooking = choice(LivingFrequency.allCases, &random)
    found.workFromHome = choice(LivingFrequency.allCases, &random)
    found.pets = maybe(
      SetPreference(
        own: some([.cat, .dog, .other], &random), accepts: some(Pet.allCases, &random), weight: weight(&random)),
      &random)
    let languages = ["aa", "de", "en", "fr", "ru", "zu"].map { LanguageCode(checked: $0) }
    found.languages = maybe(
      SetPreference(
        own: maybe(some(languages, &random), &random), accepts: maybe(some(languages, &random), &random),
        weight: weight(&random)), &random)
    found.school = maybe(SchoolPreference(weight: weight(&random)), &random)
    return found
  }

  private static func place(_ random: inout SeededGenerator) -> RoommatePlace {
    let city = RoommatePlace.City(
      name: ShortText(checked: pick(["San José", "san jose", "Austin"], &random)),
      country: CountryCode(checked: pick(["US", "CR"], &random)))
    // Around the date line, and around a border of the index's squares.
    let position = GeographicPosition(
      latitude: pick([0, 60.5], &random) + .random(in: -0.3...0.3, using: &random),
      longitude: pick([-179.9, 179.9], &random) + .random(in: -0.1...0.1, using: &random))
    let snapped = SnappedPosition(position)?.center
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return RoommatePlace(city: city)
    case 1: return RoommatePlace(position: snapped)
    default: return RoommatePlace(city: city, position: snapped)
    }
  }

  private static func choice<Value: Hashable & Codable & Sendable>(_ values: [Value], _ random: inout SeededGenerator)
    -> ChoicePreference<Value>?
  {
    maybe(
      ChoicePreference(
        own: maybe(pick(values, &random), &random), accepts: some(values, &random), weight: weight(&random)), &random)
  }

  /// Requirements are rare: with many of them, no two people are eligible.
  private static func weight(_ random: inout SeededGenerator) -> PreferenceWeight? {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: .must
    case 1..<10: .prefer
    case 10..<15: .indifferent
    default: nil
    }
  }

  private static func maybe<Value>(_ value: Value, _ random: inout SeededGenerator) -> Value? {
    Int.random(in: 0..<4, using: &random) == 0 ? nil : value
  }

  private static func pick<Value>(_ values: [Value], _ random: inout SeededGenerator) -> Value {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  private static func some<Value>(_ values: [Value], _ random: inout SeededGenerator) -> [Value] {
    Array(values.shuffled(using: &random).prefix(.random(in: 1...values.count, using: &random)))
  }
}
