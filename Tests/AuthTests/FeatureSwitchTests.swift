import Contracts
import GatewayService
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// The switches with which administrators turn features off for everyone.
@Suite(.serialized)
struct FeatureSwitchTests {
  private func state(_ name: FeatureSwitch, _ host: TestPlatform) async throws -> FeatureState {
    try #require(try await host.client.send(AuthAPI.ListFeatures()).items.first { $0.name == name.rawValue })
  }

  @Test("without sign-up there are no new accounts, and all others go on", arguments: TestDatabase.allCases)
  func signUpIsClosed(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let admin = try await host.staff(.administrator)
      _ = try await host.signUp("ada")
      #expect(try await state(.signUp, host) == FeatureState(name: "sign-up", isOn: true, version: 0))
      let changed = try await admin.client.send(AuthAPI.SwitchFeature(name: .signUp, isOn: false))
      #expect(changed == FeatureState(name: "sign-up", isOn: false, version: 1))
      #expect(try await state(.signUp, host) == changed)
      #expect(try await state(.uploads, host).isOn)

      let refused = try #require(try await problem { _ = try await host.signUp("eve") })
      #expect(refused.is(.switchedOff))
      #expect(refused.status == 403)
      #expect(refused.errors == [.init(location: "feature", message: "sign-up")])
      let guest = try await host.client.send(AuthAPI.SignInAsGuest())
      let upgrade = AuthAPI.Upgrade(
        refreshToken: guest.refreshToken, username: try Username(validating: "eve"),
        password: try Password(validating: "correct horse eve"))
      let guests = host.client(guest)
      #expect(try await problem { _ = try await guests.send(upgrade) }?.is(.switchedOff) == true)
      _ = try await host.logIn("ada")
      #expect(try await problem { _ = try await host.logIn("eve") }?.is(.invalidCredentials) == true)

      _ = try await admin.client.send(AuthAPI.SwitchFeature(name: .signUp, isOn: true))
      _ = try await host.signUp("eve")
      let entries = try await host.entries("feature.switched", of: "feature:sign-up")
      #expect(entries.map(\.actor) == ["user:\(admin.id)", "user:\(admin.id)"])
      #expect(entries.flatMap(\.changes).map(\.after) == ["true", "false"])
    }
  }

  @Test("a provider's person signs in to an account that exists, and gets no new one")
  func providersMakeNoAccounts() async throws {
    try await ProviderTests.run { host, provider async throws in
      _ = try await ProviderTests.signIn(host, try provider.token(provider.claims()))
      let admin = try await host.staff(.administrator)
      _ = try await admin.client.send(AuthAPI.SwitchFeature(name: .signUp, isOn: false))
      _ = try await ProviderTests.signIn(host, try provider.token(provider.claims()))
      let stranger = try provider.token(provider.claims(["sub": "person-2", "email": "other@example.com"]))
      let refused = try await problem { _ = try await ProviderTests.signIn(host, stranger) }
      #expect(refused?.is(.switchedOff) == true)
    }
  }

  @Test("a school's new members are refused, and those that it has go on")
  func schoolsMakeNoAccounts() async throws {
    try await TestPlatform.auth { host async throws in
      let (boss, school) = try await host.school()
      _ = try await school.add("kim")
      _ = try await boss.client.send(AuthAPI.SwitchFeature(name: .signUp, isOn: false))
      let rows = ["n-kim,kim,Kim,,,student", "n-lee,lee,,,,student"]
      let closed = try await school.importList(rows)
      let reason = "new accounts are switched off at the moment; import it again"
      #expect(closed.report == ImportReport(updated: 1, rejected: [.init(line: 3, errors: [reason])]))
      #expect(closed.passwords.isEmpty)
      let accounts = try await host.database.read { db in
        try db.count("SELECT COUNT(*) FROM users WHERE username IN ('kim', 'lee')")
      }
      #expect(accounts == 1)
      _ = try await boss.client.send(AuthAPI.SwitchFeature(name: .signUp, isOn: true))
      #expect(try await school.importList(rows).report.created == 1)
    }
  }

  @Test("two administrators do not undo each other's change without a notice")
  func changesAreGuardedByVersion() async throws {
    try await TestPlatform.auth { host async throws in
      let admin = try await host.staff(.administrator)
      let seen = try await state(.messages, host)
      _ = try await admin.client.send(
        AuthAPI.SwitchFeature(name: .messages, ifMatch: EntityTag(version: seen.version), isOn: false))
      let late = AuthAPI.SwitchFeature(name: .messages, ifMatch: EntityTag(version: seen.version), isOn: true)
      #expect(try await problem { _ = try await admin.client.send(late) }?.is(.versionMismatch) == true)
      #expect(try await state(.messages, host) == FeatureState(name: "messages", isOn: false, version: 1))
      // The same again changes nothing, and leaves no entry.
      _ = try await admin.client.send(AuthAPI.SwitchFeature(name: .messages, isOn: false))
      #expect(try await state(.messages, host).version == 1)
      #expect(try await host.entries("feature.switched").count == 1)
    }
  }

  @Test("only administrators switch, and not with a stolen token")
  func othersDoNotSwitch() async throws {
    try await TestPlatform.auth { host async throws in
      let change = AuthAPI.SwitchFeature(name: .uploads, isOn: false)
      let ada = TestUser(try await host.signUp("ada"), host.client)
      for user in [ada, try await host.staff(.support), try await host.staff(.owner)] {
        #expect(try await problem { _ = try await user.client.send(change) }?.is(.forbidden) == true)
      }
      let admin = try await host.staff(.administrator)
      host.time.advance(seconds: 301)
      #expect(try await problem { _ = try await admin.client.send(change) }?.is(.recentSignInRequired) == true)
      #expect(try await state(.uploads, host).isOn)
      let unknown = try await host.send(.put, "/v1/admin/features/flying", #"{"isOn":false}"#, by: admin)
      #expect((400..<500).contains(unknown.status))
    }
  }
}
