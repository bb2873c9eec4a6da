import Contracts
import ServiceKit
import TestKit
import Testing

/// A guest's cart is moved by who holds the guest's session, not by who has seen a token of it.
@Suite(.serialized)
struct GuestClaimTests {
  @Test(
    "a stolen access token of a guest takes no cart, however the thief signs in", arguments: TestDatabase.allCases)
  func stolenTokensMoveNothing(_ database: TestDatabase) async throws {
    let provider = try FakeProvider(time: ManualTime())
    defer { provider.stop() }
    let settings = provider.settings().merging(Authenticator.settings) { one, _ in one }
    try await TestPlatform.auth(settings: settings, database: database, time: provider.time) { host async throws in
      let phone = Authenticator("phone", host)
      // One account of the thief for each way of signing in; none stops at a second factor of the other.
      try await phone.register(host.client(try await host.signUp("eve")))
      let (mallory, person) = (try await host.signUp("mallory"), try await provided(nil, nil, provider, host))
      let (victim, own) = (try await host.guestSession(), try await host.guestSession())
      for proof in [nil, "", "nonsense", victim.accessToken, own.refreshToken] {
        let refusals = [
          try await problem { _ = try await logIn(victim.accessToken, proof, host) },
          try await problem { _ = try await touch(phone, victim.accessToken, proof, host) },
          try await problem { _ = try await provided(victim.accessToken, proof, provider, host) },
        ]
        #expect(refusals.map { $0?.code } == Array(repeating: "refresh-token-invalid", count: 3))
      }
      // No password was guessed: the device does not have to wait.
      #expect(try await host.audited("sign-in.failed") == 0)
      #expect(try await host.recorded(GuestSignedIn.self, by: AuthAPI.self).isEmpty)
      #expect(try await host.audited("guest.signed-in") == 0)

      // The guest's app has both tokens, and goes on using them.
      let proof = victim.refreshToken
      #expect(try await logIn(victim.accessToken, proof, host).user.id == mallory.user.id)
      _ = try await touch(phone, victim.accessToken, proof, host)
      #expect(try await provided(victim.accessToken, proof, provider, host).user.id == person.user.id)
      let moves = try await host.recorded(GuestSignedIn.self, by: AuthAPI.self)
      #expect(moves.map(\.guestID) == Array(repeating: victim.user.id, count: 3))
      #expect(try await host.refresh(proof).user.id == victim.user.id)
    }
  }

  @Test("the tokens of a guest who has logged out move nothing", arguments: TestDatabase.allCases)
  func endedSessionsProveNothing(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      _ = try await host.signUp("mallory")
      let (victim, other) = (try await host.guestSession(), try await host.guestSession())
      _ = try await host.client(victim).send(AuthAPI.LogOut())
      let refused = try await problem { _ = try await logIn(other.accessToken, victim.refreshToken, host) }
      #expect(refused?.code == "refresh-token-invalid")
      let ended = try await problem { _ = try await logIn(victim.accessToken, victim.refreshToken, host) }
      #expect(ended?.status == 401)
      #expect(try await host.recorded(GuestSignedIn.self, by: AuthAPI.self).isEmpty)
    }
  }

  private func logIn(_ guest: String, _ proof: String?, _ host: TestPlatform) async throws -> Authentication {
    try await host.client.send(
      AuthAPI.LogIn(
        login: "mallory", password: "correct horse mallory", guest: guest, guestRefreshToken: proof))
  }

  private func touch(_ phone: Authenticator, _ guest: String, _ proof: String?, _ host: TestPlatform) async throws
    -> Authentication
  {
    let options = try await host.client.send(AuthAPI.LogInPasskeyOptions())
    let credential = try await phone.get(options)
    return try await host.client.send(
      AuthAPI.LogInWithPasskey(credential: credential, guest: guest, guestRefreshToken: proof))
  }

  private func provided(_ guest: String?, _ proof: String?, _ provider: FakeProvider, _ host: TestPlatform)
    async throws -> Authentication
  {
    let token = try provider.token(provider.claims())
    return try await host.client.send(
      AuthAPI.SignInWithProvider(provider: "test", idToken: token, guest: guest, guestRefreshToken: proof))
  }
}
