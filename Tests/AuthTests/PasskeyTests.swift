import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Passkeys, with a software authenticator.
@Suite(.serialized)
struct PasskeyTests {
  private func run(_ database: TestDatabase = .sqlite, _ body: (TestPlatform) async throws -> Void) async throws {
    try await TestPlatform.auth(settings: Authenticator.settings, database: database) { host async throws in
      try await body(host)
    }
  }

  private func refused(_ body: () async throws -> Void) async throws -> Bool {
    try await problem(body)?.is(.passkeyRefused) == true
  }

  @Test("SD9: sign-up, a passkey, sign-in without a name", arguments: TestDatabase.allCases, [-7, -8])
  func passkeysSignIn(_ database: TestDatabase, algorithm: Int) async throws {
    try await run(database) { host in
      let session = try await host.signUp("ada")
      #expect(session.offersPasskey == true)
      let phone = Authenticator("phone", host)
      let options = try await host.client(session).send(AuthAPI.PasskeyRegistrationOptions())
      #expect(options.rp.id == "example.com")
      #expect(options.pubKeyCredParams.map(\.alg) == [-7, -8])
      #expect(options.authenticatorSelection.userVerification == "required")
      let made = try await phone.register(host.client(session), .init(algorithm: algorithm))
      #expect(made.recoveryCodes?.count == 10)
      #expect(made.passkey?.name.rawValue == "My phone")
      #expect(try host.claims(made.session.accessToken).amr == ["pwd", "pop", "user", "mfa"])

      host.time.advance(seconds: 1000)
      let signedIn = try await phone.logIn(host, app: .web)
      #expect(signedIn.user.id == session.user.id)
      #expect(signedIn.offersPasskey == nil)
      let claims = try host.claims(signedIn.accessToken)
      // The passkey alone is two factors.
      #expect(claims.scope.hasSuffix(" administration"))
      #expect(claims.amr == ["pop", "user", "mfa"])
      let stored = try #require(try await host.client(signedIn).send(AuthAPI.ListPasskeys()).items.first)
      #expect(stored.lastUsedAt == host.time.source.now())
      #expect(!stored.isBackedUp)
      let rows = try await host.database.read { db in
        try db.all("SELECT sign_count, transports, name, algorithm FROM passkeys") { row in
          (
            count: try row["sign_count"] as Int64, transports: try row["transports"] as String,
            name: try row["name"] as String,
            algorithm: try row["algorithm"] as Int
          )
        }
      }
      #expect(rows.map(\.count) == [1])
      #expect(rows.map(\.transports) == ["internal"])
      #expect(rows.map(\.algorithm) == [algorithm])
      #expect(!rows[0].name.contains("phone"))
    }
  }

