import Contracts
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

/// The features that plans unlock, where the platform restricts them.
@Suite(.serialized)
struct PlanFeatureTests {
  private static let limits = ["limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1"]
  private static let restricted = [
    "plans.restrictedFeatures": "study.fitting,study.history", "services.orders.url": "http://127.0.0.1:1",
  ]

  /// Long statistics, from the first of the year before last.
  private static func history(_ host: StudyHost) -> StudyAPI.GetStudyCalendar {
    StudyAPI.GetStudyCalendar(from: CalendarDate(host.test.time.source.now().advanced(bySeconds: -400 * 86_400)))
  }

  @Test("LS20: a plan unlocks fitted weights and long statistics; without one, plan-required names the feature")
  func plansUnlock() async throws {
    try await StudyHost.run(settings: Self.limits.merging(Self.restricted) { $1 }) { host async throws in
      let session = try await host.test.client.signUp("ada")
      let ada = TestUser(session, host.test.client)
      let refused = try await problem { _ = try await ada.client.send(StudyAPI.FitScheduler()) }
      #expect(refused?.code == "plan-required")
      #expect(refused?.errors?.map(\.message) == ["study.fitting"])
      let old = try await problem { _ = try await ada.client.send(Self.history(host)) }
      #expect(old?.errors?.map(\.message) == ["study.history"])
      _ = try await ada.client.send(StudyAPI.GetStudyCalendar())
      _ = try await ada.client.send(StudyAPI.GetStudyStatistics())

      let plan = EntitlementChanged(
        userID: ada.id, subscriptionID: host.test.ids.make(), plan: "premium",
        features: [FeatureName(checked: "study.fitting"), FeatureName(checked: "study.history")], isActive: true,
        until: host.test.time.source.now().advanced(bySeconds: 86_400))
      try await host.test.deliver(plan, from: OrdersAPI.self, to: AuthAPI.self)
      let refreshed = try await host.test.client.send(AuthAPI.Refresh(refreshToken: session.refreshToken))
      let premium = TestUser(refreshed, host.test.client)
      _ = try await premium.client.send(StudyAPI.FitScheduler())
      _ = try await premium.client.send(Self.history(host))
    }
  }

  @Test("What a plan unlocks ends by itself when orders no longer reports")
  func featuresEndByThemselves() async throws {
    try await StudyHost.run(settings: Self.limits.merging(Self.restricted) { $1 }) { host async throws in
      var session = try await host.test.client.signUp("ada")
      let until = host.test.time.source.now().advanced(bySeconds: 3600)
      let plan = EntitlementChanged(
        userID: TestUser(session, host.test.client).id, subscriptionID: host.test.ids.make(), plan: "premium",
        features: [FeatureName(checked: "study.fitting")], isActive: true, until: until,
        accessUntil: until.advanced(bySeconds: 3600))
      try await host.test.deliver(plan, from: OrdersAPI.self, to: AuthAPI.self)
      host.test.time.advance(seconds: 5400)
      session = try await host.test.client.send(AuthAPI.Refresh(refreshToken: session.refreshToken))
      _ = try await TestUser(session, host.test.client).client.send(StudyAPI.FitScheduler())
      host.test.time.advance(seconds: 1800)
      session = try await host.test.client.send(AuthAPI.Refresh(refreshToken: session.refreshToken))
      let user = TestUser(session, host.test.client)
      let refused = try await problem { _ = try await user.client.send(StudyAPI.FitScheduler()) }
      #expect(refused?.code == "plan-required")
    }
  }

  @Test func nothingIsRestrictedByDefault() async throws {
    try await StudyHost.run(settings: Self.limits) { host async throws in
      let ada = try await host.user("ada")
      _ = try await ada.client.send(StudyAPI.FitScheduler())
      _ = try await ada.client.send(Self.history(host))
    }
  }
}
