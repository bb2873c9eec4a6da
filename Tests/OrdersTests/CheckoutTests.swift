import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Checkout, payment and cancellation.
@Suite(.serialized)
struct CheckoutTests {
  @Test(arguments: TestDatabase.allCases)
  func aCartBecomesAPaidOrder(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let id = try await host.account("ada", "Ada")
      let (owner, ada) = (try await host.owner(), try await host.person(id: id))
      let base = Price(checked: Money(644, .usd))
      _ = try await owner.client.send(
        OrdersAPI.PutPricingRules(
          tax: [
            TaxRule(
              region: Region(checked: "GB"),
              taxClass: ShortText(checked: "standard"),
              rate: TaxRate(checked: 107_500)
            )
          ], shipping: [ShippingRule(base: base)])
      )
      let product = try await host.product(owner, weight: 300)
      try await host.add(product, to: ada)
      let cart = try await ada.client.send(OrdersAPI.GetCart())
      #expect(cart.status == .precheckout)
      #expect(cart.ownerID == ada.id)
      #expect(cart.subtotal == Money(2499, .usd))
      let quote = try await ada.client.send(OrdersAPI.QuoteCart(region: Region(checked: "GB")))
      #expect(quote.total == Money(3412, .usd))
      #expect(quote.tax == Money(269, .usd))
      #expect(quote.changes.isEmpty)

      let order = try await host.checkOut(ada, key: "once")
      #expect(order.status == .placed)
      #expect(order.paymentStatus == .paid)
      #expect(order.fulfillmentStatus == .processing)
      #expect(order.total == Money(3412, .usd))
      #expect(order.shipping == Money(644, .usd))
      #expect(order.payment?.status == .succeeded)
      #expect(order.shippingAddress == TestPlatform.address)
      #expect(order.changes?.map(\.axis).contains("fulfillment") == true)
      let level = try await host.stock(product, owner)
      #expect(level.onHand == 9)
      #expect(level.reserved == 0)

      // The same key returns the same order; the cart is a new one.
      #expect(try await host.checkOut(ada, key: "once").id == order.id)
      let next = try await ada.client.send(OrdersAPI.GetCart())
      #expect(next.id != cart.id)
      #expect(next.items.isEmpty)
      #expect(next.status == .precheckout)
      #expect(await refusal { _ = try await host.checkOut(ada) } == "cart-empty")
      #expect(try await ada.client.send(OrdersAPI.ListOrders()).items.map(\.id) == [order.id])
      let eve = try await host.person()
      #expect(await refusal { _ = try await host.order(order.id, eve) } == "order-not-found")

      // Fulfillment advances one step at a time.
      for (status, refused) in [
        (FulfillmentStatus.shipped, "invalid-transition"), (.delivered, "invalid-transition"), (.processed, nil),
        (.shipped, "tracking-missing"),
      ] as [(FulfillmentStatus, String?)] {
        #expect(
          await refusal {
            _ = try await owner.client.send(OrdersAPI.UpdateOrder(id: order.id, status: status))
          } == refused
        )
      }
      #expect(
        await refusal {
          _ = try await ada.client.send(OrdersAPI.UpdateOrder(id: order.id, status: .shipped))
        } == "forbidden"
      )
      let shipped = try await owner.client.send(
        OrdersAPI.UpdateOrder(
          id: order.id,
          status: .shipped, carrier: ShortText(checked: "Post"), tracking: ShortText(checked: "X1"))
      )
      #expect(shipped.fulfillmentStatus == .shipped)
      #expect(shipped.tracking == "X1")
      #expect(
        await refusal { _ = try await ada.client.send(OrdersAPI.CancelOrder(id: order.id)) } == "invalid-transition"
      )
      let receipt = try await ada.client.send(OrdersAPI.GetReceipt(id: order.id))
      #expect(receipt.total == Money(3412, .usd))
      #expect(receipt.buyer == "Ada")
      #expect(receipt.paidWith == "test")
      let page = try await ada.client.send(OrdersAPI.GetReceiptPage(id: order.id))
      #expect(page.mediaType.hasPrefix("text/html"))
      #expect(String(decoding: page.bytes, as: UTF8.self).contains("34.12 USD"))
      #expect(try await host.ledgerBalances())
    }
  }

  /// Many buyers and one unit: one order, refusals for the others, no stock left, and one payment.
  @Test(arguments: ShopInstances.allCases)
  func theLastUnitIsSoldOnce(_ instances: ShopInstances) async throws {
    let buyers =
      switch instances {
      case .sqlite: 200
      case .postgresql: 60
      case .twoInstances: 20
      }
    try await instances.run { pair async throws in
      let host = pair.one
      let owner = try await host.owner()
      let product = try await host.product(owner, stock: 1)
      let people = try await host.people(buyers)
      for person in people { try await host.add(product, to: person) }
      let outcomes = try await concurrently(pair.clients(people)) { person in
        await refusal {
          _ = try await retryingUnavailable { try await host.checkOut(person, key: person.id.rawValue) }
        } ?? "placed"
      }.counts
      #expect(outcomes == ["placed": 1, "insufficient-stock": buyers - 1])
      let level = try await host.stock(product, owner)
      #expect(level.onHand == 0)
      #expect(level.reserved == 0)
      let all = try await owner.client.send(OrdersAPI.ListAllOrders(limit: PageSize(checked: 100))).items
      #expect(all.map(\.status) == [.placed])
      #expect(try await host.moneyKept() == 2499)
      // Refused buyers keep their carts.
      var open = 0
      for person in people where try await !person.client.send(OrdersAPI.GetCart()).items.isEmpty { open += 1 }
      #expect(open == buyers - 1)
      #expect(try await host.ledgerBalances())
    }
  }

  @Test func changedPricesAreReportedAndNotCharged() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      let product = try await host.product(owner)
      try await host.add(product, to: ada)
      var patch = CatalogAPI.UpdateProduct(id: product.id)
      patch.price = Price(checked: Money(2999, .usd))
      _ = try await owner.client.send(patch)
      let quote = try await ada.client.send(OrdersAPI.QuoteCart())
      #expect(quote.changes.map(\.now) == [Money(2999, .usd)])
      #expect(await refusal { _ = try await host.checkOut(ada) } == "price-changed")
      // The buyer has seen the new price and accepts it with a second checkout.
      #expect(try await host.checkOut(ada).total == Money(2999, .usd))

      try await host.add(product, to: ada)
      _ = try await owner.client.send(CatalogAPI.DeleteProduct(id: product.id))
      #expect(await refusal { _ = try await host.checkOut(ada) } == "cart-changed")
      #expect(try await ada.client.send(OrdersAPI.GetCart()).items.count == 1)
      #expect(try await ada.client.send(OrdersAPI.ListOrders()).items.map { $0.lines[0].title } == ["Blue earrings"])
    }
  }

  @Test func unpaidOrdersKeepTheirStockForAWhile() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada, bob) = (try await host.owner(), try await host.person(), try await host.person())
      let product = try await host.product(owner, stock: 1)
      try await host.add(product, to: ada)
      try await host.add(product, to: bob)
      let order = try await host.checkOut(ada, "test_later")
      #expect(order.status == .pendingPayment)
      #expect(order.payment?.status == .pending)
      let payment = try #require(order.payment)
      #expect(payment.clientSecret == "test_\(payment.id)_secret")
      #expect(try await owner.client.send(OrdersAPI.GetOrder(id: order.id)).payment?.clientSecret == nil)
      #expect(try await host.order(order.id, ada).payment?.clientSecret == order.payment?.clientSecret)
      #expect(await refusal { _ = try await host.checkOut(bob) } == "insufficient-stock")
      host.time.advance(seconds: 16 * 60)
      try await host.runOnce()
      let ended = try await host.order(order.id, ada)
      #expect(ended.status == .expired)
      #expect(ended.payment?.clientSecret == nil)
      #expect(try await host.stock(product, owner).reserved == 0)
    }
  }

  @Test func declinedPaymentsCanBeMadeAgain() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      let product = try await host.product(owner)
      try await host.add(product, to: ada)
      let order = try await host.checkOut(ada, "test_decline")
      #expect(order.status == .pendingPayment)
      #expect(order.paymentStatus == .failed)
      #expect(order.payment?.failure == "card_declined")
      let pay = OrdersAPI.PayOrder(id: order.id, body: TestPlatform.card())
      let paid = try await ada.client.send(pay, idempotencyKey: "again")
      #expect(paid.status == .placed)
      #expect(paid.paymentStatus == .paid)
      #expect(try await ada.client.send(pay, idempotencyKey: "again").version == paid.version)
      #expect(await refusal { _ = try await ada.client.send(pay, idempotencyKey: "other") } == "order-not-payable")
      #expect(try await host.ledgerBalances())
    }
  }

  @Test func canceledOrdersGiveEverythingBack() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      let product = try await host.product(owner, stock: 5)
      try await host.add(product, 3, to: ada)
      let order = try await host.checkOut(ada)
      #expect(try await host.stock(product, owner).onHand == 2)
      let canceled = try await ada.client.send(OrdersAPI.CancelOrder(id: order.id))
      #expect(canceled.status == .canceled)
      #expect(canceled.paymentStatus == .refunded)
      #expect(canceled.refunded == order.total)
      #expect(canceled.fulfillmentStatus == .canceled)
      #expect(try await host.stock(product, owner).onHand == 5)
      #expect(try await ada.client.send(OrdersAPI.CancelOrder(id: order.id)).status == .canceled)
      #expect(try await host.ledgerBalances())
    }
  }

  /// An item added during checkout is bought, stays in a cart, or is refused; it is never lost.
  @Test func cartsInCheckoutAreNotChanged() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada) = (try await host.owner(), try await host.person())
      let product = try await host.product(owner, stock: 1000)
      @Sendable func tryCheckOut() async -> (order: Order?, refusal: String?) {
        do {
          return (try await host.checkOut(ada), nil)
        } catch CallError.problem(let problem) {
          return (nil, problem.code)
        } catch { return (nil, "\(error)") }
      }
      for _ in 0..<10 {
        try await host.add(product, to: ada)
        async let ordered = tryCheckOut()
        let added = await refusal { try await host.add(product, to: ada) }
        let (order, refused) = await ordered
        let bought = order?.lines.reduce(0) { $0 + $1.quantity } ?? 0
        let left = try await ada.client.send(OrdersAPI.GetCart()).items.reduce(0) { $0 + $1.quantity }
        switch (added, refused) {
        // Added before the checkout began or to the next cart.
        case (nil, nil): #expect(bought + left == 2)
        case ("checkout-in-progress", nil):
          #expect(bought == 1)
          #expect(left == 0)
        default: Issue.record("add: \(added ?? "done"); check out: \(refused ?? "done")")
        }
        for item in try await ada.client.send(OrdersAPI.GetCart()).items {
          _ = try await ada.client.send(OrdersAPI.RemoveCartItem(id: item.id))
        }
      }
    }
  }

  @Test func callersMistakesAreReportedAndChangeNothing() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, ada, eve) = (try await host.owner(), try await host.person(), try await host.person())
      let product = try await host.product(owner, stock: 3)
      let beat = try await host.beat(eve, exclusive: nil)
      func add(_ body: OrdersAPI.AddCartItem, _ person: TestUser = ada) async -> String? {
        await refusal { _ = try await person.client.send(body) }
      }
      #expect(await add(.init()) == "invalid-request")
      #expect(await add(.init(productID: product.id, listingID: beat.id)) == "invalid-request")
      #expect(await add(.init(productID: ProductID(trusted: beat.id.rawValue))) == "product-not-found")
      #expect(await add(.init(productID: product.id, quantity: Quantity(checked: 4))) == "insufficient-stock")
      #expect(await add(.init(listingID: beat.id)) == "invalid-request")
      #expect(await add(.init(listingID: beat.id, license: .exclusive)) == "license-not-offered")
      #expect(await add(.init(listingID: beat.id, license: .lease), eve) == "own-listing")
      #expect(
        await add(.init(listingID: ListingID(trusted: product.id.rawValue), license: .lease)) == "listing-not-for-sale"
      )
      try await host.add(product, 2, to: ada)
      let yen = try await host.product(owner, currency: Currency(trusted: "JPY"))
      #expect(await add(.init(productID: yen.id)) == "currency-mismatch")
      #expect(await add(.init(productID: product.id, quantity: Quantity(checked: 2))) == "insufficient-stock")

      let client = ada.client
      #expect(
        await refusal { _ = try await client.send(OrdersAPI.CheckOut()) } == "idempotency-key-missing"
      )
      let stale = OrdersAPI.CheckOut(ifMatch: EntityTag(version: 1))
      #expect(await refusal { _ = try await client.send(stale, idempotencyKey: "s") } == "version-mismatch")
      let unknown = OrdersAPI.CheckOut(
        payment: PaymentChoice(provider: .stripe, token: ProviderToken(checked: "pm_1")))
      #expect(await refusal { _ = try await client.send(unknown, idempotencyKey: "u") } == "provider-not-available")
      let method = PaymentChoice(provider: .test, paymentMethodID: PaymentMethodID(trusted: product.id.rawValue))
      let kept = OrdersAPI.CheckOut(payment: method)
      #expect(await refusal { _ = try await client.send(kept, idempotencyKey: "k") } == "payment-method-not-found")
      let card = OrdersAPI.AddPaymentMethod(
        provider: .test, token: ProviderToken(checked: "4111111111111111"), label: ShortText(checked: "x"))
      #expect(await refusal { _ = try await client.send(card) } == "invalid-request")
      #expect(try await client.send(OrdersAPI.ListPaymentMethods()).items.isEmpty)
      _ = try await host.checkOut(ada, key: "used")
      #expect(
        await refusal { _ = try await host.checkOut(ada, "test_decline", key: "used") } == "idempotency-key-reused"
      )
      let guest = try await host.person([.guest])
      let checkOut = OrdersAPI.CheckOut()
      #expect(await refusal { _ = try await guest.client.send(checkOut, idempotencyKey: "g") } == "forbidden")
      #expect(await refusal { _ = try await guest.client.send(OrdersAPI.ListOrders()) } == "forbidden")
      #expect(try await host.stock(product, owner).onHand == 1)
    }
  }

  /// Whoever names a version hears that the cart changed, also when nothing is left in it.
  @Test(arguments: TestDatabase.allCases)
  func anEmptiedCartIsAnotherVersion(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (seller, ada, eve) = (try await host.person(), try await host.person(), try await host.person())
      let beat = try await host.beat(seller)
      try await host.add(beat, .exclusive, to: ada)
      let seen = try await ada.client.send(OrdersAPI.GetCart())
      try await host.add(beat, .exclusive, to: eve)
      _ = try await host.checkOut(eve)
      let checkOut = OrdersAPI.CheckOut(ifMatch: EntityTag(version: seen.version))
      try await eventually("the listing that another bought leaves the cart") {
        try await ada.client.send(OrdersAPI.GetCart()).items.isEmpty
      }
      #expect(await refusal { _ = try await ada.client.send(checkOut, idempotencyKey: "v") } == "version-mismatch")
      let current = OrdersAPI.CheckOut(
        ifMatch: EntityTag(version: try await ada.client.send(OrdersAPI.GetCart()).version))
      #expect(await refusal { _ = try await ada.client.send(current, idempotencyKey: "c") } == "cart-empty")
    }
  }

  /// A deleted account's open orders are canceled; records required by law stay, without personal data.
  @Test(arguments: TestDatabase.allCases)
  func deletedPeopleLeaveTheirOrders(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (owner, seller, ada) = (try await host.owner(), try await host.person(), try await host.person())
      let (product, beat) = (try await host.product(owner, stock: 5), try await host.beat(seller))
      try await host.add(beat, .lease, to: ada)
      let licensed = try await host.checkOut(ada)
      try await host.add(product, to: ada)
      let open = try await host.checkOut(ada)
      try await host.add(product, to: ada)
      let plugin = try host.orders
      let exported = try await plugin.export(ada.id, from: plugin.core.database)
      #expect(String(decoding: try WireJSON.encode(exported), as: UTF8.self).contains("12 St James Square"))
      try await plugin.core.database.write { tx in try plugin.eraseAll(of: ada.id, in: tx) }
      host.time.advance(seconds: 11)
      try await host.runOnce()
      let canceled = try await host.order(open.id, owner)
      #expect(canceled.status == .canceled)
      #expect(canceled.paymentStatus == .refunded)
      #expect(canceled.ownerID == nil)
      #expect(canceled.shippingAddress == nil)
      let kept = try await host.order(licensed.id, owner)
      #expect(kept.status == .placed)
      #expect(kept.ownerID == nil)
      #expect(kept.total == Money(2000, .usd))
      #expect(try await host.stock(product, owner).onHand == 5)
      #expect(await refusal { _ = try await host.order(licensed.id, ada) } == "order-not-found")
      let rest = String(
        decoding: try WireJSON.encode(try await plugin.export(ada.id, from: plugin.core.database)), as: UTF8.self)
      #expect(!rest.contains(licensed.id.rawValue))
      #expect(!rest.contains("12 St James Square"))
      #expect(try await host.ledgerBalances())
    }
  }
}
