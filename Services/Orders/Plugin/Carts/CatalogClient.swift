import Contracts
import Crypto
import Persistence

/// Reads what catalog has for sale, in the types of carts and orders.
struct CatalogClient: Sendable {
  let catalog: APIClient

  /// Reads all items with a single request to catalog.
  func items(products: [ProductReference], listings: [ListingID]) async throws -> SaleItems {
    guard !products.isEmpty || !listings.isEmpty else { return SaleItems(products: [], listings: []) }
    return try await catalog.send(CatalogAPI.GetSaleItems(products: products, listings: listings))
  }

  func listing(_ id: ListingID) async throws -> SaleItems.Listing? {
    try await items(products: [], listings: [id]).listings.first
  }
}

extension SaleItems {
  /// The current data of a cart item; `nil` when it can no longer be bought.
  func cartLine(for item: Cart.Item) -> CartLine? {
    if let reference = item.product {
      guard let product = products.first(where: { $0.product == reference }) else { return nil }
      return CartLine(
        item: .product(reference),
        title: product.title,
        sku: product.sku,
        image: product.image,
        quantity: item.quantity,
        unitPrice: product.price.money,
        taxClass: product.taxClass,
        isShipped: product.isShipped,
        weightGrams: product.weightGrams
      )
    }
    guard let listing = listings.first(where: { $0.id == item.listingID }),
      let terms = listing.licenses.first(where: { $0.kind == item.license })
    else { return nil }
    return listing.cartLine(terms)
  }
}

extension CartLine {
  /// A fingerprint of what a license grants: its terms without the price, and the recording. `nil` for a product.
  func fingerprint() throws -> String? {
    guard var terms else { return nil }
    terms.price = Price(checked: Money(0, unitPrice.currency))
    let recording = audio?.rawValue ?? ""
    return SHA256.hash(data: try WireJSON.encode(terms) + Array(" \(recording)".utf8)).prefix(16).hexadecimal
  }
}

extension SaleItems.Listing {
  /// Licenses are taxed by the rules for the tax class `license`.
  static let taxClass = "license"

  /// A license for the listing at a price, by default the listed one.
  func cartLine(_ terms: LicenseOption, price: Money? = nil) -> CartLine {
    CartLine(
      item: .license(id, terms.kind),
      title: title,
      image: cover,
      quantity: 1,
      unitPrice: price ?? terms.price.money,
      taxClass: Self.taxClass,
      isShipped: false,
      weightGrams: 0,
      sellerID: ownerID,
      terms: terms,
      audio: audio
    )
  }
}
