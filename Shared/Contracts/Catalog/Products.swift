extension CatalogAPI {
  /// Newest first. The results of a query are a single page ordered by relevance; its words may be abbreviated or
  /// misspelled.
  public struct ListProducts: PagedEndpoint {
    public typealias Response = Page<Product>
    public static let operation = Operation.get("/v1/products", "List products", access: .anyone)
    public var type: Slug?
    public var query: String?
    /// Whether the product has a video.
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
      "/v1/products", "Create a product", access: .roles([.owner, .administrator]), idempotency: .acceptsKey,
      success: 201, problems: [.skuTaken, .productTypeNotFound]
    )

    public var type: Slug
    public var title: ShortText
    public var description: LongText?
    public var price: Price
    /// Only for a product without variants.
    public var sku: SKU?
    /// `standard` by default.
    public var taxClass: Slug?
    /// The weight of one unit; absent for a product that is not shipped.
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
      weightGrams: Grams? = nil, images: [MediaID]? = nil, video: WebLink? = nil, onHand: StockCount? = nil,
      variants: [VariantForm]? = nil
    ) {
      (self.type, self.title, self.description, self.price, self.sku) = (type, title, description, price, sku)
      (self.taxClass, self.weightGrams, self.images, self.video) = (taxClass, weightGrams, images, video)
      (self.onHand, self.variants) = (onHand, variants)
    }
  }

  public struct GetProduct: Endpoint {
    public typealias Response = Product
    public static let operation = Operation.get(
      "/v1/products/{id}", "Get a product", access: .anyone, problems: [.productNotFound]
    )
    public var id: ProductID
    public init(id: ProductID) { self.id = id }
  }

  public struct UpdateProduct: Endpoint {
    public typealias Response = Product
    public static let operation = Operation.patch(
      "/v1/products/{id}", "Update a product (JSON merge patch)", access: .roles([.owner, .administrator]),
      idempotency: .idempotent, problems: [.productNotFound, .skuTaken, .productTypeNotFound]
    )

    public var id: ProductID
    public var ifMatch: EntityTag?
    public var type: Slug?
    public var title: ShortText?
    public var description: Patch<LongText>
    public var price: Price?
    public var sku: Patch<SKU>
    public var taxClass: Slug?
    public var weightGrams: Grams?
    public var images: [MediaID]?
    public var video: Patch<WebLink>

    public init(
      id: ProductID, ifMatch: EntityTag? = nil, type: Slug? = nil, title: ShortText? = nil,
      description: Patch<LongText> = .keep, price: Price? = nil, sku: Patch<SKU> = .keep, taxClass: Slug? = nil,
      weightGrams: Grams? = nil, images: [MediaID]? = nil, video: Patch<WebLink> = .keep
    ) {
      (self.id, self.ifMatch, self.type, self.title, self.description) = (id, ifMatch, type, title, description)
      (self.price, self.sku, self.taxClass, self.weightGrams, self.images) = (price, sku, taxClass, weightGrams, images)
      self.video = video
    }
  }

  /// Existing reservations remain valid.
  public struct DeleteProduct: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation.delete(
      "/v1/products/{id}", "Delete a product", access: .roles([.owner, .administrator]), success: 204,
      problems: [.productNotFound]
    )
    public var id: ProductID
    public var ifMatch: EntityTag?

    public init(id: ProductID, ifMatch: EntityTag? = nil) { (self.id, self.ifMatch) = (id, ifMatch) }
  }
}

/// A variant of a product in a request that creates the product.
public struct VariantForm: Codable, Sendable, Equatable {
  public var name: ShortText
  public var sku: SKU?
  /// The product's price by default.
  public var price: Price?
  /// 0 by default.
  public var onHand: StockCount?

  public init(name: ShortText, sku: SKU? = nil, price: Price? = nil, onHand: StockCount? = nil) {
    (self.name, self.sku, self.price, self.onHand) = (name, sku, price, onHand)
  }
}

/// A stock-keeping unit, assigned by the owner: printable ASCII without spaces; unique.
public struct SKU: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }

  public static let rule = StringRule(
    length: 1...60,
    example: "BOW-RED-20",
    complaint: { text in
      text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? nil : "must be printable ASCII without spaces"
    }
  )
}

/// A quantity in stock, 0 to 1,000,000.
public struct StockCount: BoundedInteger {
  public static let range = 0...1_000_000
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// A weight in grams, up to 1,000 kg.
public struct Grams: BoundedInteger {
  public static let range = 0...1_000_000
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// A product of the shop.
public struct Product: Codable, Sendable, Equatable, Versioned {
  /// The availability shown to buyers.
  public enum Availability: String, WireEnum {
    case inStock
    /// Five or fewer.
    case lowStock
    case outOfStock

    public init(of available: Int) { self = available <= 0 ? .outOfStock : available <= 5 ? .lowStock : .inStock }
  }

  public struct Variant: Codable, Sendable, Equatable {
    public var id: VariantID
    public var name: ShortText
    public var sku: SKU?
    public var price: Price
    public var availability: Availability
    /// The quantity that can be bought now.
    public var available: Int

    public init(id: VariantID, name: ShortText, sku: SKU?, price: Price, availability: Availability, available: Int) {
      (self.id, self.name, self.sku, self.price, self.availability) = (id, name, sku, price, availability)
      self.available = available
    }
  }

  public var id: ProductID
  public var type: Slug
  public var title: ShortText
  public var description: LongText?
  public var price: Price
  public var sku: SKU?
  public var taxClass: Slug
  public var weightGrams: Grams
  public var images: [MediaID]
  public var video: WebLink?
  /// Empty for a product without variants.
  public var variants: [Variant]
  public var availability: Availability
  /// The quantity that can be bought now, across all variants.
  public var available: Int
  public var createdAt: Timestamp
  /// Incremented on every change by the owner, except stock changes; also sent as `ETag`.
  public var version: Int

  public init(
    id: ProductID, type: Slug, title: ShortText, description: LongText?, price: Price, sku: SKU?, taxClass: Slug,
    weightGrams: Grams, images: [MediaID], video: WebLink?, variants: [Variant], availability: Availability,
    available: Int, createdAt: Timestamp, version: Int
  ) {
    (self.id, self.type, self.title, self.description, self.price) = (id, type, title, description, price)
    (self.sku, self.taxClass, self.weightGrams, self.images, self.video) = (sku, taxClass, weightGrams, images, video)
    (self.variants, self.availability, self.available, self.createdAt) = (variants, availability, available, createdAt)
    self.version = version
  }
}

extension Problem.Kind {
  public static let skuTaken = Self("sku-taken", status: 409, "Another product has this SKU")
  public static let productTypeNotFound = Self("product-type-not-found", status: 409, "There is no such product type")
  public static let stockReserved = Self("stock-reserved", status: 409, "More units are reserved for buyers")
}
