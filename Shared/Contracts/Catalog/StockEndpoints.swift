extension CatalogAPI {
  /// With `variantID`, the stock of that variant, as in ``PutStock``.
  public struct GetStock: Endpoint {
    public typealias Response = StockLevel
    public static let operation = Operation.get(
      "/v1/products/{id}/stock", "Get the stock of a product", access: .owners, problems: [.productNotFound]
    )
    public var id: ProductID
    public var variantID: VariantID?
    public init(id: ProductID, variantID: VariantID? = nil) { (self.id, self.variantID) = (id, variantID) }
  }

  public struct PutStock: Endpoint {
    public typealias Response = StockLevel
    public static let operation = Operation.put(
      "/v1/products/{id}/stock", "Set the stock of a product", access: .owners,
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
