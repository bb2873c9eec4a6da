import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Entitlements of those who subscribe already.
@Suite(.serialized)
struct PlanFeatureReportTests {
  /// Stores a subscription without a report.
  private static func store(_ plan: String, of user: UserID, isActive: Bool = true, on host: TestPlatform) async throws
    -> SubscriptionID
  {
    let core = try host.orders.core
    let until = core.time.now().advanced(bySeconds: 300 * 86_400)
    var old = StoredSubscription(
      id: host.ids.make(), user: user, plan: plan, provider: .storekit, reference: core.ids.text(), status: .active,
      until: until, accessUntil: until, createdAt: core.time.now(), changedAt: core.time.now())
    old.isActive = isActive
    let store = SubscriptionStore(keys: core.environment.dataKeys)
    try await core.database.write { [old] tx in _ = try store.insert(old, in: tx) }
    return old.id
  }

  private static func reports(on host: TestPlatform) async throws -> [EntitlementChanged] {
    try await host.recorded(EntitlementChanged.self, by: OrdersAPI.self)
  }

  @Test(
    "Subscribers and members are reported once when the features of their plan are first compared",
    arguments: TestDatabase.allCases)
  func subscribersFromBefore(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(settings: ["orders.plans": PlanShop.plans], database: database) { host async throws in
      var users: [UserID] = []
      for _ in 0..<130 {
        users.append(host.ids.make())
        _ = try await Self.store("premium", of: users[users.count - 1], on: host)
      }
      let (school, pupil, former): (UserID, UserID, UserID) = (host.ids.make(), host.ids.make(), host.ids.make())
      let group = try await Self.store("school", of: school, on: host)
      _ = try await Self.store("school", of: former, isActive: false, on: host)
      let core = try host.orders.core
      try await core.database.write { tx in
        // The comparison has run when the platform started, before there were subscriptions.
        try tx.execute("DELETE FROM plan_features")
        try PlanMemberStore.insert(pupil, into: group, in: tx)
      }
      for _ in 0..<4 { try await host.runOnce() }
      let first = try await Self.reports(on: host)
      #expect(Set(first.map(\.userID)) == Set(users + [school, pupil]))
      #expect(first.count == 132)
      #expect(first.filter { $0.userID == pupil }.map(\.features) == [[.fitting]])
      for _ in 0..<2 { try await host.runOnce() }
      #expect(try await Self.reports(on: host).count == 132)
    }
  }

  private static let changed = PlanShop.plans.replacingOccurrences(
    of: #""features":["study.history"]"#, with: #""features":["study.history","study.fitting"]"#)

  /// As many rounds as there are plans: each runs one job.
  private static func reportAll(_ host: TestPlatform) async throws {
    for _ in 0..<3 { try await host.runOnce() }
  }

  @Test("Changed plan features reach those who subscribe to the plan, and no one else")
  func changedFeatures() async throws {
    try await TemporaryFolder.run { folder in
      let (time, ids) = (ManualTime(), IDGenerator())
      let (ada, eve): (UserID, UserID) = (ids.make(), ids.make())
      let settings = ["orders.plans": PlanShop.plans, "data": folder]
      try await TestPlatform.orders(settings: settings, time: time) { host async throws in
        _ = try await Self.store("basic", of: ada, on: host)
        _ = try await Self.store("premium", of: eve, on: host)
        try await Self.reportAll(host)
        #expect(Set(try await Self.reports(on: host).map(\.userID)) == [ada, eve])
      }
      // Events of two generators are in order only at different times.
      time.advance(seconds: 1)
      try await TestPlatform.orders(settings: ["orders.plans": Self.changed, "data": folder], time: time) {
        host async throws in
        let before = try await Self.reports(on: host).count
        try await Self.reportAll(host)
        let new = try await Self.reports(on: host).dropFirst(before)
        #expect(new.map(\.userID) == [ada])
        #expect(new.map(\.features) == [[.history, .fitting]])
      }
    }
  }

  @Test("Money 3: changed plan features are not reported by an instance that has the settings from before")
  func olderInstance() async throws {
    try await TemporaryFolder.run { folder in
      let time = ManualTime()
      let settings = ["orders.plans": PlanShop.plans, "data": folder]
      try await TestPlatform.orders(settings: settings, time: time) { old async throws in
        let ada: UserID = old.ids.make()
        _ = try await Self.store("basic", of: ada, on: old)
        try await Self.reportAll(old)
        let before = try await Self.reports(on: old).count
        time.advance(seconds: 1)
        try await TestPlatform.orders(settings: ["orders.plans": Self.changed, "data": folder], time: time) {
          new async throws in
          // It finds the difference, and the other instance claims the report.
          _ = try await new.orders.runOnce("plans.features")
          try await Self.reportAll(old)
          #expect(try await Self.reports(on: new).count == before)
          time.advance(seconds: 30)
          // Its settings write nothing back, however long it runs.
          for _ in 0..<3 {
            try await Self.reportAll(new)
            time.advance(seconds: 86_400)
            try await Self.reportAll(old)
          }
          let reported = try await Self.reports(on: new).dropFirst(before)
          #expect(reported.map(\.features) == [[.history, .fitting]])
        }
      }
    }
  }
}
