import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Consents are checked where they are needed, and lose their effect when they are withdrawn (LS21).
@Suite(.serialized)
struct ConsentTests {
  private func patch(birthday: String? = nil, weight: Int? = nil) throws -> AuthAPI.UpdateMe {
    var patch = ProfilePatch()
    if let birthday { patch.birthday = .set(try #require(CalendarDate(birthday))) }
    if let weight { patch.weightGrams = .set(BodyWeight(checked: weight)) }
    return AuthAPI.UpdateMe(details: patch)
  }

  @Test(arguments: TestDatabase.allCases)
  func healthDataNeedAConsentAndGoWithIt(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let me = TestUser(try await host.signUp("ada"), host.client)
      let weighed = try patch(birthday: "1990-05-01", weight: 60_000)
      let refused = try await problem { _ = try await me.client.send(weighed) }
      #expect(refused?.code == "consent-required")
      #expect(refused?.errors?.map(\.message) == ["healthData"])
      #expect(try await me.client.send(AuthAPI.GetMe()).details == ProfileDetails())

      try await me.client.consent(to: .healthData)
      #expect(try await me.client.send(weighed).details.weightGrams?.value == 60_000)
      var visible = ProfileVisibility()
      visible.birthday = .everyone
      _ = try await me.client.send(AuthAPI.UpdateMe(visibility: visible))
      // Twice, because a repeated decision has no further effect.
      for _ in 0..<2 { try await me.client.consent(to: .healthData, isGiven: false) }
      let stored = try await host.database.read { db in
        try host.auth.core.accounts.get(me.id, in: db).account
      }
      #expect(stored.details.weightGrams == nil)
      #expect(stored.details.birthday?.description == "1990-05-01")
      #expect(stored.visibility[.birthday] == .onlyMe)
      let events = try await host.recorded(ConsentChanged.self, by: AuthAPI.self)
      #expect(events.map(\.isGiven) == [true, false])
      #expect(events.map(\.purpose) == [.healthData, .healthData])
      let again = try await problem { _ = try await me.client.send(patch(weight: 61_000)) }
      #expect(again?.is(.consentRequired) == true)
    }
  }

  @Test(
    "a withdrawal counts after a consent that an instance with a fast clock has stored",
    arguments: TestDatabase.allCases)
  func clocksMayDiffer(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let me = TestUser(try await host.signUp("ada"), host.client)
      try await me.client.consent(to: .healthData)
      try await host.database.write { tx in
        try tx.execute("UPDATE consents SET id = 'z' || id, decided_at = decided_at + 60000000")
      }
      try await me.client.consent(to: .healthData, isGiven: false)
      let consents = try await me.client.send(AuthAPI.GetConsents())
      #expect(consents.current.map(\.isGiven) == [false])
      #expect(consents.history.map(\.isGiven) == [true, false])
      #expect(try await problem { _ = try await me.client.send(patch(weight: 61_000)) }?.is(.consentRequired) == true)
    }
  }

  @Test func birthdaysInKeepFitAreHealthData() async throws {
    try await TestPlatform.auth { host async throws in
      let phone = TestUser(try await host.signUp("ada", app: .keepfit), host.client)
      let refused = try await problem { _ = try await phone.client.send(patch(birthday: "1990-05-01")) }
      #expect(refused?.is(.consentRequired) == true)
      let web = TestUser(try await host.logIn("ada"), host.client)
      _ = try await web.client.send(patch(birthday: "1990-05-01"))
      try await phone.client.consent(to: .healthData)
      #expect(try await phone.client.send(patch(birthday: "1990-05-02")).details.birthday?.day == 2)
    }
  }

  @Test func consentsToAnotherTextDoNotCount() async throws {
    try await TemporaryFolder.run { folder in
      let time = ManualTime()
      try await TestPlatform.auth(settings: ["data": folder], time: time) { host async throws in
        let me = TestUser(try await host.signUp("ada"), host.client)
        try await me.client.consent(to: .healthData)
        _ = try await me.client.send(patch(weight: 60_000))
      }
      let settings = ["data": folder, "auth.consentVersions": "healthData=2"]
      try await TestPlatform.auth(settings: settings, time: time) { host async throws in
        let me = TestUser(try await host.logIn("ada"), host.client)
        let purposes = try await host.client.send(AuthAPI.ListConsentPurposes()).items
        #expect(purposes.compactMap { $0.textVersion?.rawValue } == ["2"])
        let outdated = try await problem { _ = try await me.client.send(patch(weight: 61_000)) }
        #expect(outdated?.is(.consentRequired) == true)
        let wrong = try await problem { try await me.client.consent(to: .newsletter, .healthData) }
        #expect(wrong?.errors?.map(\.location) == ["body.decisions.1.textVersion"])
        let decision = AuthAPI.PutConsents.Decision(
          purpose: .healthData, textVersion: try ShortText(validating: "2"), isGiven: true)
        _ = try await me.client.send(AuthAPI.PutConsents(decisions: [decision]))
        #expect(try await me.client.send(patch(weight: 61_000)).details.weightGrams?.value == 61_000)
      }
      // Whoever withdraws an outdated consent is rid of what was stored by it, too.
      let next = ["data": folder, "auth.consentVersions": "healthData=3"]
      try await TestPlatform.auth(settings: next, time: time) { host async throws in
        let me = TestUser(try await host.logIn("ada"), host.client)
        try await me.client.consent(to: .healthData, isGiven: false)
        #expect(try await me.client.send(AuthAPI.GetMe()).details.weightGrams == nil)
      }
    }
  }

