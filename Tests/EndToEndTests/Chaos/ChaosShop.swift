import Contracts
import CurlClient
import Foundation
import ServiceKit
import TestKit

/// The platform as its users see it, and what its shop sells.
struct ChaosShop: Sendable {
  let platform: ChaosPlatform
  let http: CurlClient
  let api: APIClient
  /// A product of which there is soon nothing left, and one of which there is enough.
  let products: [Product]

  static let stock = [25, 1_000_000]

  var initial: [String: Int64] {
    Dictionary(zip(products, Self.stock).map { ($0.id.rawValue, Int64($1)) }) { first, _ in first }
  }

  init(_ platform: ChaosPlatform, _ http: CurlClient) async throws {
    (self.platform, self.http) = (platform, http)
    api = APIClient(
      transport: ChaosTransport(platform.gateways.map { CurlTransport(client: http, origin: $0) }))
    for url in platform.gateways {
      try await APIClient(transport: CurlTransport(client: http, origin: url)).waitForServices()
    }
    let owner = api.with(accessToken: try await platform.ownerToken())
    let type = ProductType(slug: Slug(checked: "things"), name: ShortText(checked: "Things"))
    _ = try await owner.send(CatalogAPI.CreateProductType(body: type))
    var products: [Product] = []
    for (name, count) in zip(["Rare thing", "Thing"], Self.stock) {
      products.append(
        try await owner.send(
          CatalogAPI.CreateProduct(
            type: type.slug, title: ShortText(checked: name), price: Price(checked: Money(1999, .usd)),
            isShipped: false, onHand: StockCount(checked: count)),
          idempotencyKey: UUID().uuidString))
    }
    self.products = products
  }
}
