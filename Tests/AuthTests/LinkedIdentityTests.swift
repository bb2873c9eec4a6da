import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Identities at providers: who may link them, and how users see and remove them.
extension ProviderTests {
  private static func identities(_ host: TestPlatform) async throws -> Int {
    try await host.database.read { db in try db.count("SELECT COUNT(*) FROM identities") }
  }

  private static func signUpVerified(_ host: TestPlatform) async throws -> Authentication {
    let ada = try await host.signUp("ada")
    let code = try #require(try await host.mailedCodes(to: "ada@example.com").last)
    _ = try await host.client(ada).send(AuthAPI.VerifyEmail(token: code))
    return ada
  }

  @Test("whoever has the address at a provider does not get the account", arguments: TestDatabase.allCases)
  func theAddressAloneLinksNothing(_ database: TestDatabase) async throws {
    try await Self.run(database: database) { host, provider async throws in
      let ada = try await Self.signUpVerified(host)
      let token = try provider.token(provider.claims())
      // Closures in `#expect` and beside it may be taken for each other by the compiler (Swift 6.3).
      let alone = try await problem { _ = try await Self.signIn(host, token) }
      #expect(alone?.code == Problem.Kind.linkNeedsPassword.code)
      let wrong = try await problem { _ = try await Self.signIn(host, token, password: "not her password") }
      #expect(wrong?.code == Problem.Kind.invalidCredentials.code)
      #expect(try await Self.identities(host) == 0)
      #expect(try await host.audited("sign-in.failed") == 1)
      // A refusal does not use the token up.
      let joined = try await Self.signIn(host, token, password: "correct horse ada")
      #expect(joined.user.id == ada.user.id)
      while try await host.auth.runOnce("mail") > 0 {}
      let mails = try host.mails(deliveredTo: "ada@example.com")
      #expect(mails.filter { $0.text.contains("was linked to your account") }.count == 1)
      // From now on the provider is enough.
      let again = try await Self.signIn(host, try provider.token(provider.claims()))
      #expect(again.user.id == ada.user.id)
    }
  }

  @Test("linked providers are listed and removed", arguments: TestDatabase.allCases)
  func identitiesAreRemoved(_ database: TestDatabase) async throws {
    try await Self.run(database: database) { host, provider async throws in
      let ada = try await Self.signUpVerified(host)
      _ = try await Self.signIn(host, try provider.token(provider.claims()), password: "correct horse ada")
      let me = host.client(ada)
      let listed = try await me.send(AuthAPI.ListIdentities()).items
      #expect(listed.map(\.issuer) == [provider.issuer])
      let id = try #require(listed.first).id
      #expect(!id.contains("person-1"))
      let bob = host.client(try await host.signUp("bob"))
      #expect(try await bob.send(AuthAPI.ListIdentities()).items.isEmpty)
      let others = try await problem { _ = try await bob.send(AuthAPI.DeleteIdentity(id: id)) }
      #expect(others?.is(.identityNotFound) == true)

      host.time.advance(seconds: 301)
      #expect(try await host.needsProof { _ = try await me.send(AuthAPI.DeleteIdentity(id: id)) })
      _ = try await me.send(AuthAPI.Prove(password: "correct horse ada"))
      _ = try await me.send(AuthAPI.DeleteIdentity(id: id))
      #expect(try await Self.identities(host) == 0)
      #expect(try await host.audited("identity.removed") == 1)
      let refused = try await problem { _ = try await Self.signIn(host, try provider.token(provider.claims())) }
      #expect(refused?.is(.linkNeedsPassword) == true)
    }
  }

  @Test("a provider is linked to a protected account after its second factor", arguments: TestDatabase.allCases)
  func protectedAccountsLinkAfterTheFactor(_ database: TestDatabase) async throws {
    try await Self.run(database: database) { host, provider async throws in
      let ada = try await Self.signUpVerified(host)
      let (_, app) = try await host.client.setUpAuthenticatorApp(ada, at: host.time.source.now())
      host.time.advance(seconds: 30)
      let interrupted = try await problem { _ = try await Self.signIn(host, try provider.token(provider.claims())) }
      let ticket = try #require(interrupted?.secondFactor).ticket
      #expect(try await Self.identities(host) == 0)
      let done = try await host.client.send(
        AuthAPI.CompleteLogIn(ticket: ticket, totp: app.code(at: host.time.source.now())))
      #expect(done.user.id == ada.user.id)
      #expect(try await Self.identities(host) == 1)
    }
  }

  @Test func theOnlyWayToSignInIsKept() async throws {
    try await Self.run { host, provider async throws in
      let person = try await Self.signIn(host, try provider.token(provider.claims(["email": nil])))
      let me = host.client(person)
      let id = try #require(try await me.send(AuthAPI.ListIdentities()).items.first).id
      let refused = try await problem { _ = try await me.send(AuthAPI.DeleteIdentity(id: id)) }
      #expect(refused?.is(.lastSignInMethod) == true)
      #expect(try await Self.identities(host) == 1)
    }
  }
}