  @Test func onlyServicesAskForTheConsentsOfOthers() async throws {
    try await TestPlatform.auth { host async throws in
      let me = TestUser(try await host.signUp("ada"), host.client)
      try await me.client.consent(to: .analytics)
      let outside = try await host.send(.get, "/internal/v1/users/\(me.id)/consents/analytics", by: me)
      #expect(outside.status == 404)
      let service = host.platform.client(of: AuthAPI.self, as: CatalogAPI.name)
      func isGiven(_ purpose: ConsentPurpose, _ user: UserID) async throws -> Bool {
        try await service.send(AuthAPI.CheckConsent(user: user, purpose: purpose)).isGiven
      }
      #expect(try await isGiven(.analytics, me.id))
      #expect(try await !isGiven(.newsletter, me.id))
      #expect(try await !isGiven(.analytics, host.ids.make()))
    }
  }

  private func decision(_ purpose: ConsentPurpose, _ isGiven: Bool, version: String = "1") throws
    -> AuthAPI.PutConsents.Decision
  {
    AuthAPI.PutConsents.Decision(purpose: purpose, textVersion: try ShortText(validating: version), isGiven: isGiven)
  }

  @Test("a withdrawal is not lost among decisions about the same purpose", arguments: TestDatabase.allCases)
  func onePurposeHasOneDecision(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let me = TestUser(try await host.signUp("ada"), host.client)
      try await me.client.consent(to: .analytics)
      let twice = AuthAPI.PutConsents(
        decisions: [try decision(.analytics, false), try decision(.newsletter, true), try decision(.analytics, true)])
      let refused = try await problem { _ = try await me.client.send(twice) }
      #expect(refused?.status == 422)
      #expect(refused?.errors?.map(\.location) == ["body.decisions.2.purpose"])
      #expect(try await me.client.send(AuthAPI.GetConsents()).history.map(\.isGiven) == [true])
    }
  }

  @Test("consents do not fill disks, and a withdrawal still counts", arguments: TestDatabase.allCases)
  func entriesAreLimited(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let me = TestUser(try await host.signUp("ada"), host.client)
      var codes: [String: Int] = [:]
      for number in 0..<60 {
        let request = AuthAPI.PutConsents(decisions: [try decision(.analytics, true, version: "\(number)")])
        codes[try await problem { _ = try await me.client.send(request) }?.code ?? "stored", default: 0] += 1
      }
      #expect(codes == ["stored": 50, "too-many-requests": 10])
      try await me.client.consent(to: .analytics, isGiven: false)
      let consents = try await me.client.send(AuthAPI.GetConsents())
      #expect(consents.current.map(\.isGiven) == [false])
      // Neither do refusals of what was never given.
      let again = AuthAPI.PutConsents(decisions: [try decision(.analytics, false, version: "x")])
      #expect(try await problem { _ = try await me.client.send(again) }?.is(.tooManyRequests) == true)
      #expect(try await host.database.read { db in try db.count("SELECT COUNT(*) FROM consents") } == 51)
    }
  }

  @Test("what counts is the latest decision, also after a thousand", arguments: TestDatabase.allCases)
  func theLatestOfManyDecisionsCounts(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let me = TestUser(try await host.signUp("ada"), host.client)
      let store = ConsentStore(ids: try host.auth.core.ids)
      try await host.database.write { tx in
        for number in 0..<1001 {
          let text = try ShortText(validating: "\(number)")
          let consent = Consent(purpose: .analytics, textVersion: text, isGiven: true, decidedAt: tx.now)
          try store.insert(consent, of: me.id, in: tx)
        }
      }
      try await me.client.consent(to: .analytics, isGiven: false)
      let consents = try await me.client.send(AuthAPI.GetConsents())
      #expect(consents.current.map(\.isGiven) == [false])
      #expect(consents.history.count == 1000)
      #expect(consents.history.last?.isGiven == false)
      #expect(consents.history.first?.textVersion.rawValue == "2")
      // A consent that is repeated after a withdrawal is a new one.
      try await me.client.consent(to: .analytics)
      #expect(try await me.client.send(AuthAPI.GetConsents()).current.map(\.isGiven) == [true])
    }
  }

  @Test(
    "what counts is the decision that was stored last, by machines with wrong clocks", arguments: TestDatabase.allCases)
  func noClockOrdersDecisions(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let me = try await host.signUp("ada").user.id
      let time = host.time.source
      let stores = [3600.0, 0, -3600].map { ahead in
        ConsentStore(ids: IDGenerator(time: TimeSource { time.now().advanced(bySeconds: ahead) }))
      }
      for (number, store) in (stores + stores).enumerated() {
        let text = try ShortText(validating: "\(number)")
        try await host.database.write { tx in
          let consent = Consent(
            purpose: .analytics, textVersion: text, isGiven: number.isMultiple(of: 2), decidedAt: tx.now)
          try store.insert(consent, of: me, in: tx)
        }
        let latest = try await host.database.read { try ConsentStore.latest(.analytics, of: me, in: $0) }
        #expect(latest?.textVersion == text)
      }
    }
  }
}
