extension CatalogAPI {
  /// With `variantID`, the stock of that variant.
  public struct GetStock: Endpoint {
    public typealias Response = StockLevel
    public static let operation = Operation.get(
      "/v1/products/{id}/stock", "Get the stock of a product", access: .roles([.owner, .administrator]),
      problems: [.productNotFound]
    )
    public var id: ProductID
    public var variantID: VariantID?

    public init(id: ProductID, variantID: VariantID? = nil) { (self.id, self.variantID) = (id, variantID) }
  }

  /// With `variantID`, the stock of that variant.
  public struct PutStock: Endpoint {
    public typealias Response = StockLevel
    public static let operation = Operation.put(
      "/v1/products/{id}/stock", "Set the stock of a product", access: .roles([.owner, .administrator]),
      problems: [.productNotFound, .stockReserved]
    )

    public var id: ProductID
    public var ifMatch: EntityTag?
    public var onHand: StockCount
    public var variantID: VariantID?

    public init(id: ProductID, ifMatch: EntityTag? = nil, onHand: StockCount, variantID: VariantID? = nil) {
      (self.id, self.ifMatch, self.onHand, self.variantID) = (id, ifMatch, onHand, variantID)
    }
  }
}

/// The stock of a product or variant as the owner sees it.
public struct StockLevel: Codable, Sendable, Equatable, Versioned {
  public var productID: ProductID
  public var variantID: VariantID?
  /// The quantity in stock, including reserved units.
  public var onHand: Int
  /// The quantity reserved for buyers who are about to pay.
  public var reserved: Int
  /// Incremented on every change of `onHand`, including sales; also sent as `ETag`.
  public var version: Int

  public init(productID: ProductID, variantID: VariantID?, onHand: Int, reserved: Int, version: Int) {
    (self.productID, self.variantID, self.onHand, self.reserved) = (productID, variantID, onHand, reserved)
    self.version = version
  }
}
