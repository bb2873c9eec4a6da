extension CatalogAPI {
  /// Newest first. The results of a query are a single page ordered by relevance; its words may be abbreviated or
  /// misspelled.
  public struct ListProducts: PagedEndpoint {
    public typealias Response = Page<Product>
    public static let operation = Operation.get("/v1/products", "List products", access: .anyone, caching: .shared)
    public var type: Slug?
    public var query: String?
    public var hasVideo: Bool?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      type: Slug? = nil, query: String? = nil, hasVideo: Bool? = nil, limit: PageSize? = nil, cursor: String? = nil
    ) {
      (self.type, self.query, self.hasVideo, self.limit, self.cursor) = (type, query, hasVideo, limit, cursor)
    }
  }

  public struct CreateProduct: Endpoint {
    public typealias Response = Product
    public static let operation = Operation.post(
      "/v1/products", "Create a product", access: .owners, idempotency: .acceptsKey,
      success: 201, problems: [.skuTaken, .productTypeNotFound, .mediaNotFound, .mediaNotReady]
    )
    public var type: Slug
    public var title: ShortText
    public var description: LongText?
    public var price: Price
    /// Only for a product without variants.
    public var sku: SKU?
    /// `standard` by default.
    public var taxClass: Slug?
    /// Whether it is sent to an address; true by default.
    public var isShipped: Bool?
    /// The weight of one unit, for the shipping rules; 0 by default.
    public var weightGrams: Grams?
    /// At most 20, the main one first.
    public var images: [MediaID]?
    public var video: WebLink?
    /// Only for a product without variants; 0 by default.
    public var onHand: StockCount?
    /// At most 50.
    public var variants: [VariantForm]?
    public init(
      type: Slug, title: ShortText, description: LongText? = nil, price: Price, sku: SKU? = nil, taxClass: Slug? = nil,
      isShipped: Bool? = nil, weightGrams: Grams? = nil, images: [MediaID]? = nil, video: WebLink? = nil,
      onHand: StockCount? = nil, variants: [VariantForm]? = nil
    ) {
      (self.type, self.title, self.description, self.price, self.sku) = (type, title, description, price, sku)
      (self.taxClass, self.weightGrams, self.images, self.video) = (taxClass, weightGrams, images, video)
      (self.isShipped, self.onHand, self.variants) = (isShipped, onHand, variants)
    }
  }

  public struct GetProduct: Endpoint {
    public typealias Response = Product
    public static let operation = Operation.get(
      "/v1/products/{id}", "Get a product", access: .anyone, problems: [.productNotFound], caching: .shared
    )
    public var id: ProductID
    public init(id: ProductID) { self.id = id }
  }

  public struct UpdateProduct: Endpoint {
    public typealias Response = Product
    public static let operation = Operation.patch(
      "/v1/products/{id}", "Update a product (JSON merge patch)", access: .owners,
      idempotency: .idempotent,
      problems: [.productNotFound, .skuTaken, .productTypeNotFound, .mediaNotFound, .mediaNotReady]
    )
    public var id: ProductID
    public var ifMatch: EntityTag?
    public var type: Slug?
    public var title: ShortText?
    public var description: Patch<LongText>
    public var price: Price?
    public var sku: Patch<SKU>
    public var taxClass: Slug?
    public var isShipped: Bool?
    public var weightGrams: Grams?
    public var images: [MediaID]?
    public var video: Patch<WebLink>
    public init(
      id: ProductID, ifMatch: EntityTag? = nil, type: Slug? = nil, title: ShortText? = nil,
      description: Patch<LongText> = .keep, price: Price? = nil, sku: Patch<SKU> = .keep, taxClass: Slug? = nil,
      isShipped: Bool? = nil, weightGrams: Grams? = nil, images: [MediaID]? = nil, video: Patch<WebLink> = .keep
    ) {
      (self.id, self.ifMatch, self.type, self.title, self.description) = (id, ifMatch, type, title, description)
      (self.price, self.sku, self.taxClass, self.weightGrams, self.images) = (price, sku, taxClass, weightGrams, images)
      (self.isShipped, self.video) = (isShipped, video)
    }
  }

  /// Existing reservations remain valid.
  public struct DeleteProduct: Endpoint {
    public static let operation = Operation.delete(
      "/v1/products/{id}", "Delete a product", access: .owners, success: 204, problems: [.productNotFound]
    )
    public var id: ProductID
    public var ifMatch: EntityTag?
    public init(id: ProductID, ifMatch: EntityTag? = nil) { (self.id, self.ifMatch) = (id, ifMatch) }
  }
}

extension Problem.Kind {
  public static let skuTaken = Self(
    "sku-taken", status: 409, "Another product has this SKU",
    meaning: "A stock keeping unit identifies one product or variant.",
    remedy: "Choose another SKU.")
  public static let productTypeNotFound = Self(
    "product-type-not-found", status: 409, "There is no such product type",
    meaning: "The product names a type that does not exist or was deleted.",
    remedy: "Load the types of products and choose one of them.")
  public static let stockReserved = Self(
    "stock-reserved", status: 409, "More units are reserved for buyers",
    meaning: "The stock would be less than what buyers have reserved.",
    remedy: "Wait until the reservations end, or set a larger stock.")
}
