import Contracts
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Sign-up as each app asks for it.
@Suite(.serialized)
struct SignUpTests {
  @Test("RM1: an e-mail address and a password are enough", arguments: TestDatabase.allCases)
  func roomiAsksForTheRestLater(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let signed = try await host.client.signUp(
        email: "roomie@example.com", password: "correct horse roomie", app: .roomi)
      #expect(signed.user.username == nil)
      // The display name is public: it does not reveal the address.
      #expect(signed.user.displayName == "New user")
      #expect(signed.missingFields == [.phone, .firstName, .lastName, .birthday, .gender, .school, .bio])
      let me = host.client.with(accessToken: signed.accessToken)
      var patch = ProfilePatch()
      patch.phone = .set(try PhoneNumber(validating: "+442079460123"))
      patch.school = .set(try ShortText(validating: "Trinity"))
      _ = try await me.send(AuthAPI.UpdateMe(displayName: DisplayName(validating: "Robin"), details: patch))
      let back = try await host.logIn("roomie@example.com", "correct horse roomie", app: .roomi)
      #expect(back.missingFields == [.firstName, .lastName, .birthday, .gender, .bio])
      #expect(back.user.displayName == "Robin")
      let refused = try await problem {
        _ = try await host.client.signUp(email: "roomie@example.com", password: "another good one")
      }
      #expect(refused?.is(.emailTaken) == true)
    }
  }

  @Test("YD1: a username and a password are enough", arguments: TestDatabase.allCases)
  func yeseniaAsksForTheAddressLater(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let signed = try await host.client.signUp(
        email: nil, username: "shopper", password: "correct horse shopper", app: .yesenia)
      #expect(signed.user.email == nil)
      #expect(signed.user.displayName == "shopper")
      #expect(signed.missingFields == [.email])
      #expect(try await host.auth.runOnce("mail") == 0)
      let refused = try await problem {
        _ = try await host.client.signUp(email: nil, username: "Shopper", password: "another good one")
      }
      #expect(refused?.is(.usernameTaken) == true)
      // Two accounts without an address do not collide, and the address is added later.
      _ = try await host.client.signUp(email: nil, username: "other", password: "correct horse other")
      let me = host.client.with(accessToken: signed.accessToken)
      _ = try await me.send(
        AuthAPI.ChangeEmail(
          email: EmailAddress(validating: "shopper@example.com"), password: "correct horse shopper"))
      let code = try #require(try await host.mailedCodes(to: "shopper@example.com").last)
      _ = try await me.send(AuthAPI.VerifyEmail(token: code))
      let back = try await host.logIn("shopper@example.com", "correct horse shopper", app: .yesenia)
      #expect(back.user.isEmailVerified)
      #expect(back.missingFields == [])
    }
  }

  @Test func somethingIsNeeded() async throws {
    try await TestPlatform.auth { host async throws in
      let refused = try await problem {
        _ = try await host.client.signUp(email: nil, password: "correct horse nobody")
      }
      #expect(refused?.is(.invalidRequest) == true)
      #expect(refused?.errors?.map(\.location) == ["body"])
      let guest = try await host.guestSession()
      let me = host.client.with(accessToken: guest.accessToken)
      let neither = try await problem {
        _ = try await me.send(
          AuthAPI.Upgrade(refreshToken: guest.refreshToken, password: Password(validating: "correct horse nobody")))
      }
      #expect(neither?.is(.invalidRequest) == true)
      // The address is as little a password as the username.
      let common = try await problem {
        _ = try await host.client.signUp(email: nil, username: "longusername", password: "LongUsername")
      }
      #expect(common?.is(.passwordTooCommon) == true)
      // LS1: a guest becomes an account by a username alone, with the same id.
      let full = try await me.send(
        AuthAPI.Upgrade(
          refreshToken: guest.refreshToken, username: Username(validating: "grace"),
          password: Password(validating: "correct horse grace")))
      #expect(full.user.id == guest.user.id)
      #expect(try await host.logIn("grace").user.id == guest.user.id)
      let secret = try #require(full.deviceSecret)
      #expect(try await host.client.logIn("grace", "correct horse grace", deviceSecret: secret).deviceSecret == secret)
    }
  }

  @Test("KF1: newcomers of a provider are found by their name")
  func newcomersGetAUsername() async throws {
    let provider = try FakeProvider(time: ManualTime())
    defer { provider.stop() }
    try await TestPlatform.auth(settings: provider.settings(), time: provider.time) { host async throws in
      @Sendable func signIn(_ subject: String, _ given: String?, _ family: String?) async throws -> Authentication {
        let claims = provider.claims(["sub": subject, "email": nil, "given_name": given, "family_name": family])
        return try await host.client.send(
          AuthAPI.SignInWithProvider(provider: "test", idToken: try provider.token(claims)))
      }
      let first = try await signIn("1", "Ada", "Lovelace")
      #expect(first.user.username == "ada.lovelace")
      #expect(try await signIn("2", "Ada", "Lovelace").user.username == "ada.lovelace2")
      #expect(try await signIn("3", "Jürgen", "Groß").user.username == "juergen.gross")
      let nameless = try #require(try await signIn("4", nil, nil).user.username)
      #expect(nameless.hasPrefix("user"))
      // Another sign-in changes nothing.
      #expect(try await signIn("1", "Augusta", "King").user.username == "ada.lovelace")
      let me = host.client.with(accessToken: first.accessToken)
      let found = try await me.send(AuthAPI.SearchUsers(query: "lovelace")).items
      #expect(Set(found.map(\.username)) == ["ada.lovelace", "ada.lovelace2"])
      // Twenty at once with one name.
      let names = try await concurrently(10..<30) { number in
        try await signIn("\(number)", "Grace", "Hopper").user.username
      }
      #expect(Set(names).count == 20)
      let guest = try await host.guestSession()
      let upgraded = try await host.client.send(
        AuthAPI.SignInWithProvider(
          provider: "test", idToken: try provider.token(provider.claims(["sub": "5", "given_name": "Alan"])),
          guest: guest.accessToken, guestRefreshToken: guest.refreshToken))
      #expect(upgraded.user.id == guest.user.id)
      #expect(upgraded.user.username == "alan.lovelace")
    }
  }

  @Test(arguments: [
    ("Ada", "Lovelace", "ada.lovelace"), ("  Jean-Luc ", "O'Neill", "jeanluc.oneill"), ("Æsa", "Þórr", "aesa.thorr"),
    ("Ada", "", "ada"), ("Wolfeschlegelsteinhausen", "Bergerdorff", "wolfeschlegelsteinha"),
  ])
  func usernamesFromNames(given: String, family: String, username: String) {
    let names = NewUsername.candidates(given, family)
    #expect(names.first == username)
    #expect(names.count == 9)
    #expect(names.allSatisfy { (3...30).contains($0.utf8.count) })
  }

  @Test(arguments: ["", "X", "😀", "\u{0}\u{202E}", String(repeating: "é", count: 5000)])
  func usernamesFromAnything(name: String) throws {
    let names = NewUsername.candidates(name, nil)
    #expect(names.count >= 4)
    for name in names { _ = try Username(validating: name) }
  }
}
