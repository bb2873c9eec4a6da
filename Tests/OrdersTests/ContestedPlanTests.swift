import Contracts
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// Refunds and disputes of what was paid for a plan with Stripe.
@Suite(.serialized)
struct ContestedPlanTests {
  /// The payment of the last invoice.
  private static func payment(_ shop: PlanShop) async throws -> String {
    let charge = try await shop.stripe.get("/v1/charges?limit=1")["data"]?.elements.first
    return try #require(charge?["payment_intent"]?.string)
  }

  private static func dispute(_ payment: String, _ shop: PlanShop) async throws -> String {
    let dispute = try await shop.stripe.control("disputes", ["payment_intent": .string(payment)])
    return try #require(dispute["id"]?.string)
  }

  private static func close(_ dispute: String, _ status: String, _ shop: PlanShop) async throws {
    try await shop.stripe.control("disputes/\(dispute)", ["status": .string(status)])
    try await shop.settle(order: .shuffle, duplicates: 2)
  }

  @Test(
    "M11: a disputed plan is locked and not renewed; a dispute that is won unlocks it", arguments: TestDatabase.allCases
  )
  func wonDispute(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada)
      try await shop.settle()
      let dispute = try await Self.dispute(Self.payment(shop), shop)
      try await shop.settle(order: .shuffle, duplicates: 2)
      let locked = try await shop.subscription(made.id, of: ada)
      #expect(!locked.isActive)
      #expect(!locked.renews)
      #expect(locked.failure == "disputed")
      #expect(try await shop.unlocked(for: ada.id).isEmpty)
      #expect(try await shop.atStripe() == ["active"])
      #expect(
        await refusal { _ = try await shop.change(made.id, of: ada, renews: true) } == "plan-change-not-possible")
      try await Self.close(dispute, "won", shop)
      let won = try await shop.subscription(made.id, of: ada)
      #expect(won.isActive)
      #expect(won.until == made.until)
      #expect(won.failure == nil)
      #expect(try await shop.unlocked(for: ada.id) == [.fitting, .history])
      #expect(try await shop.change(made.id, of: ada, renews: true).renews)
    }
  }

  @Test(
    "M11: a lost dispute ends the plan at once, and the members of a group plan lose it",
    arguments: TestDatabase.allCases)
  func lostDispute(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let (school, pupil) = (try await shop.host.person(), try await shop.host.person())
      let made = try await shop.subscribe(school, to: "school")
      let invitation = try await school.client.send(
        OrdersAPI.InvitePlanMember(id: made.id, userID: pupil.id), idempotencyKey: "i")
      _ = try await pupil.client.send(
        OrdersAPI.AcceptPlanInvitation(code: PlanInvitationCode(checked: invitation.id.rawValue)))
      try await shop.settle()
      #expect(try await shop.unlocked(for: pupil.id) == [.fitting])
      let dispute = try await Self.dispute(Self.payment(shop), shop)
      try await shop.settle()
      #expect(try await shop.unlocked(for: pupil.id).isEmpty)
      try await Self.close(dispute, "lost", shop)
      let ended = try await shop.subscription(made.id, of: school)
      #expect(ended.status == .ended)
      #expect(!ended.isActive)
      #expect(try await shop.atStripe() == ["canceled"])
      #expect(try await shop.subscribe(school, to: "school", key: "again").status == .active)
    }
  }

  @Test("M11: a full refund in Stripe's dashboard ends the plan, a partial one does not")
  func refunds() async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada)
      let payment = try await Self.payment(shop)
      try await shop.stripe.control("refunds", ["payment_intent": .string(payment), "amount": 100])
      try await shop.settle()
      #expect(try await shop.subscription(made.id, of: ada) == made)
      try await shop.stripe.control("refunds", ["payment_intent": .string(payment), "amount": 1400])
      try await shop.settle(order: .desc, duplicates: 2)
      let ended = try await shop.subscription(made.id, of: ada)
      #expect(ended.status == .ended)
      #expect(!ended.isActive)
      #expect(try await shop.unlocked(for: ada.id).isEmpty)
      #expect(try await shop.atStripe() == ["canceled"])
    }
  }

  @Test("M11: a refund of a period that is over leaves the present one, which is paid")
  func formerPeriod() async throws {
    try await PlanShop.run { shop async throws in
      let ada = try await shop.host.person()
      let made = try await shop.subscribe(ada)
      let payment = try await Self.payment(shop)
      try await shop.pass(days: 33)
      let renewed = try await shop.subscription(made.id, of: ada)
      #expect(renewed.until > made.until)
      try await shop.stripe.control("refunds", ["payment_intent": .string(payment), "amount": 1500])
      try await shop.settle()
      #expect(try await shop.subscription(made.id, of: ada) == renewed)
    }
  }

  @Test("Money 2: what was paid for more seats ends nothing that was paid before", arguments: ["refund", "dispute"])
  func additions(_ loss: String) async throws {
    try await PlanShop.run { shop async throws in
      let school = try await shop.host.person()
      let made = try await shop.subscribe(school, to: "school")
      try await shop.pass(days: 10)
      _ = try await shop.change(made.id, of: school, quantity: 2)
      try await shop.settle()
      let grown = try await shop.subscription(made.id, of: school)
      #expect(grown.quantity == 2)
      let charges = try await shop.charges()
      try #require(charges.count == 2 && charges[0] < 2000)
      let payment = try await Self.payment(shop)
      if loss == "refund" {
        try await shop.stripe.control("refunds", ["payment_intent": .string(payment), "amount": .integer(charges[0])])
        try await shop.settle(order: .shuffle, duplicates: 2)
      } else {
        let dispute = try await Self.dispute(payment, shop)
        try await shop.settle()
        #expect(try await shop.subscription(made.id, of: school) == grown)
        try await Self.close(dispute, "lost", shop)
      }
      #expect(try await shop.subscription(made.id, of: school) == grown)
      #expect(try await shop.unlocked(for: school.id) == [.fitting])
      #expect(try await shop.atStripe() == ["active"])
    }
  }
}
