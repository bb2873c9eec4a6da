extension CatalogAPI {
  /// The first variant of a product takes its place: from then on, the product is sold only by variant.
  public struct AddVariant: Endpoint {
    public typealias Response = Product
    public static let operation = Operation.post(
      "/v1/products/{id}/variants", "Add a variant to a product", access: .owners, idempotency: .acceptsKey,
      success: 201, problems: [.productNotFound, .skuTaken]
    )
    public var id: ProductID
    public var ifMatch: EntityTag?
    public var name: ShortText
    public var sku: SKU?
    /// The product's price by default.
    public var price: Price?
    /// The product's weight by default.
    public var weightGrams: Grams?
    /// 0 by default.
    public var onHand: StockCount?
    /// Whether it is shipped; as for the product by default.
    public var isShipped: Bool?
    public init(
      id: ProductID, ifMatch: EntityTag? = nil, name: ShortText, sku: SKU? = nil, price: Price? = nil,
      weightGrams: Grams? = nil, onHand: StockCount? = nil, isShipped: Bool? = nil
    ) {
      (self.id, self.ifMatch, self.name, self.sku, self.price) = (id, ifMatch, name, sku, price)
      (self.weightGrams, self.onHand, self.isShipped) = (weightGrams, onHand, isShipped)
    }
  }

  /// The stock is kept; see ``PutStock``.
  public struct UpdateVariant: Endpoint {
    public typealias Response = Product
    public static let operation = Operation.patch(
      "/v1/products/{id}/variants/{variant}", "Update a variant of a product (JSON merge patch)", access: .owners,
      idempotency: .idempotent, problems: [.productNotFound, .variantNotFound, .skuTaken]
    )
    public var id: ProductID
    public var variant: VariantID
    /// The version of the product.
    public var ifMatch: EntityTag?
    public var name: ShortText?
    public var sku: Patch<SKU>
    /// Removed, the product's price applies.
    public var price: Patch<Price>
    /// Removed, the product's weight applies.
    public var weightGrams: Patch<Grams>
    /// Removed, it is as for the product.
    public var isShipped: Patch<Bool>
    public init(
      id: ProductID, variant: VariantID, ifMatch: EntityTag? = nil, name: ShortText? = nil, sku: Patch<SKU> = .keep,
      price: Patch<Price> = .keep, weightGrams: Patch<Grams> = .keep, isShipped: Patch<Bool> = .keep
    ) {
      (self.id, self.variant, self.ifMatch, self.name, self.sku) = (id, variant, ifMatch, name, sku)
      (self.price, self.weightGrams, self.isShipped) = (price, weightGrams, isShipped)
    }
  }

  /// It is no longer sold and its SKU is free. Existing reservations and orders remain valid.
  public struct RetireVariant: Endpoint {
    public static let operation = Operation.delete(
      "/v1/products/{id}/variants/{variant}", "Retire a variant of a product", access: .owners, success: 204,
      problems: [.productNotFound, .variantNotFound]
    )
    public var id: ProductID
    public var variant: VariantID
    /// The version of the product.
    public var ifMatch: EntityTag?
    public init(id: ProductID, variant: VariantID, ifMatch: EntityTag? = nil) {
      (self.id, self.variant, self.ifMatch) = (id, variant, ifMatch)
    }
  }
}

extension Problem.Kind {
  public static let variantNotFound = Self(
    "variant-not-found", status: 404, "The product has no such variant",
    meaning: "The product does not have this variant (any more).",
    remedy: "Load the product again and choose one of its variants.")
}
