import AuthService
import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Group plans: an institution pays, its members use.
@Suite(.serialized)
struct PlanMemberTests {
  /// An institution with so many units of two seats.
  private static func school(_ shop: PlanShop, units: Int = 1) async throws -> (owner: TestUser, id: SubscriptionID) {
    let owner = try await shop.host.person()
    let made = try await shop.subscribe(owner, to: "school", quantity: units)
    #expect(made.seats == .init(total: 2 * units, used: 0))
    return (owner, made.id)
  }

  private static func invite(_ user: UserID, to id: SubscriptionID, by owner: TestUser) async throws
    -> PlanInvitationCode
  {
    let invitation = try await owner.client.send(OrdersAPI.InvitePlanMember(id: id, userID: user))
    return PlanInvitationCode(checked: invitation.id.rawValue)
  }

  private static func accept(_ code: PlanInvitationCode, by user: TestUser) async throws -> PlanMembership {
    try await retryingUnavailable { try await user.client.send(OrdersAPI.AcceptPlanInvitation(code: code)) }
  }

  private static func used(_ shop: PlanShop, _ id: SubscriptionID, _ owner: TestUser) async throws -> Int? {
    try await shop.subscription(id, of: owner).seats?.used
  }

  @Test(arguments: TestDatabase.allCases)
  func membersAcceptUseAndLeave(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let (owner, id) = try await Self.school(shop)
      let (ada, eve) = (try await shop.host.person(), try await shop.host.person())
      let code = try await Self.invite(ada.id, to: id, by: owner)
      #expect(try await ada.client.send(OrdersAPI.ListOwnPlanInvitations()).items.map(\.plan) == ["school"])
      #expect(await refusal { _ = try await Self.accept(code, by: eve) } == "plan-invitation-invalid")
      let membership = try await Self.accept(code, by: ada)
      #expect(membership.isActive)
      #expect(try await Self.accept(code, by: ada) == membership)
      #expect(try await Self.used(shop, id, owner) == 1)
      #expect(try await shop.unlocked(for: ada.id) == [.fitting])
      let members = try await owner.client.send(OrdersAPI.ListPlanMembers(id: id)).items
      #expect(members.map(\.userID) == [ada.id])
      #expect(
        await refusal { _ = try await eve.client.send(OrdersAPI.ListPlanMembers(id: id)) } == "subscription-not-found")
      #expect(
        await refusal { _ = try await eve.client.send(OrdersAPI.RemovePlanMember(id: id, userID: ada.id)) }
          == "subscription-not-found")
      _ = try await owner.client.send(OrdersAPI.RemovePlanMember(id: id, userID: ada.id))
      #expect(try await shop.unlocked(for: ada.id).isEmpty)
      #expect(await refusal { _ = try await Self.accept(code, by: ada) } == "plan-invitation-invalid")
      #expect(try await Self.used(shop, id, owner) == 0)
    }
  }

  @Test func whoHasTheCodeOfAnEMailJoins() async throws {
    try await PlanShop.run { shop async throws in
      let (owner, id) = try await Self.school(shop)
      func code(sentTo address: String) async throws -> PlanInvitationCode {
        let invited = try await owner.client.send(
          OrdersAPI.InvitePlanMember(id: id, email: EmailAddress(validating: address)))
        #expect(invited.email?.rawValue == address)
        try await shop.host.runOnce()
        let mail = try #require(try shop.host.mails(deliveredTo: address).last)
        return PlanInvitationCode(checked: try #require(mail.token))
      }
      let first = try await code(sentTo: "ada@example.com")
      let stored = try await shop.host.orders.core.database.read { db in
        try db.value("SELECT email FROM plan_invitations", as: String.self)
      }
      #expect(stored?.contains("example.com") == false)
      let (ada, bob) = (try await shop.host.person(), try await shop.host.person())
      #expect(try await Self.accept(first, by: ada).plan == "school")
      #expect(await refusal { _ = try await Self.accept(first, by: bob) } == "plan-invitation-invalid")
      // Of a member, the next one takes no seat and does not stay open.
      _ = try await Self.accept(try await code(sentTo: "ada@work.example.com"), by: ada)
      #expect(try await Self.used(shop, id, owner) == 1)
      #expect(try await owner.client.send(OrdersAPI.ListPlanInvitations(id: id)).items.isEmpty)
      // Whoever is removed does not come back by one that is still open.
      let spare = try await Self.invite(bob.id, to: id, by: owner)
      _ = try await Self.accept(try await code(sentTo: "bob@example.com"), by: bob)
      _ = try await owner.client.send(OrdersAPI.RemovePlanMember(id: id, userID: bob.id))
      #expect(await refusal { _ = try await Self.accept(spare, by: bob) } == "plan-invitation-invalid")
    }
  }

  @Test("SD13: seats are never oversold", arguments: ShopInstances.allCases)
  func seatsAreNotOversold(_ instances: ShopInstances) async throws {
    try await PlanShop.run(on: instances) { shop, pair async throws in
      let (owner, id) = try await Self.school(shop, units: 2)
      var people: [(user: TestUser, code: PlanInvitationCode)] = []
      for user in pair.clients(try await shop.host.people(12)) {
        people.append((user, try await Self.invite(user.id, to: id, by: owner)))
      }
      let refusals = await withTaskGroup(of: String?.self) { group in
        for person in people {
          group.addTask { await refusal { _ = try await Self.accept(person.code, by: person.user) } }
        }
        return await group.reduce(into: [String?]()) { $0.append($1) }
      }
      #expect(refusals.filter { $0 == nil }.count == 4)
      #expect(refusals.compactMap { $0 } == Array(repeating: "no-seat-left", count: 8))
      #expect(try await shop.count("SELECT COUNT(*) FROM plan_members") == 4)
      // Fewer seats than members cannot be bought, more can, at once.
      #expect(await refusal { _ = try await shop.change(id, of: owner, quantity: 1) } == "seats-in-use")
      #expect(try await shop.change(id, of: owner, quantity: 3).seats == .init(total: 6, used: 4))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theEndOfThePlanEndsWhatItsMembersUse(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let (owner, id) = try await Self.school(shop)
      let members = try await shop.host.people(2)
      for member in members {
        _ = try await Self.accept(Self.invite(member.id, to: id, by: owner), by: member)
      }
      _ = try await owner.client.send(OrdersAPI.EndSubscription(id: id))
      try await shop.pass(days: 33)
      try await shop.host.runOnce()
      for member in members { #expect(try await shop.unlocked(for: member.id).isEmpty) }
    }
  }

  @Test func aDeletedMemberLeavesNothingAndFreesTheSeat() async throws {
    try await PlanShop.run { shop async throws in
      let (owner, id) = try await Self.school(shop)
      let ada = try await shop.host.person()
      _ = try await Self.accept(Self.invite(ada.id, to: id, by: owner), by: ada)
      let exported = try await shop.host.orders.export(ada.id, from: shop.host.orders.core.database)
      #expect(exported["planMemberships"]?.elements.count == 1)
      try await shop.host.deliver(UserDeleted(userID: ada.id), from: AuthAPI.self, to: OrdersAPI.self)
      #expect(try await Self.used(shop, id, owner) == 0)
      #expect(try await shop.count("SELECT COUNT(*) FROM plan_invitations") == 0)
    }
  }

  /// The token of a member carries what the plan unlocks, and a later one no longer.
  @Test(arguments: TestDatabase.allCases)
  func tokensCarryWhatPlansUnlock(_ database: TestDatabase) async throws {
    try await PlanShop.run(database) { shop async throws in
      let (owner, id) = try await Self.school(shop)
      let session = try await shop.host.client.signUp("ada")
      let ada = TestUser(session, shop.host.client)
      _ = try await Self.accept(Self.invite(ada.id, to: id, by: owner), by: ada)
      try await Self.report(shop)
      let carrying = try await shop.host.client.send(AuthAPI.Refresh(refreshToken: session.refreshToken))
      #expect(try Self.features(of: carrying) == ["study.fitting"])
      _ = try await owner.client.send(OrdersAPI.RemovePlanMember(id: id, userID: ada.id))
      try await Self.report(shop)
      let without = try await shop.host.client.send(AuthAPI.Refresh(refreshToken: carrying.refreshToken))
      #expect(try Self.features(of: without) == nil)
      let events = try await shop.host.recorded(RealtimeEvent.self, by: AuthAPI.self)
      #expect(events.map(\.name).filter { $0 == "entitlement.changed" }.count == 2)
    }
  }

  /// Reports the entitlements to auth, as the relay does.
  private static func report(_ shop: PlanShop) async throws {
    for event in try await shop.host.recorded(EntitlementChanged.self, by: OrdersAPI.self) {
      try await shop.host.deliver(event, from: OrdersAPI.self, to: AuthAPI.self)
    }
  }

  /// The claim of an access token.
  private static func features(of session: Authentication) throws -> [String]? {
    let claims = try #require(Base64URL.decode(session.accessToken.split(separator: ".")[1]))
    return try WireJSON.decode(JSONValue.self, from: claims)["ent"]?.elements.compactMap(\.string)
  }

  @Test("SD13: when the payer's account is deleted, the plan lasts until the end of what is paid")
  func deletedPayersKeepTheirPromise() async throws {
    try await PlanShop.run { shop async throws in
      let school = try await shop.host.person()
      _ = try await shop.subscribe(school, to: "school", quantity: 2)
      let plugin = try shop.host.orders
      let customer = try await plugin.core.database.read { db in
        try db.value("SELECT customer FROM subscriptions", as: String.self)
      }
      try await plugin.core.database.write { tx in try plugin.eraseAll(of: school.id, in: tx) }
      try await shop.pass(days: 1)
      #expect(try await shop.atStripe() == ["active"])
      #expect(try await shop.count("SELECT COUNT(*) FROM subscriptions WHERE is_active = 1") == 1)
      for _ in 0..<40 { try await shop.pass(days: 1) }
      #expect(try await shop.count("SELECT COUNT(*) FROM subscriptions WHERE is_active = 1") == 0)
      #expect(try await shop.stripe.get("/v1/customers/\(customer ?? "")")["deleted"] == .bool(true))
    }
  }
}
