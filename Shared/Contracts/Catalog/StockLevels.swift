extension CatalogAPI {
  /// How many there are of a product, or of one of its variants.
  public struct GetStock: Endpoint {
    public typealias Response = StockLevel
    public static let operation = Operation(
      .get,
      "/v1/products/{id}/stock",
      "How many there are of a product",
      access: .roles([.owner, .administrator]),
      problems: [.productNotFound]
    )
    public var id: ProductID
    public var variantID: VariantID?

    public init(id: ProductID, variantID: VariantID? = nil) {
      self.id = id
      self.variantID = variantID
    }
  }

  /// Say how many there are of a product, or of one of its variants.
  public struct PutStock: Endpoint {
    public typealias Response = StockLevel
    public static let operation = Operation(
      .put,
      "/v1/products/{id}/stock",
      "Say how many there are of a product",
      access: .roles([.owner, .administrator]),
      problems: [.productNotFound, .stockReserved]
    )

    public struct Body: Codable, Sendable {
      public var onHand: StockCount
      public var variantID: VariantID?

      public init(onHand: StockCount, variantID: VariantID? = nil) {
        self.onHand = onHand
        self.variantID = variantID
      }
    }

    public var id: ProductID
    public var ifMatch: EntityTag?
    public var body: Body

    public init(id: ProductID, ifMatch: EntityTag? = nil, body: Body) {
      self.id = id
      self.ifMatch = ifMatch
      self.body = body
    }
  }
}

/// What the owner knows of the stock of a product or variant.
public struct StockLevel: Codable, Sendable, Equatable, Versioned {
  public var productID: ProductID
  public var variantID: VariantID?
  /// How many there are, reserved ones included.
  public var onHand: Int
  /// How many are kept for buyers who are about to pay.
  public var reserved: Int
  /// Counts the changes of `onHand`, sales included; also in `ETag`.
  public var version: Int

  public init(productID: ProductID, variantID: VariantID?, onHand: Int, reserved: Int, version: Int) {
    self.productID = productID
    self.variantID = variantID
    self.onHand = onHand
    self.reserved = reserved
    self.version = version
  }
}
