import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// The sale of an exclusive license against unpaid orders of the same listing.
@Suite(.serialized)
struct ExclusiveSaleTests {
  /// A lease that is checked out, with a payment that is not reported yet, and the buyer of the exclusive license.
  private struct Race {
    var host: TestPlatform
    var beat: Listing
    var ada: TestUser
    var bob: TestUser
    var lease: Order

    func sellExclusively() async throws -> Order {
      try await host.add(beat, .exclusive, to: bob)
      return try await host.checkOut(bob)
    }
  }

  private static func race(
    _ database: TestDatabase = .sqlite, _ token: String? = "test_later", _ body: (Race) async throws -> Void
  ) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (seller, ada, bob) = (try await host.person(), try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      try await host.add(beat, .lease, to: ada)
      let lease = try await host.checkOut(ada, token)
      try await body(Race(host: host, beat: beat, ada: ada, bob: bob, lease: lease))
      #expect(try await host.ledgerBalances())
    }
  }

  @Test(
    "M7: the exclusive sale ends an unpaid lease, and its payment in flight is refunded in full",
    arguments: TestDatabase.allCases)
  func exclusiveFirst(_ database: TestDatabase) async throws {
    try await Self.race(database) { race in
      let exclusive = try await race.sellExclusively()
      #expect(exclusive.status == .placed)
      #expect(try await race.host.order(race.lease.id, race.ada).status == .canceled)
      try await race.host.succeed(race.lease)
      let refunds = try await race.host.refunds(of: race.lease)
      #expect(refunds.map(\.amount) == [race.lease.total])
      #expect(refunds.map(\.payment) == [race.lease.payment?.id])
      #expect(refunds.map(\.status) == [.succeeded])
      #expect(try await race.host.licenses(of: race.ada).isEmpty)
    }
  }

  @Test("M7: a lease paid before the exclusive sale is an earlier license", arguments: TestDatabase.allCases)
  func leaseFirst(_ database: TestDatabase) async throws {
    try await Self.race(database) { race in
      try await race.host.succeed(race.lease)
      let exclusive = try await race.sellExclusively()
      #expect(exclusive.status == .placed)
      #expect(try await race.host.licenses(of: race.ada).map(\.status) == [.active])
      #expect(try await race.host.licenses(of: race.bob).map(\.priorLicenses) == [1])
    }
  }

  @Test("M7: an order ended by the exclusive sale cannot be paid")
  func endedOrdersAreRefused() async throws {
    try await Self.race(.sqlite, nil) { race in
      _ = try await race.sellExclusively()
      #expect(await refusal { _ = try await race.host.pay(race.lease.id, race.ada) } == "order-not-payable")
      #expect(try await race.host.refunds(of: race.lease).isEmpty)
    }
  }

  @Test("M7: an accepted, unpaid offer of a lease ends with the exclusive sale")
  func acceptedOffersEnd() async throws {
    try await TestPlatform.orders { host async throws in
      let (seller, ada, bob) = (try await host.person(), try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      let offer = try await host.offer(1500, ada, beat, .lease)
      let order = try await host.accept(offer, seller)
      try await host.add(beat, .exclusive, to: bob)
      #expect(try await host.checkOut(bob).status == .placed)
      #expect(try await host.order(order, ada).status == .canceled)
      #expect(try await ada.client.send(OrdersAPI.GetOffer(id: offer.id)).status == .supersededBySale)
      #expect(await refusal { _ = try await host.pay(order, ada) } == "order-not-payable")
      #expect(try await host.ledgerBalances())
    }
  }

  @Test("M7: a lease that is paid but not placed when the exclusive license is sold is refunded")
  func paidButNotPlaced() async throws {
    try await Self.race { race in
      let core = try race.host.orders.core
      let id = try #require(race.lease.payment?.id)
      // The process stops after the payment is stored.
      try await core.database.write { tx in
        let payment = try #require(try core.payments.find(id, in: tx))
        try core.transitions.paid(payment, .succeeded(reference: TestProvider.reference(of: id)), in: tx)
      }
      #expect(try await race.sellExclusively().status == .placed)
      try await core.workflow.advance(race.lease.id)
      let ended = try await race.host.order(race.lease.id, race.ada)
      #expect(ended.status == .canceled)
      #expect(ended.paymentStatus == .refunded)
      #expect(ended.refunded == race.lease.total)
      #expect(try await race.host.licenses(of: race.ada).isEmpty)
    }
  }

  @Test("M7: stock held by an ended order is released")
  func stockIsReleased() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, seller) = (try await host.owner(), try await host.person())
      let (ada, bob) = (try await host.person(), try await host.person())
      let (product, beat) = (try await host.product(owner, stock: 3), try await host.beat(seller))
      try await host.add(product, to: ada)
      try await host.add(beat, .lease, to: ada)
      _ = try await host.checkOut(ada, "test_later")
      #expect(try await host.stock(product, owner).reserved == 1)
      try await host.add(beat, .exclusive, to: bob)
      _ = try await host.checkOut(bob)
      host.time.advance(seconds: 11)
      try await host.runOnce()
      #expect(try await host.stock(product, owner).reserved == 0)
    }
  }

  @Test(
    "M7: leases and the exclusive license are paid at once: none is granted later", arguments: TestDatabase.allCases)
  func concurrentPayments(_ database: TestDatabase) async throws {
    struct Purchase {
      var buyer: TestUser
      var order: Order
    }
    try await TestPlatform.orders(database: database) { host async throws in
      let (seller, bob) = (try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      var leases: [Purchase] = []
      for buyer in try await host.people(6) {
        try await host.add(beat, .lease, to: buyer)
        leases.append(Purchase(buyer: buyer, order: try await host.checkOut(buyer, "test_later")))
      }
      try await host.add(beat, .exclusive, to: bob)
      let sale = try await host.checkOut(bob, "test_later")
      let orders = leases.map(\.order) + [sale]
      _ = try await concurrently(orders) { order in try await retryingConflicts { try await host.succeed(order) } }
      for order in orders { try await host.orders.core.workflow.advance(order.id) }
      var granted = 0
      for lease in leases {
        let isGranted = try await !host.licenses(of: lease.buyer).isEmpty
        let refunded = try await host.refunds(of: lease.order).reduce(0) { $0 + $1.amount.amount }
        #expect(refunded == (isGranted ? 0 : lease.order.total.amount))
        granted += isGranted ? 1 : 0
      }
      // The licenses that had been granted when the exclusive license was sold are all that there ever are.
      #expect(try await host.licenses(of: bob).map(\.priorLicenses) == [granted])
      #expect(try await host.ledgerBalances())
    }
  }
}
