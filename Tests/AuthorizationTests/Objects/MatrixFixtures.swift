import Contracts
import TestKit

/// The kinds of objects of the matrix, and what several of them need.
enum MatrixFixtures {
  /// Those after which the owner signs in with a second factor come last.
  static let kinds = auth + gateway + catalog + matching + media + orders + plans + study + factors

  /// Operations with a parameter whose objects belong to everyone, or which are the caller's own relation to them.
  static let shared = [
    "/v1/users/{id}", "/v1/blocks/{userID}", "/v1/follows/{userID}", "/v1/relations/{userID}",
    "/v1/connections/mutual/{userID}", "/v1/roommates/matches/{userID}", "/v1/exercises/{id}",
    "/v1/shared-exercises/{id}", "/v1/posts/{id}", "/v1/library/{id}",
  ]

  static func beat(_ matrix: MatrixPlatform, of seller: TestUser) async throws -> ListingID {
    let lease = LicenseOption(kind: .lease, price: Price(checked: Money(2000, .usd)), files: [.mp3], streams: 5000)
    let exclusive = LicenseOption(kind: .exclusive, price: Price(checked: Money(20_000, .usd)), files: [.mp3, .wav])
    let listing = try await seller.client.send(
      CatalogAPI.CreateListing(
        kind: .beat, name: ShortText(validating: "Night drive"),
        audio: try await matrix.test.addMedium(of: seller, .audio),
        licenses: [lease, exclusive], acceptsOffers: true))
    return listing.id
  }

  /// - Parameter owner: Of the shop.
  static func product(_ owner: APIClient) async throws -> ProductID {
    _ = try? await owner.send(
      CatalogAPI.CreateProductType(body: ProductType(slug: Slug(checked: "things"), name: ShortText(checked: "Things")))
    )
    let product = try await owner.send(
      CatalogAPI.CreateProduct(
        type: Slug(checked: "things"), title: ShortText(checked: "Thing"), price: Price(checked: Money(2499, .usd)),
        isShipped: false, weightGrams: Grams(checked: 0), onHand: StockCount(checked: 10)))
    return product.id
  }

  /// The user's cart with a product.
  @discardableResult
  static func fillCart(_ matrix: MatrixPlatform, of buyer: TestUser) async throws -> Cart {
    guard let token = try await matrix.token(of: .owner) else { throw TestKitError("no token") }
    let product = try await product(matrix.test.client.with(accessToken: token))
    return try await buyer.client.send(OrdersAPI.AddCartItem(productID: product))
  }
}
