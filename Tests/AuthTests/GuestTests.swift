import AuthService
import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

/// Guest accounts and their upgrade.
@Suite(.serialized)
struct GuestTests {
  @Test(arguments: Hosting.allCases)
  func upgradeKeepsTheAccount(_ hosting: Hosting) async throws {
    try await AuthFlowTests.run(hosting) { hosted async throws in
      let guest = try await hosted.client.send(AuthAPI.SignInAsGuest(app: .letustudy))
      #expect(guest.user.roles == [.guest])
      #expect(guest.user.email == nil)
      let me = hosted.client.with(accessToken: guest.accessToken)
      var settings = UserSettings()
      settings.darkMode = true
      _ = try await me.send(AuthAPI.PutSettings(settings))
      let form = AuthAPI.Upgrade(
        refreshToken: guest.refreshToken,
        email: try EmailAddress(validating: "ada@example.com"),
        username: try Username(validating: "ada"),
        displayName: try DisplayName(validating: "Ada"),
        password: try Password(validating: "correct horse ada")
      )
      let full = try await me.send(form)
      #expect(full.user.id == guest.user.id)
      #expect(full.session == guest.session)
      #expect(full.user.roles == [.user])
      #expect(full.user.username == "ada")
      let again = try await problem {
        _ = try await hosted.client.with(accessToken: full.accessToken).send(form)
      }
      #expect(again?.is(.notAGuest) == true)
      let back = try await hosted.client.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada"))
      #expect(back.user.id == guest.user.id)
      let kept = try await hosted.client.with(accessToken: back.accessToken).send(AuthAPI.GetSettings())
      #expect(kept.darkMode)
    }
  }

  @Test func guestsCannotTakeWhatOthersHave() async throws {
    try await TestPlatform.auth { host async throws in
      _ = try await host.signUp("ada")
      let guest = try await host.guestSession()
      let me = host.client.with(accessToken: guest.accessToken)
      func upgrade(_ email: String, _ name: String, _ password: String = "correct horse 7") async throws -> Problem? {
        try await problem {
          _ = try await me.send(
            AuthAPI.Upgrade(
              refreshToken: guest.refreshToken, email: EmailAddress(validating: email),
              username: Username(validating: name),
              displayName: DisplayName(validating: "G"), password: Password(validating: password))
          )
        }
      }
      #expect(try await upgrade("ada@example.com", "eve")?.is(.emailTaken) == true)
      #expect(try await upgrade("eve@example.com", "ada")?.is(.usernameTaken) == true)
      #expect(try await upgrade("eve@example.com", "eve", "password1")?.is(.passwordTooCommon) == true)
      #expect(try await me.send(AuthAPI.GetMe()).roles == [.guest])
      #expect(try await upgrade("eve@example.com", "eve") == nil)
      // Guests are not in search results.
      let found = try await me.send(AuthAPI.SearchUsers(query: "guest"))
      #expect(found.items.isEmpty)
    }
  }

  @Test("a stolen access token of a guest does not take the account", arguments: TestDatabase.allCases)
  func stolenTokensUpgradeNothing(_ database: TestDatabase) async throws {
    let provider = try FakeProvider(time: ManualTime())
    defer { provider.stop() }
    try await TestPlatform.auth(settings: provider.settings(), database: database, time: provider.time) {
      host async throws in
      let guest = try await host.guestSession()
      // The thief has a session as well, whose refresh token is no proof for the guest's account.
      let thief = try await host.guestSession()
      for token in ["", "nonsense", guest.accessToken, thief.refreshToken] {
        let refused = try await problem {
          _ = try await host.client.with(accessToken: guest.accessToken).send(
            AuthAPI.Upgrade(
              refreshToken: token, username: Username(validating: "eve"),
              password: Password(validating: "correct horse eve")))
        }
        #expect(refused?.is(.refreshTokenInvalid) == true)
        let atProvider = try await problem {
          _ = try await host.client.send(
            AuthAPI.SignInWithProvider(
              provider: "test", idToken: try provider.token(provider.claims()), guest: guest.accessToken,
              guestRefreshToken: token))
        }
        #expect(atProvider?.is(.refreshTokenInvalid) == true)
      }
      let roles = try await host.database.read { db in try db.values("SELECT roles FROM users", as: String.self) }
      #expect(roles == ["guest", "guest"])
      // The guest's app has the refresh token, which it goes on using.
      let full = try await host.client.with(accessToken: guest.accessToken).send(
        AuthAPI.Upgrade(
          refreshToken: guest.refreshToken, username: Username(validating: "grace"),
          password: Password(validating: "correct horse grace")))
      #expect(full.user.id == guest.user.id)
      #expect(try await host.refresh(full.refreshToken).user.id == guest.user.id)
    }
  }

  @Test("YD1: services learn which account a guest signs up for or signs in to", arguments: TestDatabase.allCases)
  func guestsSignIn(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let ada = try await host.signUp("ada")
      let (guest, other) = (try await host.guestSession(), try await host.guestSession())
      func logIn(_ session: Authentication, _ token: String? = nil) async throws -> Problem? {
        let form = AuthAPI.LogIn(
          login: "ada", password: "correct horse ada", guest: token ?? session.accessToken,
          guestRefreshToken: session.refreshToken)
        return try await problem { _ = try await host.client.send(form) }
      }
      for _ in 0..<2 { #expect(try await logIn(guest) == nil) }
      #expect(try await logIn(guest, "x.y.z")?.status == 401)
      _ = try await host.client.with(accessToken: other.accessToken).send(
        AuthAPI.Upgrade(
          refreshToken: other.refreshToken, email: EmailAddress(validating: "eve@example.com"),
          username: Username(validating: "eve"),
          displayName: DisplayName(validating: "Eve"), password: Password(validating: "correct horse eve")))
      // The token of an account that is no guest any more moves nothing.
      #expect(try await logIn(other)?.is(.notAGuest) == true)
      let moves = try await host.recorded(GuestSignedIn.self, by: AuthAPI.self)
      #expect(moves.map(\.guestID) == [guest.user.id, guest.user.id, other.user.id])
      #expect(moves.map(\.userID) == [ada.user.id, ada.user.id, other.user.id])
    }
  }
}
