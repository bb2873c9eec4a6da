import Contracts

/// The item that a cart item or an order line sells. On the wire and in tables, its parts are separate properties and
/// columns.
enum ItemReference: Sendable, Equatable {
  case product(ProductReference)
  case license(ListingID, LicenseKind)

  var product: ProductReference? { if case .product(let product) = self { product } else { nil } }
  var listingID: ListingID? { if case .license(let listing, _) = self { listing } else { nil } }
  var license: LicenseKind? { if case .license(_, let kind) = self { kind } else { nil } }

  /// Occurs at most once in a cart.
  var key: String {
    switch self {
    case .product(let product): "product \(product.productID) \(product.variantID?.rawValue ?? "")"
    case .license(let listing, let kind): "listing \(listing) \(kind.rawValue)"
    }
  }
}

extension Cart.Item {
  init(id: CartItemID, _ reference: ItemReference, title: String, quantity: Int, price: Money) {
    self.init(
      id: id, productID: reference.product?.productID, variantID: reference.product?.variantID,
      listingID: reference.listingID, license: reference.license, title: title, quantity: quantity, price: price
    )
  }

  var reference: ItemReference? {
    if let product { return .product(product) }
    guard let listingID, let license else { return nil }
    return .license(listingID, license)
  }

  var product: ProductReference? { productID.map { ProductReference(productID: $0, variantID: variantID) } }
}

extension PricedLine {
  var product: ProductReference? { productID.map { ProductReference(productID: $0, variantID: variantID) } }
}
