import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import OrdersService

/// Carts of guests, and what becomes of them (YD1).
@Suite(.serialized)
struct GuestCartTests {
  private static func move(_ guest: TestUser, to user: TestUser, _ host: TestPlatform) async throws {
    try await host.deliver(
      GuestSignedIn(guestID: guest.id, userID: user.id), from: AuthAPI.self, to: OrdersAPI.self)
  }

  private static func cart(_ user: TestUser) async throws -> Cart { try await user.client.send(OrdersAPI.GetCart()) }

  @Test("YD1: guests fill, change and quote a cart, but do not check out")
  func guestsHaveCarts() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, guest) = (try await host.owner(), try await host.person([.guest]))
      #expect(try await Self.cart(guest).items.isEmpty)
      try await host.add(try await host.product(owner), 2, to: guest)
      let item = try #require(try await Self.cart(guest).items.first)
      let more = OrdersAPI.UpdateCartItem(id: item.id, quantity: Quantity(checked: 3))
      let changed = try await guest.client.send(more)
      #expect(changed.items.map(\.quantity) == [3])
      #expect(changed.subtotal == Money(3 * 2499, .usd))
      #expect(try await guest.client.send(OrdersAPI.QuoteCart()).total == Money(3 * 2499, .usd))
      #expect(await refusal { _ = try await host.checkOut(guest) } == "forbidden")
      #expect(try await guest.client.send(OrdersAPI.RemoveCartItem(id: item.id)).items.isEmpty)
    }
  }

  @Test("YD1: a guest's items move into the account's cart, once", arguments: TestDatabase.allCases)
  func cartsMove(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let (owner, seller) = (try await host.owner(), try await host.person())
      let (guest, ada) = (try await host.person([.guest]), try await host.person())
      let (bow, ring) = (try await host.product(owner, stock: 2000), try await host.product(owner))
      let beat = try await host.beat(seller)
      try await host.add(bow, 998, to: guest)
      try await host.add(ring, 1, to: guest)
      try await host.add(beat, .lease, to: guest)
      try await host.add(bow, 5, to: ada)
      try await host.add(beat, .lease, to: ada)
      let before = try await Self.cart(ada)
      for _ in 0..<2 { try await Self.move(guest, to: ada, host) }
      let cart = try await Self.cart(ada)
      #expect(cart.id == before.id)
      #expect(cart.version == before.version + 1)
      #expect(cart.items.map(\.quantity).sorted() == [1, 1, 999])
      #expect(Set(cart.items.compactMap(\.productID)) == [bow.id, ring.id])
      #expect(try await Self.cart(guest).items.isEmpty)
    }
  }

  @Test("YD1: a guest who logs in finds the items in the account's cart")
  func guestsLogIn() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, id) = (try await host.owner(), try await host.account("ada", "Ada"))
      let session = try await host.client.send(AuthAPI.SignInAsGuest())
      let guest = TestUser(id: session.user.id, token: session.accessToken, client: host.client)
      try await host.add(try await host.product(owner), 2, to: guest)
      let login = AuthAPI.LogIn(
        login: "ada", password: "correct horse ada", guest: session.accessToken,
        guestRefreshToken: session.refreshToken)
      let ada = TestUser(id: id, token: try await host.client.send(login).accessToken, client: host.client)
      for event in try await host.recorded(GuestSignedIn.self, by: AuthAPI.self) {
        try await host.deliver(event, from: AuthAPI.self, to: OrdersAPI.self)
      }
      #expect(try await Self.cart(ada).items.map(\.quantity) == [2])
      #expect(try await host.checkOut(ada).status == .placed)
    }
  }

  @Test("YD1: the cart of a guest who signs up stays, and no longer expires")
  func cartsStayAtSignUp() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, guest) = (try await host.owner(), try await host.person([.guest]))
      try await host.add(try await host.product(owner), to: guest)
      try await Self.move(guest, to: guest, host)
      host.time.advance(seconds: 31 * 86_400)
      try await host.runOnce()
      #expect(try await Self.cart(guest).items.count == 1)
    }
  }

  @Test("YD1: guests' carts expire 30 days after their last use", arguments: TestDatabase.allCases)
  func unusedCartsExpire(_ database: TestDatabase) async throws {
    try await TestPlatform.orders(database: database) { host async throws in
      let owner = try await host.owner()
      let people = [try await host.person([.guest]), try await host.person([.guest]), try await host.person()]
      let product = try await host.product(owner)
      for person in people { try await host.add(product, to: person) }
      host.time.advance(seconds: 20 * 86_400)
      try await host.add(product, to: people[1])
      host.time.advance(seconds: 11 * 86_400)
      try await host.runOnce()
      let left = try await host.database(of: OrdersAPI.self).read { db in
        try db.values("SELECT user_id FROM carts WHERE id IN (SELECT cart_id FROM cart_items)", as: UserID.self)
      }
      #expect(Set(left) == [people[1].id, people[2].id])
    }
  }

  @Test("YD1: a cart in checkout is not changed; the guest's items move afterwards")
  func cartsInCheckoutAreLeftAlone() async throws {
    try await TestPlatform.orders { host async throws in
      let (owner, guest, ada) = (try await host.owner(), try await host.person([.guest]), try await host.person())
      let product = try await host.product(owner)
      for person in [guest, ada] { try await host.add(product, to: person) }
      let carts = try host.orders.core.carts
      let database = try host.database(of: OrdersAPI.self)
      let open = try await Self.cart(ada).id
      try await database.write { tx in try carts.lock(open, for: host.ids.make(), in: tx) }
      let refused = try await problem { try await Self.move(guest, to: ada, host) }
      #expect(refused?.code == "unavailable")
      try await database.write { tx in try carts.unlock(open, in: tx) }
      try await Self.move(guest, to: ada, host)
      #expect(try await Self.cart(ada).items.map(\.quantity) == [2])
    }
  }

  @Test("YD1: the items of two carts merge within the limits, in the currency of the account's cart")
  func mergesHaveLimits() {
    func item(_ product: Int, _ quantity: Int, _ currency: Currency = .usd) -> Cart.Item {
      let id = ProductID(trusted: "product-\(product)")
      return Cart.Item(
        id: CartItemID(trusted: "item-\(product)"), .product(ProductReference(productID: id)), title: "x",
        quantity: quantity, price: Money(1, currency))
    }
    func merge(_ items: [Cart.Item], _ others: [Cart.Item], limit: Int = 3) -> CartMerge {
      CartMerge(of: items, into: others, limit: limit)
    }
    #expect(merge([item(1, 2)], []).added == [item(1, 2)])
    #expect(merge([item(1, 2)], [item(1, 3)]).raised == [item(1, 5)])
    #expect(merge([item(1, 998)], [item(1, 3)]).raised == [item(1, 999)])
    #expect(merge([item(1, 5)], [item(1, 999)]).raised == [])
    #expect(merge([item(1, 1), item(2, 1), item(3, 1)], [item(4, 1)]).added == [item(1, 1), item(2, 1)])
    #expect(merge([item(1, 1, Currency(trusted: "EUR"))], [item(2, 1)]).added == [])
    #expect(merge([item(1, 1), item(2, 1, Currency(trusted: "EUR"))], []).added == [item(1, 1)])
  }
}
