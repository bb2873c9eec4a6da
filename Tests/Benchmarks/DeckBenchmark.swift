import AuthService
import Contracts
import Foundation
import GatewayService
import MatchingService
import Persistence
import ServiceKit

/// Decks of a user with 5,000 swipes among many people, through the routers of the gateway and the services in one
/// process, on SQLite.
enum DeckBenchmark {
  private static let swipes = 5000
  private static let batch = 2000

  static func run(people: Int, cities: Int) async throws {
    let folder = FileManager.default.currentDirectoryPath + "/.build/benchmark-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let platform = try await ServiceHost.build(
      [GatewayPlugin.self, AuthPlugin.self, MatchingPlugin.self],
      settings: Settings([
        "data": folder, "log.level": "error", "limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1",
        "auth.accessTokenSeconds": "3600",
      ])
    )
    guard let matching = platform.plugin(MatchingPlugin.self) else { return }
    try await fill(matching, people: people, cities: cities)
    let viewer = try await signUp(platform.client())
    _ = try await viewer.send(profile(0, cities: cities))
    try await load(viewer, people: people)
    try await swipe(viewer)
    var times: [Double] = []
    for _ in 0..<500 {
      let start = Date()
      let deck = try await viewer.send(MatchingAPI.GetRoommateDeck())
      times.append(Date().timeIntervalSince(start) * 1000)
      if deck.items.count < 20 { throw CallError.unknown("only \(deck.items.count) cards") }
    }
    times.sort()
    print("deck-p50 \(Benchmarks.format(Benchmarks.percentile(times, 0.5))) ms at \(people) people in \(cities) cities")
    print("deck-p99 \(Benchmarks.format(Benchmarks.percentile(times, 0.99))) ms")
    await platform.close()
  }

  private static func signUp(_ client: APIClient) async throws -> APIClient {
    let signed = try await client.send(
      AuthAPI.SignUp(
        email: EmailAddress(validating: "ada@example.com"), username: Username(validating: "ada"),
        displayName: DisplayName(validating: "Ada"), password: Password(validating: "correct horse battery")))
    return client.with(accessToken: signed.accessToken)
  }

  private static func fill(_ matching: MatchingPlugin, people: Int, cities: Int) async throws {
    let ids = IDGenerator()
    let start = Date()
    for first in stride(from: 0, to: people, by: batch) {
      let numbers = first..<min(people, first + batch)
      try await matching.addRoommates(numbers.map { (ids.make(), profile($0, cities: cities)) })
    }
    print("profiles-stored \(people) in \(Benchmarks.format(Date().timeIntervalSince(start))) s")
  }

  /// The first deck waits until all profiles are in memory.
  private static func load(_ viewer: APIClient, people: Int) async throws {
    let (start, memory) = (Date(), residentMegabytes())
    while true {
      do {
        _ = try await viewer.send(MatchingAPI.GetRoommateDeck())
        break
      } catch CallError.problem(let problem) {
        guard problem.is(.unavailable) else { throw CallError.problem(problem) }
      }
    }
    print("profiles-loaded in \(Benchmarks.format(Date().timeIntervalSince(start))) s")
    let bytes = (residentMegabytes() - memory) * 1_048_576 / Double(people)
    print("memory-per-profile \(Benchmarks.format(bytes)) bytes")
  }

  private static func swipe(_ viewer: APIClient) async throws {
    try await Benchmarks.measure("swipe-with-decks-of-50", count: swipes) {
      for _ in 0..<(swipes / 50) {
        let deck = try await viewer.send(MatchingAPI.GetRoommateDeck(limit: DeckSize(checked: 50)))
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (index, card) in deck.items.enumerated() {
            group.addTask {
              let decision: RoommateDecision = index % 2 == 0 ? .like : .dislike
              _ = try await viewer.send(MatchingAPI.SwipeRoommate(userID: card.userID, decision: decision))
            }
          }
          try await group.waitForAll()
        }
      }
    }
  }

  /// Different people with the same answers on every run; all fields are filled, and most are preferred.
  private static func profile(_ number: Int, cities: Int) -> MatchingAPI.PutRoommateProfile {
    func pick<Value>(_ values: [Value], _ salt: Int) -> Value {
      values[(number &* 31 &+ salt &* 7919) / 7 % values.count]
    }
    let city = RoommatePlace.City(
      name: ShortText(checked: "City \(number % cities)"), country: CountryCode(checked: "US"))
    var wanted = RoommatePreferences(place: RoommatePlace(city: city))
    let rent = Int64(30_000 + number % 97 * 1000)
    wanted.budget = BudgetPreference(from: rent, to: rent + 40_000, currency: .usd, weight: .prefer)
    wanted.stay = StayPreference(
      from: StayMonths(checked: 3 + number % 9), to: StayMonths(checked: 12 + number % 20), weight: .prefer)
    wanted.age = AgePreference(from: RoommateAge(checked: 18), to: RoommateAge(checked: 60), weight: .must)
    wanted.smoking = ChoicePreference(
      own: pick(SmokingHabit.allCases, 1), accepts: pick([[.never], [.never, .outside], SmokingHabit.allCases], 2),
      weight: pick([.must, .prefer, .prefer], 3))
    wanted.cleanliness = ChoicePreference(
      own: LivingLevel(checked: 1 + number % 5), accepts: [3, 4, 5].map { LivingLevel(checked: $0) }, weight: .prefer)
    wanted.sleep = ChoicePreference(
      own: pick(SleepRhythm.allCases, 4), accepts: [.early, .flexible], weight: .prefer)
    wanted.guests = ChoicePreference(
      own: pick(LivingFrequency.allCases, 5), accepts: [.never, .sometimes], weight: .prefer)
    wanted.pets = SetPreference(own: [pick(Pet.allCases, 6)], accepts: [.none, .cat, .dog], weight: .prefer)
    wanted.languages = SetPreference(own: [LanguageCode(checked: pick(["en", "de", "es"], 7))], weight: .prefer)
    return MatchingAPI.PutRoommateProfile(
      contact: RoommateContact(phone: PhoneNumber(checked: "+14155550100")),
      identity: RoommateIdentity(
        fullName: PersonName(checked: "Person \(number)"), birthday: CalendarDate(birthdayOf(number)), gender: .female),
      about: RoommateAbout(school: ShortText(checked: "School \(number % 40)"), bio: Biography(checked: "Quiet.")),
      preferences: wanted, photos: RoommatePhotos(card: IDGenerator().make()), isComplete: true)
  }

  /// From 1981 to 2001.
  private static func birthdayOf(_ number: Int) -> Timestamp {
    Timestamp(microseconds: Int64(347_155_200 + number % 7300 * 86_400) * 1_000_000)
  }

  private static func residentMegabytes() -> Double {
    let status = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = status.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
    return pages * 4096 / 1_048_576
  }
}
