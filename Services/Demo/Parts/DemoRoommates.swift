import Contracts

/// Roomi: a city of people who look for a roommate, with likes, matches and conversations.
struct DemoRoommates: DemoPart {
  let world: DemoWorld
  /// Students look for roommates, too.
  private let seekers: [DemoPerson]

  init(_ world: DemoWorld) {
    self.world = world
    seekers = world.people.filter { $0.app == .roomi || ($0.app == .letustudy && !$0.isMainCharacter) }
  }

  func fill() async throws {
    try await world.each("roommates", seekers) { person in
      try await world.once("roommate.\(person.index)") { _ in
        let photo = try await DemoPhotos(world).photo(of: person)
        try await person.account.send(profile(of: person, photo: photo))
      }
    }
    try await world.each("matches", pairs) { first, second in
      let ids = (world.id(of: first), world.id(of: second))
      try await world.once("match.\(first.index).\(second.index)") { _ in
        try await first.account.attempt(MatchingAPI.SwipeRoommate(userID: ids.1, decision: .like))
        // Some likes wait for an answer.
        if (first.index + second.index) % 10 < 7 {
          try await second.account.attempt(MatchingAPI.SwipeRoommate(userID: ids.0, decision: .like))
        }
      }
    }
  }

  /// The likes between people: everyone likes the next ones, and many the main character.
  var pairs: [(DemoPerson, DemoPerson)] {
    var pairs: [(DemoPerson, DemoPerson)] = []
    for (number, person) in seekers.enumerated() {
      for step in [1, 3] where number + step < seekers.count { pairs.append((person, seekers[number + step])) }
      if number >= 4, number < 24, let first = seekers.first { pairs.append((person, first)) }
    }
    return pairs
  }

  private func profile(of person: DemoPerson, photo: MediaID) throws -> MatchingAPI.PutRoommateProfile {
    MatchingAPI.PutRoommateProfile(
      contact: RoommateContact(phone: try PhoneNumber(validating: DemoPeople.phone(of: person))),
      identity: RoommateIdentity(
        fullName: try PersonName(validating: person.displayName), birthday: person.birthday, gender: person.gender),
      about: RoommateAbout(
        school: try ShortText(validating: person.school), bio: try Biography(validating: person.biography)),
      preferences: preferences(of: person), photos: RoommatePhotos(card: photo), isComplete: true)
  }

  /// Nothing is required of others, so that everyone may meet everyone; the preferences make the scores.
  private func preferences(of person: DemoPerson) -> RoommatePreferences {
    var random = world.random("preferences.\(person.index)")
    let city = RoommatePlace.City(name: ShortText(checked: "Austin"), country: CountryCode(checked: "US"))
    var result = RoommatePreferences(place: RoommatePlace(city: city))
    let rent = Int64(random.number(in: 55...90)) * 1000
    result.budget = BudgetPreference(from: rent, to: rent + 30_000, currency: .usd, weight: .prefer)
    let start = world.begun.advanced(bySeconds: 86_400 * Double(random.number(in: 7...40)))
    result.moveIn = MoveInPreference(
      from: CalendarDate(start), to: CalendarDate(start.advanced(bySeconds: 86_400 * 45)), weight: .prefer)
    let stay = random.number(in: 6...12)
    result.stay = StayPreference(
      from: StayMonths(checked: stay), to: StayMonths(checked: stay + 12), weight: .indifferent)
    result.smoking = ChoicePreference(
      own: random.chance(0.85) ? .never : .outside, accepts: [.never, .outside], weight: .prefer)
    result.pets = SetPreference(
      own: [random.pick([.none, .none, .cat, .dog])], accepts: [.none, .cat, .dog], weight: .prefer)
    result.cleanliness = level(&random)
    result.noise = level(&random)
    result.sleep = ChoicePreference(
      own: random.pick(SleepRhythm.allCases), accepts: SleepRhythm.allCases, weight: .indifferent)
    result.cooking = ChoicePreference(
      own: random.pick(LivingFrequency.allCases), accepts: [.sometimes, .often], weight: .prefer)
    result.languages = SetPreference(
      own: random.pick(2, of: ["en", "es", "de", "fr", "pt"]).map { LanguageCode(checked: $0) })
    return result
  }

  private func level(_ random: inout DemoRandom) -> ChoicePreference<LivingLevel> {
    let own = random.number(in: 2...5)
    let accepted = [own - 1, own, own + 1].compactMap { LivingLevel($0) }
    return ChoicePreference(own: LivingLevel(checked: own), accepts: accepted, weight: .prefer)
  }
}
