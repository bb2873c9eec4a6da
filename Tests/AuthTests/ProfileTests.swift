import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Profiles: visibility, search, settings and consents.
@Suite(.serialized)
struct ProfileTests {
  private func fullPatch() throws -> ProfilePatch {
    var patch = ProfilePatch()
    patch.firstName = .set(try PersonName(validating: "Ada"))
    patch.lastName = .set(try PersonName(validating: "Lovelace"))
    patch.bio = .set(try Biography(validating: "Writes notes."))
    patch.photo = .set(IDGenerator().make())
    patch.school = .set(try ShortText(validating: "Home"))
    patch.phone = .set(try PhoneNumber(validating: "+44 20 7946 0000"))
    patch.birthday = .set(try #require(CalendarDate("1815-12-10")))
    patch.gender = .set(.female)
    patch.userGroup = .set(try ShortText(validating: "Mathematicians"))
    patch.weightGrams = .set(try #require(BodyWeight(55_000)))
    patch.heightMillimetres = .set(try #require(BodyHeight(1650)))
    patch.fitnessLevel = .set(.athlete)
    return patch
  }

  private func shows(_ field: ProfileField, _ profile: Profile) -> Bool {
    switch field {
    case .email: profile.email != nil
    case .firstName: profile.details.firstName != nil
    case .lastName: profile.details.lastName != nil
    case .bio: profile.details.bio != nil
    case .photo: profile.details.photo != nil
    case .school: profile.details.school != nil
    case .phone: profile.details.phone != nil
    case .birthday: profile.details.birthday != nil
    case .gender: profile.details.gender != nil
    case .userGroup: profile.details.userGroup != nil
    case .weight: profile.details.weightGrams != nil
    case .height: profile.details.heightMillimetres != nil
    case .fitnessLevel: profile.details.fitnessLevel != nil
    }
  }

  /// Every field × every visibility × every relation, over the API.
  @Test func everyFieldIsSeenByWhomItsOwnerLets() async throws {
    try await TestPlatform.auth(settings: TestPlatform.besideMatching) { host async throws in
      let owner = try await host.signUp("ada")
      let friend = try await host.signUp("bob")
      let stranger = try await host.signUp("eve")
      let me = host.client.with(accessToken: owner.accessToken)
      try await me.consent(to: .healthData)
      _ = try await me.send(AuthAPI.UpdateMe(details: fullPatch()))
      try await host.deliver(ConnectionChanged(friend.user.id, owner.user.id, isConnected: true))

      let viewers: [(Relation, Authentication)] = [(.own, owner), (.connection, friend), (.stranger, stranger)]
      func check(_ expected: (ProfileField, Relation) -> Bool) async throws {
        for (relation, viewer) in viewers {
          let client = host.client.with(accessToken: viewer.accessToken)
          let seen = try await client.send(AuthAPI.GetUser(id: owner.user.id))
          let found = try await client.send(AuthAPI.SearchUsers(query: "ada")).items.first
          #expect(found == seen)
          for field in ProfileField.allCases {
            #expect(shows(field, seen) == expected(field, relation), "\(field) for \(relation)")
          }
        }
      }
      try await check { field, relation in
        relation == .own || field.defaultVisibility == .everyone
          || relation == .connection && field.defaultVisibility == .connections
      }
      for choice in Visibility.allCases {
        var visibility = ProfileVisibility()
        for field in ProfileField.allCases { visibility[field] = choice }
        _ = try await me.send(AuthAPI.UpdateMe(visibility: visibility))
        try await check { _, relation in
          switch choice {
          case .everyone: true
          case .connections: relation != .stranger
          case .onlyMe: relation == .own
          }
        }
      }
      _ = try await me.send(AuthAPI.UpdateMe(visibility: everythingForConnections()))
      try await host.deliver(ConnectionChanged(owner.user.id, friend.user.id, isConnected: false))
      try await check { _, relation in relation == .own }
    }
  }

  private func everythingForConnections() -> ProfileVisibility {
    var visibility = ProfileVisibility()
    for field in ProfileField.allCases { visibility[field] = .connections }
    return visibility
  }

  @Test func wrongFieldsAreNamed() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = TestUser(try await host.signUp("ada"), host.client)
      for (body, location) in [
        (#"{"details":{"phone":"12"}}"#, "body.details.phone"),
        (#"{"details":{"birthday":"1815-02-30"}}"#, "body.details.birthday"),
        (#"{"details":{"weightGrams":1}}"#, "body.details.weightGrams"),
        (#"{"details":{"fitnessLevel":"best"}}"#, "body.details.fitnessLevel"),
        (#"{"details":{"firstName":""}}"#, "body.details.firstName"),
        (#"{"visibility":{"email":"nobody"}}"#, "body.visibility.email"),
        (#"{"displayName":"a\u0000b"}"#, "body.displayName"),
        (#"{"username":"A B"}"#, "body.username"),
      ] {
        let problem = try await host.send(.patch, "/v1/users/me", body, by: ada).problem
        #expect(problem?.status == 422, "\(body)")
        #expect(problem?.errors?.first?.location == location)
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func usersAreFoundByBeginningsAndDespiteTypingErrors(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let ada = try await host.signUp("lovelace")
      let me = host.client.with(accessToken: ada.accessToken)
      for name in ["grace", "katherine", "margaret"] { _ = try await host.signUp(name) }
      _ = try await me.send(AuthAPI.UpdateMe(displayName: DisplayName(validating: "Ada Zoë Lovelace")))
      func find(_ query: String) async throws -> [String] {
        try await me.send(AuthAPI.SearchUsers(query: query)).items.map { $0.username ?? "" }
      }
      for query in [
        "love", "LOVELACE", "ada", "zoe", "Zoë", "ada lov", "lov zo", "lovelcae", "lovelac", "lovlace", "loevlace",
      ] {
        #expect(try await find(query) == ["lovelace"], "\(query)")
      }
      #expect(try await find("katharine") == ["katherine"])
      #expect(try await find("test marg") == ["margaret"])
      for query in ["", "xyz", "ada grace", "%", "_", "lovelacexyz"] {
        #expect(try await find(query) == [], "\(query)")
      }
      // The new name is found, the old one is not.
      _ = try await me.send(AuthAPI.UpdateMe(displayName: DisplayName(validating: "Countess")))
      #expect(try await find("zoe") == [])
      #expect(try await find("count") == ["lovelace"])
      let page = try await me.send(AuthAPI.SearchUsers(limit: PageSize(checked: 3)))
      #expect(page.items.map { $0.username ?? "" } == ["margaret", "katherine", "grace"])
      let rest = try await me.send(AuthAPI.SearchUsers(limit: PageSize(checked: 3), cursor: page.nextCursor))
      #expect(rest.items.map { $0.username ?? "" } == ["lovelace"])
      #expect(rest.nextCursor == nil)
    }
  }

  @Test func recordsAreConverted() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = try await host.signUp("ada")
      let me = host.client.with(accessToken: ada.accessToken)
      try await me.consent(to: .healthData)
      _ = try await me.send(AuthAPI.UpdateMe(details: fullPatch()))
      let device = try await me.send(AuthAPI.GetDeviceRecord())
      #expect(device.firstName?.rawValue == "Ada")
      #expect(device.dateOfBirth?.description == "1815-12-10")
      let cloud = try await me.send(AuthAPI.GetCloudRecord())
      #expect(cloud.name == "Ada Lovelace")
      #expect(cloud.age == 210)  // on 1 January 2026
      #expect(cloud.gender == .female)
      #expect(cloud.userGroup?.rawValue == "Mathematicians")
      let back = DeviceRecord(cloud)
      #expect(back.firstName?.rawValue == "Ada")
      #expect(back.lastName?.rawValue == "Lovelace")
      #expect(back.gender == .female)
      #expect(back.dateOfBirth == nil)  // an age does not determine a birthday
    }
  }

  @Test(arguments: [
    ("2000-02-29", "2026-02-28", 25), ("2000-02-29", "2026-03-01", 26), ("2026-01-01", "2025-12-31", -1),
  ])
  func agesCountBirthdays(birth: String, today: String, age: Int) throws {
    #expect(try #require(CalendarDate(birth)).years(until: #require(CalendarDate(today))) == age)
  }

  @Test(arguments: TestDatabase.allCases)
  func settingsAreTheSameOnEveryDevice(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let ada = try await host.signUp("ada")
      let me = host.client.with(accessToken: ada.accessToken)
      #expect(try await me.send(AuthAPI.GetSettings()).version == 0)
      var wish = UserSettings()
      (wish.darkMode, wish.brightness, wish.role) = (true, Brightness(checked: 100), .instructor)
      let (first, response) = try await me.sendForResponse(AuthAPI.PutSettings(wish))
      #expect(first.version == 1)
      #expect(response.header("etag") == "\"1\"")
      let phone = host.client.with(accessToken: try await host.logIn("ada", app: .letustudy).accessToken)
      #expect(try await phone.send(AuthAPI.GetSettings()) == first)
      // The same settings change nothing; of two conflicting changes, the second is refused.
      #expect(try await me.send(AuthAPI.PutSettings(wish)).version == 1)
      wish.sound = false
      _ = try await phone.send(AuthAPI.PutSettings(ifMatch: EntityTag(version: 1), wish))
      wish.sound = true
      let late = try await problem {
        _ = try await me.send(AuthAPI.PutSettings(ifMatch: EntityTag(version: 1), wish))
      }
      #expect(late?.is(.versionMismatch) == true)
      #expect(try await me.send(AuthAPI.GetSettings()).sound == false)
    }
  }

  @Test func consentsAreKeptWithVersionAndTime() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = try await host.signUp("ada")
      let me = host.client.with(accessToken: ada.accessToken)
      func decide(_ version: String, _ isGiven: Bool) async throws -> Consents {
        let decision = AuthAPI.PutConsents.Decision(
          purpose: .newsletter,
          textVersion: try ShortText(validating: version),
          isGiven: isGiven
        )
        return try await me.send(AuthAPI.PutConsents(decisions: [decision]))
      }
      let first = try await decide("2026-01", true)
      #expect(first.current.map(\.isGiven) == [true])
      #expect(first.current.first?.decidedAt == host.time.source.now())
      host.time.advance(seconds: 60)
      #expect(try await decide("2026-01", true).history.count == 1)
      let last = try await decide("2026-01", false)
      #expect(last.current.map(\.isGiven) == [false])
      #expect(last.history.map(\.isGiven) == [true, false])
      #expect(try await me.send(AuthAPI.GetConsents()) == last)
    }
  }
}
