import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Minors need a guardian's consent before they publish or share something (SD17).
@Suite(.serialized)
struct MinorTests {
  /// A session of someone who is 13 at the beginning of the tests.
  private func minor(_ host: TestPlatform, _ name: String = "max") async throws -> Authentication {
    let session = try await host.signUp(name)
    var patch = ProfilePatch()
    patch.birthday = .set(try #require(CalendarDate("2012-06-01")))
    patch.bio = .set(try Biography(validating: "Bio of \(name)"))
    _ = try await host.client.with(accessToken: session.accessToken).send(AuthAPI.UpdateMe(details: patch))
    return try await host.refresh(session.refreshToken)
  }

  private func awaitsGuardian(_ session: Authentication) throws -> Bool {
    let parts = session.accessToken.split(separator: ".")
    let claims = try WireJSON.decode(JSONValue.self, from: try #require(Base64URL.decode(parts[1])))
    return claims["awaits_guardian"] == true
  }

  private func askGuardian(_ host: TestPlatform, _ me: APIClient, _ email: String = "parent@example.com") async throws
    -> GuardianToken
  {
    let status = try await me.send(AuthAPI.AskGuardian(email: EmailAddress(validating: email)))
    #expect(status.state == .asked)
    return try #require(try await links(to: email, host).last)
  }

  private func links(to email: String, _ host: TestPlatform) async throws -> [GuardianToken] {
    try await host.mailedCodes(to: email).map { link in
      try GuardianToken(validating: String(try #require(link.split(separator: "=").last)))
    }
  }

  private func state(_ me: APIClient) async throws -> GuardianStatus.State {
    try await me.send(AuthAPI.GetGuardianStatus()).state
  }

  @Test(arguments: TestDatabase.allCases)
  func tokensSayThatAMinorAwaitsAGuardianUntilOneConsents(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let session = try await minor(host)
      #expect(try awaitsGuardian(session))
      let me = host.client.with(accessToken: session.accessToken)
      #expect(try await state(me) == .needed)
      let own = try await problem {
        _ = try await me.send(AuthAPI.AskGuardian(email: EmailAddress(validating: "max@example.com")))
      }
      #expect(own?.errors?.map(\.location) == ["body.email"])

      let token = try await askGuardian(host, me)
      // Nothing that is stored opens the page or names the guardian.
      let stored = try await host.database.read { db in
        try db.values("SELECT token_hash || ' ' || guardian FROM guardian_requests", as: String.self)
      }
      #expect(stored.count == 1)
      #expect(!stored.joined().contains(token.rawValue))
      #expect(!stored.joined().contains("parent"))
      // Programs that follow the link change nothing.
      let page = try await host.send(.get, "/v1/guardian?token=\(token.rawValue)")
      #expect(page.status == 200)
      #expect(String(decoding: page.body, as: UTF8.self).contains("the account max"))
      #expect(try await state(me) == .asked)
      let form = try await host.send(
        .post, "/v1/guardian/pages", "token=\(token.rawValue)&decision=consent",
        type: "application/x-www-form-urlencoded")
      #expect(form.status == 200)
      #expect(try await state(me) == .given)
      let renewed = try await host.refresh(session.refreshToken)
      #expect(try !awaitsGuardian(renewed))
      // The guardian learns how to withdraw the consent.
      #expect(try await links(to: "parent@example.com", host) == [token, token])

      let status = try await host.client.send(AuthAPI.DecideAsGuardian(token: token, decision: .withdraw))
      #expect(status.state == .withdrawn)
      let ended = try await problem { _ = try await host.refresh(renewed.refreshToken) }
      #expect(ended?.is(.refreshTokenInvalid) == true)
      #expect(try awaitsGuardian(try await host.logIn("max")))
      let audit = try await host.database.read { db in
        try db.count("SELECT COUNT(*) FROM audit WHERE action = 'guardian.decided'")
      }
      #expect(audit == 2)
    }
  }

  @Test func aMinorDoesNotGrowUpByChangingTheBirthdayOrTheCountry() async throws {
    try await TestPlatform.auth { host async throws in
      let me = host.client.with(accessToken: try await minor(host).accessToken)
      for birthday in [Patch.set(try #require(CalendarDate("1990-01-01"))), .remove] {
        var patch = ProfilePatch()
        patch.birthday = birthday
        let refused = try await problem { _ = try await me.send(AuthAPI.UpdateMe(details: patch)) }
        #expect(refused?.is(.guardianConsentRequired) == true)
      }
      #expect(try await me.send(AuthAPI.GetMe()).details.birthday?.description == "2012-06-01")
      let germany = AuthAPI.PutCountry(country: try CountryCode(validating: "DE"))
      #expect(try await me.send(germany).state == .needed)
      let moved = try await problem {
        _ = try await me.send(AuthAPI.PutCountry(country: CountryCode(validating: "US")))
      }
      #expect(moved?.is(.guardianConsentRequired) == true)
      #expect(try await me.send(AuthAPI.GetGuardianStatus()).country?.rawValue == "DE")
    }
  }

  @Test(arguments: [
    ("US", 13, GuardianStatus.State.notNeeded), ("AT", 14, .needed), ("FR", 15, .needed), ("DE", 16, .needed),
  ])
  func theCountryDecides(country: String, age: Int, state: GuardianStatus.State) async throws {
    try await TestPlatform.auth { host async throws in
      let me = host.client.with(accessToken: try await minor(host).accessToken)
      let status = try await me.send(AuthAPI.PutCountry(country: CountryCode(validating: country)))
      #expect(status == GuardianStatus(state: state, country: try CountryCode(validating: country), age: age))
    }
  }

  @Test func noOneIsAskedOnceTheAgeIsReached() async throws {
    try await TestPlatform.auth { host async throws in
      let me = host.client.with(accessToken: try await minor(host).accessToken)
      let token = try await askGuardian(host, me)
      _ = try await host.client.send(AuthAPI.DecideAsGuardian(token: token, decision: .refuse))
      // Until 2 June 2028, the day after the sixteenth birthday.
      host.time.advance(seconds: 883 * 86_400)
      let grown = try await host.logIn("max")
      #expect(try !awaitsGuardian(grown))
      let me2 = host.client.with(accessToken: grown.accessToken)
      #expect(try await state(me2) == .notNeeded)
      let asked = try await problem {
        _ = try await me2.send(AuthAPI.AskGuardian(email: EmailAddress(validating: "parent@example.com")))
      }
      #expect(asked?.is(.guardianNotNeeded) == true)
    }
  }

  @Test func linksToGuardiansExpireAndAreNotGuessed() async throws {
    try await TestPlatform.auth { host async throws in
      let session = try await minor(host)
      let me = host.client.with(accessToken: session.accessToken)
      let first = try await askGuardian(host, me)
      let second = try await askGuardian(host, me)
      let made = GuardianToken(checked: Base64URL.encode(SecureBytes.random(32)))
      for token in [first, made] {
        let refused = try await problem {
          _ = try await host.client.send(AuthAPI.DecideAsGuardian(token: token, decision: .consent))
        }
        #expect(refused?.is(.mailedTokenInvalid) == true)
      }
      host.time.advance(seconds: 15 * 86_400)
      let late = try await problem {
        _ = try await host.client.send(AuthAPI.DecideAsGuardian(token: second, decision: .consent))
      }
      #expect(late?.is(.mailedTokenInvalid) == true)
      let again = host.client.with(accessToken: try await host.logIn("max").accessToken)
      #expect(try await state(again) == .needed)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func othersSeeOnlyTheNamesOfALimitedMinor(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let session = try await minor(host)
      let other = TestUser(try await host.signUp("eve"), host.client)
      let me = host.client.with(accessToken: session.accessToken)
      var all = ProfileVisibility()
      for field in ProfileField.allCases { all[field] = .everyone }
      _ = try await me.send(AuthAPI.UpdateMe(visibility: all))
      func bios() async throws -> [String?] {
        let profile = try await other.client.send(AuthAPI.GetUser(id: session.user.id))
        let found = try await other.client.send(AuthAPI.SearchUsers(query: "max")).items.first
        return [profile.details.bio?.rawValue, found?.details.bio?.rawValue]
      }
      #expect(try await bios() == [nil, nil])
      #expect(try await other.client.send(AuthAPI.GetUser(id: session.user.id)).email == nil)
      #expect(try await me.send(AuthAPI.GetUser(id: session.user.id)).details.bio?.rawValue == "Bio of max")
      let token = try await askGuardian(host, me)
      _ = try await host.client.send(AuthAPI.DecideAsGuardian(token: token, decision: .consent))
      #expect(try await bios() == ["Bio of max", "Bio of max"])
    }
  }

  @Test func agesAreBetween13And16() throws {
    #expect(Set(ConsentAges.table.values) == [13, 14, 15, 16])
    // The 27 of the European Union, the three of the EEA, the United Kingdom and the United States.
    #expect(ConsentAges.table.count == 32)
    #expect(ConsentAges.age(in: nil) == 16)
    #expect(ConsentAges.age(in: try CountryCode(validating: "BR")) == 16)
  }
}
