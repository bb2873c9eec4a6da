import Contracts
import GatewayService
import MatchingService
import Persistence
import ServiceKit
import TestKit

@testable import AuthService

/// Roommates on a platform of gateway, auth and matching.
extension TestPlatform {
  static func roommates(
    database: TestDatabase = .sqlite, time: ManualTime? = ManualTime(), _ body: (TestPlatform) async throws -> Void
  ) async throws {
    try await run(
      [GatewayPlugin.self, AuthPlugin.self, MatchingPlugin.self],
      settings: ["limits.write": "0/1", "limits.read": "0/1"],
      database: database, time: time, body)
  }

  /// A signed-in user without a profile. There is no account, so there is no name.
  func swiper(_ id: UserID = IDGenerator().make(), _ roles: [Role] = [.user]) async throws -> TestUser {
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: folder)
    let now = time.source.now().unixSeconds
    let claims = AccessClaims(
      iss: Issuer.name, sub: id.rawValue, aud: ClientApp.roomi.rawValue, sid: IDGenerator().text(),
      scope: ClientApp.web.scopeClaim(),
      roles: roles.map(\.rawValue), iat: now - 60, exp: now + 10 * 365 * 86_400, jti: IDGenerator().text())
    return TestUser(id: id, token: try await keys.sign(claims), client: client)
  }

  /// A user with a complete profile.
  func roommate(_ preferences: RoommatePreferences = .in("Austin"), gender: Gender = .female, born: Int = 2000)
    async throws -> TestUser
  {
    let user = try await swiper()
    _ = try await user.client.send(MatchingAPI.PutRoommateProfile.complete(preferences, gender: gender, born: born))
    return user
  }

  func roommates(_ count: Int) async throws -> [TestUser] {
    var users: [TestUser] = []
    for _ in 0..<count { users.append(try await roommate()) }
    return users
  }

  /// The events of a type that matching has recorded, as JSON texts.
  func recorded(_ event: any Event.Type) async throws -> [String] {
    try await database(of: MatchingAPI.self).read { db in
      try db.values("SELECT data FROM outbox WHERE type = \(event.type) ORDER BY id", as: String.self)
    }
  }
}

extension TestUser {
  func deck(_ limit: Int = 50) async throws -> [UserID] {
    try await client.send(MatchingAPI.GetRoommateDeck(limit: DeckSize(checked: limit))).items.map(\.userID)
  }

  @discardableResult
  func swipe(_ decision: RoommateDecision, _ other: TestUser) async throws -> RoommateSwipe {
    try await client.send(MatchingAPI.SwipeRoommate(userID: other.id, decision: decision))
  }

  func put(_ preferences: RoommatePreferences, isComplete: Bool = true) async throws {
    var request = MatchingAPI.PutRoommateProfile.complete(preferences)
    request.isComplete = isComplete
    _ = try await client.send(request)
  }
}

extension RoommatePreferences {
  static func `in`(_ city: String, _ country: String = "US") -> RoommatePreferences {
    RoommatePreferences(
      place: RoommatePlace(city: .init(name: ShortText(checked: city), country: CountryCode(checked: country))))
  }

  static func at(_ latitude: Double, _ longitude: Double, kilometers: Int? = nil) -> RoommatePreferences {
    var preferences = RoommatePreferences(
      place: RoommatePlace(position: GeographicPosition(latitude: latitude, longitude: longitude)))
    preferences.distance = kilometers.map { DistancePreference(kilometers: Kilometers(checked: $0)) }
    return preferences
  }

  func with(_ change: (inout RoommatePreferences) -> Void) -> RoommatePreferences {
    var copy = self
    change(&copy)
    return copy
  }
}

extension MatchingAPI.PutRoommateProfile {
  static func complete(_ preferences: RoommatePreferences = .in("Austin"), gender: Gender = .female, born: Int = 2000)
    -> Self
  {
    Self(
      contact: RoommateContact(phone: PhoneNumber(checked: "+14155550100")),
      identity: RoommateIdentity(
        fullName: PersonName(checked: "Ada Lovelace"), birthday: CalendarDate(checked: born, 6, 15), gender: gender),
      about: RoommateAbout(school: ShortText(checked: "Some College"), bio: Biography(checked: "Quiet.")),
      preferences: preferences,
      photos: RoommatePhotos(card: IDGenerator().make(), others: [IDGenerator().make()]), isComplete: true)
  }
}

extension CalendarDate {
  /// A date that exists.
  init(checked year: Int, _ month: Int, _ day: Int) {
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    self = CalendarDate("\(year)-\(padded(month))-\(padded(day))") ?? CalendarDate(Timestamp(microseconds: 0))
  }
}
