import Contracts
import TestKit
import Testing

@testable import MatchingService

struct CompatibilityTests {
  private static let day = CalendarDate(checked: 2026, 1, 1)

  private static func person(
    _ preferences: RoommatePreferences, gender: Gender = .female, born: Int = 2000, school: String? = nil
  ) throws -> CompleteProfile {
    let request = MatchingAPI.PutRoommateProfile.complete(preferences, gender: gender, born: born)
    let about = RoommateAbout(school: school.map { ShortText(checked: $0) }, bio: Biography(checked: ""))
    let stages = RoommateStages(
      contact: request.contact, identity: request.identity, about: about, preferences: preferences,
      photos: request.photos)
    return try #require(CompleteProfile(IDGenerator().make(), stages))
  }

  private static func score(_ one: CompleteProfile, _ other: CompleteProfile) -> Int? {
    var comparison = RoommateComparison(one, on: day)
    return comparison.candidate(other)?.score
  }

  private static func smoker(_ own: SmokingHabit?, accepts: [SmokingHabit]?, _ weight: PreferenceWeight?) throws
    -> CompleteProfile
  {
    try person(.in("Austin").with { $0.smoking = ChoicePreference(own: own, accepts: accepts, weight: weight) })
  }

  @Test func peopleWithoutPreferencesSuitEachOther() throws {
    #expect(Self.score(try Self.person(.in("Austin")), try Self.person(.in("Austin"))) == 1_000_000)
  }

  @Test(
    arguments: [
      (SmokingHabit.never, PreferenceWeight.must, 1_000_000), (.never, .prefer, 1_000_000), (.inside, .must, nil),
      (.inside, .prefer, 0), (.inside, .indifferent, 1_000_000), (nil, .must, nil), (nil, .prefer, 1_000_000),
      (nil, .indifferent, 1_000_000),
    ] as [(SmokingHabit?, PreferenceWeight, Int?)])
  func aRequirementExcludesAndAPreferenceOrders(_ own: SmokingHabit?, _ weight: PreferenceWeight, _ expected: Int?)
    throws
  {
    let one = try Self.smoker(.never, accepts: [.never], weight)
    let other = try Self.smoker(own, accepts: nil, nil)
    #expect(Self.score(one, other) == expected)
    #expect(Self.score(other, one) == expected)
  }

  @Test func requirementsCountTwiceInTheMean() throws {
    let one = try Self.person(
      .in("Austin").with {
        $0.smoking = ChoicePreference(own: .never, accepts: [.never], weight: .must)
        $0.sleep = ChoicePreference(own: .early, accepts: [.early], weight: .prefer)
      })
    let other = try Self.person(
      .in("Austin").with {
        $0.smoking = ChoicePreference(own: .never)
        $0.sleep = ChoicePreference(own: .late)
      })
    // 2/3 one way and 1 the other way have the harmonic mean 0.8.
    #expect(Self.score(one, other) == 799_999)
  }

  @Test(
    arguments: [
      (Int64(500), Int64(800), 1000), (900, 1200, 3), (1500, 2000, 0), (100, 5000, 1000),
    ] as [(Int64, Int64, Int)])
  func budgetsCountByTheirCommonPart(_ from: Int64, _ to: Int64, _ permille: Int) throws {
    let one = try Self.person(
      .in("Austin").with { $0.budget = BudgetPreference(from: 500, to: 900, currency: .usd, weight: .prefer) })
    let other = try Self.person(.in("Austin").with { $0.budget = BudgetPreference(from: from, to: to, currency: .usd) })
    let there = permille * 1000
    #expect(Self.score(one, other) == 2 * there * 1_000_000 / (there + 1_000_000))
  }

  @Test func budgetsInOtherCurrenciesDoNotMeet() throws {
    let one = try Self.person(
      .in("Austin").with { $0.budget = BudgetPreference(from: 500, to: 900, currency: .usd, weight: .must) })
    let other = try Self.person(
      .in("Austin").with { $0.budget = BudgetPreference(from: 500, to: 900, currency: Currency(trusted: "EUR")) })
    #expect(Self.score(one, other) == nil)
  }