  @Test("a passkey is the second step of a sign-in with a password", arguments: TestDatabase.allCases)
  func passkeysAreTheSecondStep(_ database: TestDatabase) async throws {
    try await run(database) { host in
      let phone = Authenticator("phone", host)
      let session = try await host.signUp("ada")
      try await phone.register(host.client(session))
      let ticket = try await host.ticket("ada")
      #expect(ticket.factors == [.passkey, .recoveryCode])
      let options = try await host.client.send(AuthAPI.LogInPasskeyOptions(ticket: ticket.ticket))
      #expect(options.allowCredentials.count == 1)
      let credential = try await phone.get(options, .init(userHandle: ""))
      // The answer is for this ticket: it neither signs in alone nor works with another ticket.
      let other = try await host.ticket("ada")
      #expect(
        try await refused {
          _ = try await host.client.send(AuthAPI.CompleteLogIn(ticket: other.ticket, passkey: credential))
        })
      #expect(try await refused { _ = try await host.client.send(AuthAPI.LogInWithPasskey(credential: credential)) })
      let complete = AuthAPI.CompleteLogIn(ticket: ticket.ticket, passkey: credential)
      let signedIn = try await host.client.send(complete)
      #expect(try host.claims(signedIn.accessToken).amr == ["pwd", "pop", "user", "mfa"])
      #expect(try await problem { _ = try await host.client.send(complete) }?.is(.factorTicketInvalid) == true)
      let wrong = try await problem { _ = try await host.client.send(AuthAPI.LogInPasskeyOptions(ticket: "guessed")) }
      #expect(wrong?.is(.factorTicketInvalid) == true)
      #expect(try await host.refusals() == ["challenge", "challenge"])
    }
  }

  @Test("answers that a service must refuse", arguments: TestDatabase.allCases)
  func forgedAssertionsAreRefused(_ database: TestDatabase) async throws {
    try await run(database) { host in
      let phone = Authenticator("phone", host)
      let session = try await host.signUp("ada")
      try await phone.register(host.client(session))
      let bob = try await host.signUp("bob")
      let attacks: [(reason: String, origin: String, Authenticator.Misbehaviour)] = [
        ("origin", "https://example.com.evil.com", .init()),
        ("origin", "http://www.example.com", .init()),
        ("origin", Authenticator.origin, .init(crossOrigin: true)),
        ("domain", Authenticator.origin, .init(domain: "evil.com")),
        ("type", Authenticator.origin, .init(type: "webauthn.create")),
        ("userVerification", Authenticator.origin, .init(flags: 0x01)),
        ("userPresence", Authenticator.origin, .init(flags: 0x04)),
        ("malformed", Authenticator.origin, .init(flags: 0x45)),
        ("backup", Authenticator.origin, .init(flags: 0x0D)),
        ("challenge", Authenticator.origin, .init(challenge: Base64URL.encode([UInt8](repeating: 1, count: 32)))),
        ("user", Authenticator.origin, .init(userHandle: Base64URL.encode(Array(bob.user.id.rawValue.utf8)))),
        ("user", Authenticator.origin, .init(userHandle: "")),
      ]
      for (reason, origin, misbehaviour) in attacks {
        #expect(try await refused { _ = try await phone.logIn(host, origin: origin, misbehaviour) }, "\(reason)")
      }
      #expect(try await host.refusals() == attacks.map(\.reason))
      // A device that was never registered, and a signature of another key.
      let stranger = Authenticator("stranger", host)
      let creation = try await host.client(session).send(AuthAPI.PasskeyRegistrationOptions())
      let unknown = try await stranger.create(creation)
      #expect(try await refused { _ = try await stranger.logIn(host) })
      let options = try await host.client.send(AuthAPI.LogInPasskeyOptions())
      var forged = try await stranger.get(options)
      forged.id = try await phone.get(options).id
      #expect(forged.id != unknown.id)
      #expect(try await refused { _ = try await host.client.send(AuthAPI.LogInWithPasskey(credential: forged)) })
      #expect(try await host.refusals().suffix(2) == ["unknown", "signature"])
      // The owner is not locked out by all this.
      _ = try await phone.logIn(host)
    }
  }

  @Test("a challenge works once, for five minutes, for one thing", arguments: TestDatabase.allCases)
  func challengesWorkOnce(_ database: TestDatabase) async throws {
    try await run(database) { host in
      let phone = Authenticator("phone", host)
      let session = try await host.signUp("ada")
      let me = host.client(session)
      let options = try await me.send(AuthAPI.PasskeyRegistrationOptions())
      let credential = try await phone.create(options)
      let add = AuthAPI.AddPasskey(name: ShortText(checked: "Phone"), credential: credential)
      // Another session has not asked for it.
      let other = host.client(try await host.logIn("ada"))
      #expect(try await refused { _ = try await other.send(add) })
      _ = try await me.send(add)
      #expect(try await refused { _ = try await me.send(add) })

      let request = try await host.client.send(AuthAPI.LogInPasskeyOptions())
      let answer = AuthAPI.LogInWithPasskey(credential: try await phone.get(request))
      _ = try await host.client.send(answer)
      #expect(try await refused { _ = try await host.client.send(answer) })
      let late = try await host.client.send(AuthAPI.LogInPasskeyOptions())
      let credentialLate = try await phone.get(late)
      host.time.advance(seconds: 301)
      #expect(
        try await refused { _ = try await host.client.send(AuthAPI.LogInWithPasskey(credential: credentialLate)) })
      // A proof's challenge does not sign in, and that of one session does not prove another.
      let signedIn = try await phone.logIn(host)
      let proof = try await host.client(signedIn).send(AuthAPI.ProofPasskeyOptions())
      let proving = try await phone.get(proof)
      #expect(try await refused { _ = try await host.client.send(AuthAPI.LogInWithPasskey(credential: proving)) })
      #expect(try await refused { _ = try await me.send(AuthAPI.Prove(passkey: proving)) })
      _ = try await host.client(signedIn).send(AuthAPI.Prove(passkey: proving))
      #expect(Set(try await host.refusals()) == ["challenge"])
    }
  }

  @Test("a copied authenticator ends the passkey", arguments: TestDatabase.allCases)
  func counterRegressionEndsTrust(_ database: TestDatabase) async throws {
    try await run(database) { host in
      let phone = Authenticator("phone", host)
      let session = try await host.signUp("ada")
      try await host.proveAddress(of: "ada")
      try await phone.register(host.client(session), .init(signCount: 10))
      _ = try await phone.logIn(host, .init(signCount: 12))
      for count in [12, 13] {
        #expect(try await refused { _ = try await phone.logIn(host, .init(signCount: count)) }, "\(count)")
      }
      #expect(try await host.refusals() == ["counter", "distrusted"])
      #expect(try await host.audited("passkey.distrusted") == 1)
      let stored = try await host.client(session).send(AuthAPI.ListPasskeys()).items
      #expect(stored.map(\.isDistrusted) == [true])
      // The account stays protected; a recovery code opens it.
      #expect(try await host.ticket("ada").factors == [.recoveryCode])
      while try await host.auth.runOnce("mail") > 0 {}
      #expect(try host.mails(deliveredTo: "ada@example.com").contains { $0.text.contains("no longer accepted") })
    }
  }

  @Test("of two sign-ins at once, the overtaken one does not end the passkey", arguments: TestDatabase.allCases)
  func overtakenAnswersAreNoCopies(_ database: TestDatabase) async throws {
    try await run(database) { host in
      let phone = Authenticator("phone", host)
      let session = try await host.signUp("ada")
      try await phone.register(host.client(session), .init(signCount: 10))
      var answers: [PasskeyAssertion] = []
      for count in [11, 12] {
        let options = try await host.client.send(AuthAPI.LogInPasskeyOptions())
        answers.append(try await phone.get(options, .init(signCount: count)))
      }
      host.time.advance(seconds: 1)
      _ = try await host.client.send(AuthAPI.LogInWithPasskey(credential: answers[1]))
      #expect(
        try await refused { _ = try await host.client.send(AuthAPI.LogInWithPasskey(credential: answers[0])) })
      #expect(try await host.refusals() == ["overtaken"])
      #expect(try await host.audited("passkey.distrusted") == 0)
      _ = try await phone.logIn(host, .init(signCount: 13))
      // Whoever asks afterward with such a counter has a copy.
      host.time.advance(seconds: 1)
      #expect(try await refused { _ = try await phone.logIn(host, .init(signCount: 12)) })
      #expect(try await host.refusals() == ["overtaken", "counter"])
      #expect(try await host.audited("passkey.distrusted") == 1)
    }
  }

  @Test func registrationsAreChecked() async throws {
    try await run { host in
      let session = try await host.signUp("ada")
      let me = host.client(session)
      let attacks: [(reason: String, origin: String, Authenticator.Misbehaviour)] = [
        ("origin", "https://evil.com", .init()), ("type", Authenticator.origin, .init(type: "webauthn.get")),
        ("domain", Authenticator.origin, .init(domain: "evil.com")),
        ("userVerification", Authenticator.origin, .init(flags: 0x01)),
        ("malformed", Authenticator.origin, .init(flags: 0x15)),
        ("malformed", Authenticator.origin, .init(flags: 0x85)),
      ]
      let phone = Authenticator("phone", host)
      for (reason, origin, misbehaviour) in attacks {
        #expect(try await refused { _ = try await phone.register(me, origin: origin, misbehaviour) }, "\(reason)")
      }
      #expect(try await host.refusals() == attacks.map(\.reason))
      #expect(try await me.send(AuthAPI.ListPasskeys()).items.isEmpty)
      // An attestation statement is ignored, whatever it claims.
      try await phone.register(me, .init(flags: 0x1D, attestation: "AAAA"))
      #expect(try await me.send(AuthAPI.ListPasskeys()).items.map(\.isBackedUp) == [true])

      // The same credential for another account, as someone would register who has seen it.
      let bob = host.client(try await host.signUp("bob"))
      let options = try await bob.send(AuthAPI.PasskeyRegistrationOptions())
      var stolen = try await Authenticator("other", host).create(options)
      let known = try await me.send(AuthAPI.PasskeyRegistrationOptions()).excludeCredentials
      #expect(known.count == 1)
      stolen.id = known[0].id
      let claim = AuthAPI.AddPasskey(name: ShortText(checked: "Mine"), credential: stolen)
      #expect(try await refused { _ = try await bob.send(claim) })
    }
  }

  @Test func passkeysHaveNamesAndALimitAndAreDeleted() async throws {
    try await run { host in
      let session = try await host.signUp("ada")
      let me = host.client(session)
      let phone = Authenticator("phone", host)
      let id = try #require(try await phone.register(me).passkey?.id)
      let renamed = try await me.send(AuthAPI.RenamePasskey(id: id, name: ShortText(checked: "Old phone")))
      #expect(renamed.name.rawValue == "Old phone")
      let bob = host.client(try await host.signUp("bob"))
      let foreign = try await problem {
        _ = try await bob.send(AuthAPI.RenamePasskey(id: id, name: ShortText(checked: "Mine")))
      }
      #expect(foreign?.is(.passkeyNotFound) == true)
      #expect(try await problem { _ = try await bob.send(AuthAPI.DeletePasskey(id: id)) }?.is(.passkeyNotFound) == true)
      let none = try await problem { _ = try await bob.send(AuthAPI.ProofPasskeyOptions()) }
      #expect(none?.is(.passkeyNotFound) == true)

      let export = try await me.send(AuthAPI.ExportMe())["services"]?["auth"]?["passkeys"]
      guard case .array(let passkeys)? = export else { throw TestKitError("no passkeys in the export") }
      #expect(passkeys.map { $0["name"]?.string } == ["Old phone"])

      for number in 1..<PasskeyStore.maxCount { try await phone.register(me, as: "Key \(number)") }
      let full = try await problem { _ = try await me.send(AuthAPI.PasskeyRegistrationOptions()) }
      #expect(full?.is(.tooManyPasskeys) == true)
      for passkey in try await me.send(AuthAPI.ListPasskeys()).items {
        _ = try await me.send(AuthAPI.DeletePasskey(id: passkey.id))
      }
      #expect(try await refused { _ = try await phone.logIn(host) })
      // Without a factor, the password is enough again, and the recovery codes are gone.
      _ = try await host.logIn("ada")
      #expect(try await me.send(AuthAPI.GetFactors()).recoveryCodesLeft == 0)
    }
  }

  @Test func disabledAccountsAndBurstsAreRefused() async throws {
    try await run { host in
      let phone = Authenticator("phone", host)
      let session = try await host.signUp("ada")
      try await phone.register(host.client(session))
      let boss = try await administrator(host)
      _ = try await boss.send(AuthAPI.AdminUpdateUser(id: session.user.id, isDisabled: true))
      #expect(try await problem { _ = try await phone.logIn(host) }?.is(.accountDisabled) == true)
      // Challenges of strangers are stored, so their number is limited.
      let stranger = host.client(at: "203.0.113.9")
      let outcomes = try await concurrently(0..<601) { _ in
        try await problem { _ = try await stranger.send(AuthAPI.LogInPasskeyOptions()) }?.code ?? "given"
      }
      #expect(outcomes.counts == ["given": 600, "too-many-attempts": 1])
    }
  }

  private func administrator(_ host: TestPlatform) async throws -> APIClient {
    _ = try await host.auth.createAccount(
      email: EmailAddress(validating: "boss@example.com"), username: Username(validating: "boss"),
      displayName: DisplayName(validating: "Boss"), password: Password(validating: "correct horse boss"),
      roles: [.administrator])
    return host.client(try await host.auth.provedSession(of: "boss"))
  }
}
