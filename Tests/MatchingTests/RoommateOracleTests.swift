import Contracts
import TestKit
import Testing

@testable import MatchingService

/// The index and its packed rows against the documented rules, on random people.
struct RoommateOracleTests {
  private static let day = CalendarDate(checked: 2026, 1, 1)

  private static func expected(_ viewer: CompleteProfile, _ people: [UserID: CompleteProfile], without: Set<UserID>)
    -> [(score: Int, user: UserID)]
  {
    people.values.compactMap { person in
      guard person.userID != viewer.userID, !without.contains(person.userID) else { return nil }
      return CompatibilityOracle.score(viewer, person, on: day).map { ($0, person.userID) }
    }
  }

  private static func found(
    _ viewer: CompleteProfile, _ content: inout RoommateIndexContent, without: Set<UserID> = [], _ count: Int = 10_000
  ) -> [DeckSelection.Candidate] {
    content.selection(for: viewer, without: Set(without.map { PackedID($0) }), on: day)
      .best(count, of: content.rows(for: viewer))
  }

  @Test func findsThoseWhoAreEligibleForEachOther() {
    var random = SeededGenerator()
    for _ in 0..<20 {
      var content = RoommateIndexContent()
      let people = RoommatePopulation.people(150, &random)
      for person in people { content.insert(person) }
      let byID = Dictionary(uniqueKeysWithValues: people.map { ($0.userID, $0) })
      for viewer in people.prefix(20) {
        let expected = Self.expected(viewer, byID, without: [])
        let found = Self.found(viewer, &content)
        #expect(Set(found.map(\.id.userID)) == Set(expected.map(\.user)), "\(random)")
        let scores = Dictionary(uniqueKeysWithValues: expected.map { ($0.user, $0.score) })
        for candidate in found { #expect(candidate.score == scores[candidate.id.userID], "\(random)") }
      }
    }
  }

  @Test func eligibilityIsMutual() {
    var random = SeededGenerator()
    let people = RoommatePopulation.people(200, &random)
    var comparisons = 0
    for one in people.prefix(40) {
      var comparison = RoommateComparison(one, on: Self.day)
      for other in people where other.userID != one.userID {
        var back = RoommateComparison(other, on: Self.day)
        let there = comparison.candidate(other)
        #expect(there?.score == back.candidate(one)?.score, "\(random)")
        comparisons += there == nil ? 0 : 1
      }
    }
    #expect(comparisons > 0)
  }

  @Test func theBestComeFirstAndAFewAreTheBeginningOfAll() {
    var random = SeededGenerator()
    var content = RoommateIndexContent()
    let people = RoommatePopulation.people(600, &random)
    for person in people { content.insert(person) }
    for viewer in people.prefix(30) {
      let all = Self.found(viewer, &content)
      #expect(all.map(\.score) == all.map(\.score).sorted(by: >), "\(random)")
      for count in [1, 2, 7, 20] {
        #expect(Self.found(viewer, &content, count).map(\.id) == all.prefix(count).map(\.id), "\(random)")
      }
    }
  }

  @Test func noOneIsShownTwice() {
    var random = SeededGenerator()
    var content = RoommateIndexContent()
    let people = RoommatePopulation.people(300, &random)
    for person in people { content.insert(person) }
    for viewer in people.prefix(20) {
      let all = Self.found(viewer, &content).map(\.id.userID)
      var seen: [UserID] = []
      while true {
        let next = Self.found(viewer, &content, without: Set(seen), 7).map(\.id.userID)
        if next.isEmpty { break }
        seen += next
      }
      #expect(seen == all, "\(random)")
    }
  }

  @Test func changesLeaveTheSameIndexAsLoading() {
    var random = SeededGenerator()
    var (content, people): (RoommateIndexContent, [UserID: CompleteProfile]) = (RoommateIndexContent(), [:])
    for step in 0..<2000 {
      if Int.random(in: 0..<3, using: &random) == 0, let someone = people.keys.randomElement(using: &random) {
        content.remove(PackedID(someone))
        people[someone] = nil
      } else if var person = RoommatePopulation.person(&random) {
        // Half of the changes are of someone who is known, often to another place.
        if Bool.random(using: &random), let known = people.keys.randomElement(using: &random) {
          person = person.as(known) ?? person
        }
        content.insert(person)
        people[person.userID] = person
      }
      guard step % 100 == 99, let viewer = people.values.randomElement(using: &random) else { continue }
      #expect(content.count == people.count, "\(random)")
      let found = Self.found(viewer, &content).map(\.id.userID)
      #expect(found.count == Set(found).count, "\(random)")
      #expect(Set(found) == Set(Self.expected(viewer, people, without: []).map(\.user)), "\(random)")
    }
  }

  @Test func theIndexDoesNotGrowWithChanges() throws {
    var random = SeededGenerator()
    var (content, people) = (RoommateIndexContent(), RoommatePopulation.people(20, &random))
    for person in people { content.insert(person) }
    for number in 0..<2000 {
      var stages = RoommateStages()
      let known = people[number % people.count]
      let position = GeographicPosition(
        latitude: .random(in: -80...80, using: &random), longitude: .random(in: -179...179, using: &random))
      (stages.contact, stages.identity) = (RoommateContact(phone: PhoneNumber(checked: "+14155550100")), known.identity)
      stages.about = RoommateAbout(school: ShortText(checked: "School \(number)"), bio: Biography(checked: ""))
      stages.photos = known.photos
      stages.preferences = RoommatePreferences.in("City \(number / 3)").with {
        if number % 2 == 0 { $0.place?.position = SnappedPosition(position)?.center }
        let languages = LanguageCode.all.shuffled(using: &random).prefix(5).map { LanguageCode(checked: String($0)) }
        $0.languages = SetPreference(own: languages, accepts: [languages[0]], weight: .prefer)
      }
      let person = try #require(CompleteProfile(known.userID, stages))
      people[number % people.count] = person
      content.insert(person)
      // Viewers who are not in the index leave nothing either.
      if let viewer = person.as(RoommatePopulation.id(&random)) { _ = Self.found(viewer, &content) }
    }
    #expect(content.count == 20)
    // At most a group, a city, a square, a school and two sets of languages for each, and those of a viewer.
    #expect(content.overhead <= 8 * 20, "\(random)")
    let byID = Dictionary(uniqueKeysWithValues: people.map { ($0.userID, $0) })
    for viewer in people {
      #expect(
        Set(Self.found(viewer, &content).map(\.id.userID)) == Set(Self.expected(viewer, byID, without: []).map(\.user)))
    }
    for person in people { content.remove(PackedID(person.userID)) }
    #expect(content.count == 0)
  }

