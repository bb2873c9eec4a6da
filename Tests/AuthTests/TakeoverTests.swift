import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Orders of six steps by an attacker and by the owner of an address: after the owner has proved the address, the
/// attacker keeps no credential and no session, and the owner gets in.
///
/// `QUINTET_TAKEOVERS=46080 swift test --filter TakeoverTests` runs all 720 orders with each choice of who performs each
/// step.
@Suite(.serialized)
struct TakeoverTests {
  private enum Step: CaseIterable {
    case signUp, verify, linkProvider, resetPassword, changeEmail, delete
  }

  private enum Person: Sendable { case attacker, owner }

  /// The possessions of a person: everything that the platform has ever given them, and what they know.
  private struct Holder {
    let email: String
    let password: String
    let subject: String
    var sessions: [Authentication] = []
    var logins: [String] = []
    var isLinked = false
  }

  /// One order of steps on a platform that has served others before.
  private final class History {
    let host: TestPlatform
    let provider: FakeProvider
    let number: Int
    var attacker: Holder
    var owner: Holder
    var proved = false
    /// Each check comes from a network of its own, so that no limit hides what is possible.
    private var checks = 0

    init(_ host: TestPlatform, _ provider: FakeProvider, _ number: Int) {
      (self.host, self.provider, self.number) = (host, provider, number)
      attacker = Holder(
        email: "evil\(number)@example.com", password: "attacker's password", subject: "attacker-\(number)")
      owner = Holder(email: "owner\(number)@example.com", password: "owner's password", subject: "owner-\(number)")
    }

    /// The address that both want to have.
    var address: String { owner.email }

    subscript(person: Person) -> Holder {
      get { person == .attacker ? attacker : owner }
      set { if person == .attacker { attacker = newValue } else { owner = newValue } }
    }

    /// A client with the session that a person got last of those that have not ended.
    private func client(_ person: Person) async throws -> APIClient {
      let client = host.client(at: person == .attacker ? "203.0.113.9" : "198.51.100.7")
      let ids = self[person].sessions.map(\.session)
      let live = try await host.database.read { db in
        try db.values("SELECT id FROM sessions WHERE id IN \(list: ids) AND revoked_at IS NULL", as: SessionID.self)
      }
      let last = self[person].sessions.last { live.contains($0.session) }
      return last.map { client.with(accessToken: $0.accessToken) } ?? client
    }

    func perform(_ step: Step, by person: Person) async throws {
      let (me, client) = (self[person], try await client(person))
      switch step {
      case .signUp:
        // With the owner's address, whoever it is.
        let name = "\(person == .attacker ? "evil" : "owner")-\(number)"
        try await keep(person, [address, name]) {
          try await client.signUp(email: address, username: name, password: me.password)
        }
      case .verify:
        // Only codes in the person's own mailbox are known; the owner enters every code that arrives.
        for code in try await host.mailedCodes(to: me.email) {
          let verified = try await accepted {
            _ = try await client.send(AuthAPI.VerifyEmail(token: code, password: me.password))
          }
          if verified, person == .owner { proved = true }
        }
      case .linkProvider:
        try await keep(person, []) { try await signInWithProvider(me, client) }
        self[person].isLinked = true
        if person == .owner { proved = true }
      case .resetPassword:
        _ = try await client.send(AuthAPI.ForgotPassword(email: EmailAddress(validating: address)))
        // The attacker does not get the code.
        guard person == .owner, try await hasAccount(),
          let code = try await host.mailedCodes(to: address).last
        else { return }
        let isReset = try await accepted {
          _ = try await client.send(
            AuthAPI.ResetPassword(token: code, password: Password(validating: me.password)))
        }
        guard isReset else { return }
        proved = true
        try await keep(person, [address]) { try await client.logIn(address, me.password) }
      case .changeEmail:
        // The attacker to the owner's address and away from it, the owner to their own one.
        for target in person == .attacker ? [address, me.email] : [address] {
          _ = try await accepted {
            _ = try await client.send(
              AuthAPI.ChangeEmail(email: EmailAddress(validating: target), password: me.password))
          }
        }
      case .delete: _ = try await accepted { _ = try await client.send(AuthAPI.DeleteMe()) }
      }
    }

    private func signInWithProvider(_ holder: Holder, _ client: APIClient) async throws -> Authentication {
      let claims = provider.claims(["sub": holder.subject, "email": holder.email])
      return try await client.send(
        AuthAPI.SignInWithProvider(
          provider: "test", idToken: try provider.token(claims), password: holder.password))
    }

    private func keep(_ person: Person, _ logins: [String], _ body: () async throws -> Authentication)
      async throws
    {
      guard let session = try await result(body) else { return }
      self[person].sessions.append(session)
      self[person].logins += logins
    }

