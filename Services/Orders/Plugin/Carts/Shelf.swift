import Contracts
import Persistence

/// What catalog has for sale, in the words of carts and orders.
struct Shelf: Sendable {
  let catalog: APIClient

  /// Asks catalog once for everything.
  func items(products: [ProductReference], listings: [ListingID]) async throws -> SaleItems {
    guard !products.isEmpty || !listings.isEmpty else { return SaleItems(products: [], listings: []) }
    return try await catalog.send(CatalogAPI.GetSaleItems(body: .init(products: products, listings: listings)))
  }

  func listing(_ id: ListingID) async throws -> SaleItems.Listing? {
    try await items(products: [], listings: [id]).listings.first
  }
}

extension SaleItems {
  /// A cart's item as it would be bought now; `nil` when it no longer can be.
  func thing(for item: Cart.Item) -> PricedThing? {
    if let productID = item.productID {
      let reference = ProductReference(productID: productID, variantID: item.variantID)
      guard let product = products.first(where: { $0.product == reference }) else { return nil }
      return PricedThing(
        productID: productID,
        variantID: item.variantID,
        title: product.title,
        sku: product.sku,
        image: product.image,
        quantity: item.quantity,
        unitPrice: product.price.money,
        taxClass: product.taxClass,
        weightGrams: product.weightGrams
      )
    }
    guard let listing = listings.first(where: { $0.id == item.listingID }),
      let terms = listing.licences.first(where: { $0.kind == item.licence })
    else { return nil }
    return listing.thing(terms)
  }
}

extension SaleItems.Listing {
  /// Licences are taxed by rules of the class `licence`.
  static let taxClass = "licence"

  /// A licence of it at a price, the offered one unless said.
  func thing(_ terms: LicenceOption, price: Money? = nil) -> PricedThing {
    PricedThing(
      listingID: id,
      licence: terms.kind,
      title: title,
      image: cover,
      quantity: 1,
      unitPrice: price ?? terms.price.money,
      taxClass: Self.taxClass,
      weightGrams: 0,
      sellerID: ownerID,
      terms: terms,
      audio: audio
    )
  }
}