  @Test func aScanKeepsItsLanguagesWhileTheIndexChanges() throws {
    func speaker(_ code: String) throws -> CompleteProfile {
      var random = SeededGenerator()
      let pattern = try #require(RoommatePopulation.person(&random, born: 2000))
      let language = LanguageCode(checked: code)
      return try #require(
        pattern.as(IDGenerator().make())?.in(
          .in("Austin").with { $0.languages = SetPreference(own: [language], accepts: [language], weight: .must) }))
    }
    var content = RoommateIndexContent()
    let (viewer, other) = (try speaker("de"), try speaker("de"))
    content.insert(other)
    let selection = content.selection(for: viewer, without: [], on: Self.day)
    let rows = content.rows(for: viewer)
    // The number of German is given to French.
    content.remove(PackedID(other.userID))
    content.insert(try speaker("fr"))
    #expect(selection.best(10, of: rows).map(\.id.userID) == [other.userID])
    #expect(Self.found(viewer, &content).isEmpty)
  }

  @Test func chunksOfOneCityAreScannedCompletely() throws {
    var random = SeededGenerator()
    var content = RoommateIndexContent()
    let person = try #require(RoommatePopulation.person(&random)?.in(.in("Austin")))
    let users: [UserID] = (0..<9000).map { _ in RoommatePopulation.id(&random) }
    for user in users { person.as(user).map { content.insert($0) } }
    for user in users.prefix(5000) { content.remove(PackedID(user)) }
    #expect(Set(Self.found(person, &content).map(\.id.userID)) == Set(users.dropFirst(5000)))
  }

  @Test func equalScoresAreOrderedDifferentlyForEveryViewer() throws {
    var random = SeededGenerator()
    var content = RoommateIndexContent()
    let person = try #require(RoommatePopulation.person(&random)?.in(.in("Austin")))
    let people = (0..<200).compactMap { _ in person.as(RoommatePopulation.id(&random)) }
    for person in people { content.insert(person) }
    // Everyone is equally good: the first ten are nearly always others.
    let first = people.flatMap { Self.found($0, &content, 10).map(\.id.userID) }
    #expect((first.counts.values.max() ?? 0) < 40)
    #expect(first.counts.count > 180)
  }

  @Test func idsKeepTheirText() {
    for _ in 0..<1000 {
      let id: UserID = IDGenerator().make()
      #expect(PackedID(id).userID == id)
    }
  }
}

extension CompleteProfile {
  /// The same answers of another user.
  func `as`(_ user: UserID) -> CompleteProfile? { copy(user, preferences) }

  /// The same person with other preferences.
  func `in`(_ preferences: RoommatePreferences) -> CompleteProfile? { copy(userID, preferences) }

  private func copy(_ user: UserID, _ preferences: RoommatePreferences) -> CompleteProfile? {
    let contact = RoommateContact(phone: PhoneNumber(checked: "+14155550100"))
    return CompleteProfile(
      user,
      RoommateStages(contact: contact, identity: identity, about: about, preferences: preferences, photos: photos))
  }
}