    private func accepted(_ body: () async throws -> Void) async throws -> Bool {
      guard let problem = try await problem(body) else { return true }
      // A caller's mistake is never a failure of the platform.
      #expect(problem.status < 500, "\(problem)")
      return false
    }

    func hasAccount() async throws -> Bool { try await account() != nil }

    /// The account that has the address.
    func account() async throws -> StoredAccount? {
      let (accounts, address) = (try host.auth.core.accounts, address)
      return try await host.database.read { db in try accounts.find(email: address, in: db) }
    }

    /// The access that the attacker still has to the account of the owner's address.
    func attackersAccess() async throws -> [String] {
      guard let account = try await account(), account.account.isEmailVerified else { return [] }
      checks += 1
      let client = host.client(at: "192.0.\(checks).2")
      var access: [String] = []
      func attempt(_ what: String, _ signIn: () async throws -> Authentication) async throws {
        if try await result(signIn)?.user.id == account.id { access.append(what) }
      }
      for session in attacker.sessions {
        try await attempt("a session") { try await client.send(AuthAPI.Refresh(refreshToken: session.refreshToken)) }
      }
      let logins = Set(attacker.logins + [address, account.account.username].compactMap { $0 })
      for login in logins.sorted() {
        try await attempt("the password for \(login)") { try await client.logIn(login, attacker.password) }
      }
      if attacker.isLinked {
        try await attempt("the provider") { try await signInWithProvider(attacker, client) }
      }
      // With a code, the attacker would set a password or take the account to another address.
      for code in try await host.mailedCodes(to: attacker.email) {
        _ = try await accepted {
          _ = try await client.send(
            AuthAPI.ResetPassword(token: code, password: Password(validating: attacker.password)))
        }
        try await attempt("a mailed code") { try await client.logIn(address, attacker.password) }
        for session in attacker.sessions {
          _ = try await accepted {
            _ = try await client.with(accessToken: session.accessToken).send(AuthAPI.VerifyEmail(token: code))
          }
        }
        if try await self.account()?.id != account.id { access.append("a change of the address") }
      }
      return access
    }

    /// The result of a call; `nil` when it is refused.
    private func result(_ body: () async throws -> Authentication) async throws -> Authentication? {
      var session: Authentication?
      _ = try await accepted { session = try await body() }
      return session
    }

    /// Whether the owner gets into the account of the address, by what a person does who finds it taken.
    func ownerGetsIn() async throws -> Bool {
      let client = host.client(at: "192.0.2.3")
      if try await account() == nil { return true }
      _ = try await client.send(AuthAPI.ForgotPassword(email: EmailAddress(validating: address)))
      guard let code = try await host.mailedCodes(to: address).last else { return false }
      let password = "the owner's last one"
      _ = try await client.send(AuthAPI.ResetPassword(token: code, password: Password(validating: password)))
      return try await client.logIn(address, password).user.email == address
    }
  }

  private static func orders(_ steps: [Step]) -> [[Step]] {
    guard !steps.isEmpty else { return [[]] }
    return steps.indices.flatMap { index in
      var rest = steps
      let first = rest.remove(at: index)
      return orders(rest).map { [first] + $0 }
    }
  }

  @Test("S19: in every order of six steps, the owner of the address wins")
  func theOwnerWins() async throws {
    let orders = Self.orders(Step.allCases)
    #expect(orders.count == 720)
    let all = orders.count * 64
    let wanted = ProcessInfo.processInfo.environment["QUINTET_TAKEOVERS"].flatMap { Int($0) } ?? 48
    let count = min(max(1, wanted), all)
    // Spread over all orders; an odd number, so that every choice of persons occurs.
    let stride = (all / count - 1) | 1
    let provider = try FakeProvider(time: ManualTime())
    defer { provider.stop() }
    let settings = provider.settings()
    // A platform serves some histories only, because a mailbox is a folder in which each of its mails is looked for.
    for start in Swift.stride(from: 0, to: count, by: 24) {
      try await TestPlatform.auth(settings: settings, time: provider.time) { host async throws in
        for index in start..<min(start + 24, count) {
          let number = index * stride % all
          try await Self.check(orders[number / 64], number % 64, History(host, provider, number))
          // The limits of one history do not concern the next one.
          provider.time.advance(seconds: 6 * 3600)
        }
      }
    }
  }

  private static func check(_ order: [Step], _ choice: Int, _ history: History) async throws {
    var steps: [String] = []
    for (index, step) in order.enumerated() {
      let person: Person = choice >> index & 1 == 0 ? .attacker : .owner
      steps.append("\(person) \(step)")
      try await history.perform(step, by: person)
      guard history.proved else { continue }
      #expect(try await history.attackersAccess() == [], "\(steps.joined(separator: ", "))")
    }
    #expect(try await history.ownerGetsIn(), "\(steps.joined(separator: ", "))")
    #expect(try await history.attackersAccess() == [], "\(steps.joined(separator: ", ")), reset")
  }
}
