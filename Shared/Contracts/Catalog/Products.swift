extension CatalogAPI {
  /// What the shop sells, the newest first, or what a query finds: ranked, one page, its words cut short or misspelt.
  public struct ListProducts: Endpoint {
    public typealias Response = Page<Product>
    public static let operation = Operation(.get, "/v1/products", "What the shop sells", access: .anyone)
    public var type: Slug?
    public var query: String?
    /// Whether there is a video of it.
    public var hasVideo: Bool?
    public var limit: PageSize?
    public var cursor: String?

    public init(
      type: Slug? = nil,
      query: String? = nil,
      hasVideo: Bool? = nil,
      limit: PageSize? = nil,
      cursor: String? = nil
    ) {
      self.type = type
      self.query = query
      self.hasVideo = hasVideo
      self.limit = limit
      self.cursor = cursor
    }
  }

  /// Sell a product.
  public struct CreateProduct: Endpoint {
    public typealias Response = Product
    public static let operation = Operation(
      .post,
      "/v1/products",
      "Sell a product",
      access: .roles([.owner, .administrator]),
      idempotency: .keyed(required: false),
      success: 201,
      problems: [.skuTaken, .productTypeNotFound]
    )

    public struct Body: Codable, Sendable {
      public var type: Slug
      public var title: ShortText
      public var description: LongText?
      public var price: Price
      /// Of a product without variants.
      public var sku: SKU?
      /// Absent means `standard`.
      public var taxClass: Slug?
      /// Of one piece; absent means that nothing is shipped.
      public var weightGrams: Grams?
      /// At most 20, the main one first.
      public var images: [MediaID]?
      public var video: WebLink?
      /// Of a product without variants; absent means none.
      public var onHand: StockCount?
      /// At most 50.
      public var variants: [VariantForm]?

      public init(
        type: Slug,
        title: ShortText,
        description: LongText? = nil,
        price: Price,
        sku: SKU? = nil,
        taxClass: Slug? = nil,
        weightGrams: Grams? = nil,
        images: [MediaID]? = nil,
        video: WebLink? = nil,
        onHand: StockCount? = nil,
        variants: [VariantForm]? = nil
      ) {
        self.type = type
        self.title = title
        self.description = description
        self.price = price
        self.sku = sku
        self.taxClass = taxClass
        self.weightGrams = weightGrams
        self.images = images
        self.video = video
        self.onHand = onHand
        self.variants = variants
      }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// One product.
  public struct GetProduct: Endpoint {
    public typealias Response = Product
    public static let operation = Operation(
      .get,
      "/v1/products/{id}",
      "One product",
      access: .anyone,
      problems: [.productNotFound]
    )
    public var id: ProductID
    public init(id: ProductID) { self.id = id }
  }

  /// Change a product (JSON merge patch).
  public struct UpdateProduct: Endpoint {
    public typealias Response = Product
    public static let operation = Operation(
      .patch,
      "/v1/products/{id}",
      "Change a product (JSON merge patch)",
      access: .roles([.owner, .administrator]),
      idempotency: .idempotent,
      problems: [.productNotFound, .skuTaken, .productTypeNotFound]
    )

    public struct Body: Codable, Sendable {
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
        type: Slug? = nil,
        title: ShortText? = nil,
        description: Patch<LongText> = .keep,
        price: Price? = nil,
        sku: Patch<SKU> = .keep,
        taxClass: Slug? = nil,
        weightGrams: Grams? = nil,
        images: [MediaID]? = nil,
        video: Patch<WebLink> = .keep
      ) {
        self.type = type
        self.title = title
        self.description = description
        self.price = price
        self.sku = sku
        self.taxClass = taxClass
        self.weightGrams = weightGrams
        self.images = images
        self.video = video
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

  /// Sell a product no longer. Who has it reserved still gets it.
  public struct DeleteProduct: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .delete,
      "/v1/products/{id}",
      "Sell a product no longer",
      access: .roles([.owner, .administrator]),
      success: 204,
      problems: [.productNotFound]
    )
    public var id: ProductID
    public var ifMatch: EntityTag?

    public init(id: ProductID, ifMatch: EntityTag? = nil) {
      self.id = id
      self.ifMatch = ifMatch
    }
  }
}

/// A variant of a product as the owner describes it.
public struct VariantForm: Codable, Sendable, Equatable {
  public var name: ShortText
  public var sku: SKU?
  /// Absent means the product's.
  public var price: Price?
  /// None unless said.
  public var onHand: StockCount?

  public init(
    name: ShortText,
    sku: SKU? = nil,
    price: Price? = nil,
    onHand: StockCount? = nil
  ) {
    self.name = name
    self.sku = sku
    self.price = price
    self.onHand = onHand
  }
}

/// The owner's number for what is sold: printable ASCII without spaces; unique.
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

/// How many there are: 0 to a million.
public struct StockCount: BoundedInteger {
  public static let range = 0...1_000_000
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// A weight in grams, up to a tonne.
public struct Grams: BoundedInteger {
  public static let range = 0...1_000_000
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// Something that the shop sells.
public struct Product: Codable, Sendable, Equatable, Versioned {
  /// What a buyer needs to know of the stock.
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
    /// How many can be bought at this moment.
    public var available: Int

    public init(
      id: VariantID,
      name: ShortText,
      sku: SKU?,
      price: Price,
      availability: Availability,
      available: Int
    ) {
      self.id = id
      self.name = name
      self.sku = sku
      self.price = price
      self.availability = availability
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
  /// Empty for a product that comes in one way.
  public var variants: [Variant]
  public var availability: Availability
  /// How many can be bought at this moment, of all variants.
  public var available: Int
  public var createdAt: Timestamp
  /// Counts the changes by the owner, those of the stock left out; also in `ETag`.
  public var version: Int

  public init(
    id: ProductID,
    type: Slug,
    title: ShortText,
    description: LongText?,
    price: Price,
    sku: SKU?,
    taxClass: Slug,
    weightGrams: Grams,
    images: [MediaID],
    video: WebLink?,
    variants: [Variant],
    availability: Availability,
    available: Int,
    createdAt: Timestamp,
    version: Int
  ) {
    self.id = id
    self.type = type
    self.title = title
    self.description = description
    self.price = price
    self.sku = sku
    self.taxClass = taxClass
    self.weightGrams = weightGrams
    self.images = images
    self.video = video
    self.variants = variants
    self.availability = availability
    self.available = available
    self.createdAt = createdAt
    self.version = version
  }
}

extension Problem.Kind {
  public static let skuTaken = Self("sku-taken", status: 409, "Another product has this SKU")
  public static let productTypeNotFound = Self("product-type-not-found", status: 409, "There is no such product type")
  public static let stockReserved = Self("stock-reserved", status: 409, "More than that are reserved for buyers")
}
