import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Invitations reach others only from plans that are paid, and only a few times.
@Suite(.serialized)
struct PlanInvitationTests {
  private static func invite(_ email: String, to id: SubscriptionID, by owner: TestUser) async throws {
    _ = try await owner.client.send(OrdersAPI.InvitePlanMember(id: id, email: EmailAddress(validating: email)))
  }

  private static func invite(_ user: UserID, to id: SubscriptionID, by owner: TestUser) async throws {
    _ = try await owner.client.send(OrdersAPI.InvitePlanMember(id: id, userID: user))
  }

  private static func pushes(_ shop: PlanShop, to user: TestUser) async throws -> Int {
    try await shop.host.recorded(PushRequested.self, by: OrdersAPI.self).filter { $0.userID == user.id }.count
  }

  @Test("Attack 3: an unpaid plan invites no one")
  func unpaidPlan() async throws {
    try await PlanShop.run { shop async throws in
      let (owner, victim) = (try await shop.host.person(), try await shop.host.person())
      let begun = try await shop.subscribe(owner, to: "school", card: "pm_card_authenticationRequired")
      #expect(begun.status == .incomplete)
      #expect(await refusal { try await Self.invite("ada@example.com", to: begun.id, by: owner) } == "plan-not-active")
      #expect(await refusal { try await Self.invite(victim.id, to: begun.id, by: owner) } == "plan-not-active")
      try await shop.host.runOnce()
      #expect(try shop.host.mails(deliveredTo: "ada@example.com").isEmpty)
      #expect(try await Self.pushes(shop, to: victim) == 0)
      try await shop.authenticate(begun, "succeed")
      try await shop.settle()
      try await Self.invite(victim.id, to: begun.id, by: owner)
      #expect(try await Self.pushes(shop, to: victim) == 1)
    }
  }

  /// Delivers all mails: each round of jobs delivers one.
  private static func deliverMails(_ shop: PlanShop) async throws {
    while try await shop.host.orders.runOnce("mail") > 0 {}
  }

  @Test("Attack 3: a subscriber mails an address three times a day", arguments: TestDatabase.allCases)
  func mailsPerSubscriber(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let owner = try await shop.host.person()
      let id = try await shop.subscribe(owner, to: "school").id
      var refusals: [String?] = []
      for _ in 0..<4 { refusals.append(await refusal { try await Self.invite("ada@example.com", to: id, by: owner) }) }
      #expect(refusals == [nil, nil, nil, "too-many-requests"])
      // Others are invited as before.
      try await Self.invite("bob@example.com", to: id, by: owner)
      try await Self.deliverMails(shop)
      #expect(try shop.host.mails(deliveredTo: "ada@example.com").count == 3)
      #expect(try shop.host.mails(deliveredTo: "bob@example.com").count == 1)
    }
  }

  @Test(
    "Attack 5: an address is mailed six times a day by all subscribers together, and none of them learns of the others",
    arguments: TestDatabase.allCases)
  func mailsPerAddress(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      for _ in 0..<3 {
        let owner = try await shop.host.person()
        let id = try await shop.subscribe(owner, to: "school").id
        for _ in 0..<3 { try await Self.invite("ada@example.com", to: id, by: owner) }
        let list = try await owner.client.send(OrdersAPI.ListPlanInvitations(id: id))
        #expect(list.items.map(\.email?.rawValue) == ["ada@example.com"])
      }
      try await Self.deliverMails(shop)
      #expect(try shop.host.mails(deliveredTo: "ada@example.com").count == 6)
    }
  }

  @Test("Attack 3: a user is notified three times a day")
  func pushesPerUser() async throws {
    try await PlanShop.run { shop async throws in
      let (owner, victim) = (try await shop.host.person(), try await shop.host.person())
      let id = try await shop.subscribe(owner, to: "school").id
      for _ in 0..<3 { try await Self.invite(victim.id, to: id, by: owner) }
      #expect(await refusal { try await Self.invite(victim.id, to: id, by: owner) } == "too-many-requests")
      #expect(try await Self.pushes(shop, to: victim) == 3)
      shop.host.time.advance(seconds: 86_400)
      try await Self.invite(victim.id, to: id, by: owner)
      #expect(try await Self.pushes(shop, to: victim) == 4)
    }
  }

  @Test("Attack 6: an invitation across a block reaches no one, and looks like any other", arguments: [true, false])
  func acrossBlocks(isOwnerBlocker: Bool) async throws {
    try await PlanShop.run(settings: ["services.matching.url": "http://127.0.0.1:1"]) { shop async throws in
      let (owner, other) = (try await shop.host.person(), try await shop.host.person())
      let id = try await shop.subscribe(owner, to: "school").id
      let (blocker, blocked) = isOwnerBlocker ? (owner, other) : (other, owner)
      let event = BlockChanged(blocker: blocker.id, blocked: blocked.id, isBlocked: true)
      try await shop.host.deliver(event, from: MatchingAPI.self, to: OrdersAPI.self)
      let invited = try await owner.client.send(OrdersAPI.InvitePlanMember(id: id, userID: other.id))
      let list = try await owner.client.send(OrdersAPI.ListPlanInvitations(id: id))
      #expect(list.items.map(\.userID) == [other.id])
      #expect(try await Self.pushes(shop, to: other) == 0)
      #expect(try await other.client.send(OrdersAPI.ListOwnPlanInvitations()).items.isEmpty)
      let code = PlanInvitationCode(checked: invited.id.rawValue)
      let accepted = await refusal { _ = try await other.client.send(OrdersAPI.AcceptPlanInvitation(code: code)) }
      #expect(accepted == "plan-invitation-invalid")
      let ended = BlockChanged(blocker: blocker.id, blocked: blocked.id, isBlocked: false)
      try await shop.host.deliver(ended, from: MatchingAPI.self, to: OrdersAPI.self)
      #expect(try await other.client.send(OrdersAPI.ListOwnPlanInvitations()).items.map(\.id) == [invited.id])
    }
  }

  @Test("Attack 3: a plan has three open invitations per seat")
  func invitationsPerSeat() async throws {
    try await PlanShop.run { shop async throws in
      let owner = try await shop.host.person()
      let id = try await shop.subscribe(owner, to: "school").id
      for number in 1...6 { try await Self.invite("person\(number)@example.com", to: id, by: owner) }
      #expect(
        await refusal { try await Self.invite("person7@example.com", to: id, by: owner) } == "too-many-plan-invitations"
      )
    }
  }
}
