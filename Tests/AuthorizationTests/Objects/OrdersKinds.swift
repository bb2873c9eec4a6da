import Contracts
import TestKit

extension MatrixFixtures {
  static let orders = [cartItem, order, license, paymentMethod, auction, offer]

  private static let cartItem = MatrixKind(
    name: "cart item", api: OrdersAPI.self, path: "/v1/cart/items/{id}",
    harmless: ["DELETE /v1/cart/items/{id}"],
    bodies: ["PATCH /v1/cart/items/{id}": #"{"quantity":9}"#]
  ) { matrix, people in
    let cart = try await fillCart(matrix, of: people.owner)
    guard let item = cart.items.first else { throw TestKitError("the cart is empty") }
    return .init(id: item.id.rawValue, view: "/v1/cart")
  }

  private static let order = MatrixKind(
    name: "order", api: OrdersAPI.self, path: "/v1/orders/{id}",
    staff: [
      "GET /v1/orders/{id}", "POST /v1/orders/{id}/cancel", "GET /v1/orders/{id}/receipt",
      "GET /v1/orders/{id}/receipt.html", "GET /v1/orders/{id}/refunds",
    ],
    bodies: [
      "POST /v1/orders/{id}/payments": #"{"provider":"test","token":"test_success"}"#,
      "PUT /v1/orders/{id}/region": #"{"region":"DE"}"#,
    ]
  ) { matrix, people in
    try await fillCart(matrix, of: people.owner)
    let order = try await checkOut(matrix, people.owner)
    return .init(id: order.id.rawValue, view: "/v1/orders/\(order.id)")
  }

  private static func checkOut(_ matrix: MatrixPlatform, _ buyer: TestUser) async throws -> Order {
    let address = PostalAddress(
      name: ShortText(checked: "Ada Lovelace"), street: ShortText(checked: "12 St James Square"),
      city: ShortText(checked: "London"), postalCode: ShortText(checked: "SW1Y 4JH"), region: Region(checked: "GB"))
    let payment = PaymentChoice(provider: .test, token: ProviderToken(checked: "test_success"))
    return try await buyer.client.send(
      OrdersAPI.CheckOut(shippingAddress: address, payment: payment), idempotencyKey: matrix.test.ids.text())
  }

  private static let license = MatrixKind(name: "license", api: OrdersAPI.self, path: "/v1/licenses/{id}") {
    matrix, people in
    let listing = try await beat(matrix, of: people.friend)
    _ = try await people.owner.client.send(OrdersAPI.AddCartItem(listingID: listing, license: .lease))
    _ = try await checkOut(matrix, people.owner)
    let licenses = try await people.owner.client.send(OrdersAPI.ListLicenses(listing: listing)).items
    guard let license = licenses.first else { throw TestKitError("no license") }
    return .init(id: license.id.rawValue, view: "/v1/licenses/\(license.id)")
  }

  private static let paymentMethod = MatrixKind(
    name: "payment method", api: OrdersAPI.self, path: "/v1/payment-methods/{id}",
    harmless: ["DELETE /v1/payment-methods/{id}"]
  ) { matrix, people in
    let method = try await people.owner.client.send(
      OrdersAPI.AddPaymentMethod(
        provider: .test, token: ProviderToken(checked: "test_success"), label: ShortText(checked: "card")))
    return .init(id: method.id.rawValue, view: "/v1/payment-methods")
  }

  private static let auction = MatrixKind(
    name: "auction", api: OrdersAPI.self, path: "/v1/auctions/{id}",
    open: [
      "GET /v1/auctions/{id}", "GET /v1/auctions/{id}/bids", "POST /v1/auctions/{id}/bids",
      "POST /v1/auctions/{id}/buy-now", "GET /v1/auctions/{id}/events", "PUT /v1/auctions/{id}/watch",
      "DELETE /v1/auctions/{id}/watch",
    ]
  ) { matrix, people in
    let auction = try await people.owner.client.send(
      OrdersAPI.CreateAuction(
        listingID: try await beat(matrix, of: people.owner), startPrice: Price(checked: Money(1000, .usd)),
        closesAt: matrix.test.time.source.now().advanced(bySeconds: 3600)))
    return .init(id: auction.id.rawValue, view: "/v1/auctions/\(auction.id)")
  }

  private static let offer = MatrixKind(
    name: "offer", api: OrdersAPI.self, path: "/v1/offers/{id}",
    bodies: ["POST /v1/offers/{id}/counter": #"{"amount":{"amount":30000,"currency":"USD"}}"#]
  ) { matrix, people in
    let listing = try await beat(matrix, of: people.friend)
    let offer = try await people.owner.client.send(
      OrdersAPI.MakeOffer(listingID: listing, license: .exclusive, amount: Price(checked: Money(15_000, .usd))),
      idempotencyKey: matrix.test.ids.text())
    return .init(id: offer.id.rawValue, view: "/v1/offers/\(offer.id)")
  }
}