  @Test(arguments: [(1, 0), (2, 250), (3, 500), (4, 750), (5, 1000)])
  func levelsCountByTheirDistance(_ own: Int, _ permille: Int) throws {
    let one = try Self.person(
      .in("Austin").with {
        $0.cleanliness = ChoicePreference(accepts: [LivingLevel(checked: 5)], weight: .prefer)
      })
    let other = try Self.person(
      .in("Austin").with { $0.cleanliness = ChoicePreference(own: LivingLevel(checked: own)) })
    let there = permille * 1000
    #expect(Self.score(one, other) == 2 * there * 1_000_000 / (there + 1_000_000))
  }

  @Test(arguments: [(1996, nil), (1995, 1_000_000), (1990, 1_000_000), (1989, nil)] as [(Int, Int?)])
  func agesChangeOnBirthdays(_ born: Int, _ expected: Int?) throws {
    // Born in June: on January 1, 2026 someone of 1995 is 30 years old.
    let one = try Self.person(
      .in("Austin").with {
        $0.age = AgePreference(from: RoommateAge(checked: 30), to: RoommateAge(checked: 35), weight: .must)
      })
    #expect(Self.score(one, try Self.person(.in("Austin"), born: born)) == expected)
  }

  @Test func spellingsOfACityAreEqualAndCountriesAreNot() throws {
    let one = try Self.person(.in("San José", "CR"))
    #expect(Self.score(one, try Self.person(.in("SAN  JOSE", "CR"))) == 1_000_000)
    #expect(Self.score(one, try Self.person(.in("San José", "US"))) == nil)
  }

  @Test(arguments: [(nil, nil, true), (10, nil, false), (nil, 10, false), (30, 100, true)] as [(Int?, Int?, Bool)])
  func theDistanceHasToSuitBoth(_ mine: Int?, _ theirs: Int?, _ suits: Bool) throws {
    // 22 km apart.
    let one = try Self.person(.at(52.505, 13.405, kilometers: mine))
    let other = try Self.person(.at(52.705, 13.405, kilometers: theirs))
    #expect((Self.score(one, other) != nil) == suits)
  }

  @Test func petsHaveToBeAcceptedAllAndLanguagesOne() throws {
    let one = try Self.person(
      .in("Austin").with { $0.pets = SetPreference(own: nil, accepts: [.cat], weight: .must) })
    let cats = try Self.person(.in("Austin").with { $0.pets = SetPreference(own: [.cat]) })
    let both = try Self.person(.in("Austin").with { $0.pets = SetPreference(own: [.cat, .dog]) })
    #expect(Self.score(one, cats) != nil)
    #expect(Self.score(one, both) == nil)
    let english = LanguageCode(checked: "en")
    let speaker = try Self.person(.in("Austin").with { $0.languages = SetPreference(own: [english], weight: .must) })
    let two = try Self.person(
      .in("Austin").with { $0.languages = SetPreference(own: [LanguageCode(checked: "de"), english]) })
    #expect(Self.score(speaker, two) != nil)
    #expect(Self.score(speaker, cats) == nil)
  }

  @Test func schoolsAreComparedByTheirNames() throws {
    let preferences = RoommatePreferences.in("Austin").with { $0.school = SchoolPreference(weight: .must) }
    let one = try Self.person(preferences, school: "Some College")
    #expect(Self.score(one, try Self.person(.in("Austin"), school: "some  college")) != nil)
    #expect(Self.score(one, try Self.person(.in("Austin"), school: "Other")) == nil)
    #expect(Self.score(one, try Self.person(.in("Austin"))) == nil)
  }

  @Test func reasonsNameWhatBothHaveInCommon() throws {
    let one = try Self.person(
      .in("Austin").with {
        $0.budget = BudgetPreference(from: 50_000, to: 90_000, currency: .usd)
        $0.smoking = ChoicePreference(own: .never)
      })
    let other = try Self.person(
      .in("Austin").with {
        $0.budget = BudgetPreference(from: 60_000, to: 120_000, currency: .usd)
        $0.smoking = ChoicePreference(own: .never)
      })
    #expect(
      CompatibilityReasons.of(one, other) == [
        RoommateReason(.nonSmokers, "Both are non-smokers"),
        RoommateReason(.budgetsOverlap, "Budgets overlap by 300.00 USD"),
      ])
  }
}
