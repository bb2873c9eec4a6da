/// A variant of a product in a request that creates or imports the product.
public struct VariantForm: Codable, Sendable, Equatable {
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
    name: ShortText, sku: SKU? = nil, price: Price? = nil, weightGrams: Grams? = nil, onHand: StockCount? = nil,
    isShipped: Bool? = nil
  ) {
    (self.name, self.sku, self.price, self.weightGrams, self.onHand) = (name, sku, price, weightGrams, onHand)
    self.isShipped = isShipped
  }
}

/// A stock-keeping unit, assigned by the owner: printable ASCII without spaces; unique.
public struct SKU: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...60,
    pattern: "^[!-~]{1,60}$",
    example: "BOW-RED-20",
    violation: { text in
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

/// A product of the shop, as buyers see it.
public struct Product: Codable, Sendable, Equatable, Versioned {
  /// The availability that buyers see.
  public enum Availability: String, WireEnum {
    case inStock
    /// Five or fewer.
    case lowStock
    case outOfStock

    public init(of available: Int) { self = available <= 0 ? .outOfStock : available <= 5 ? .lowStock : .inStock }
  }

  /// A variant of the product, with the values that it has itself or from the product.
  public struct Variant: Codable, Sendable, Equatable {
    public var id: VariantID
    public var name: ShortText
    public var sku: SKU?
    public var price: Price
    public var weightGrams: Grams
    public var availability: Availability
    /// The quantity that can be bought now.
    public var available: Int
    public var isShipped: Bool
    public init(
      id: VariantID, name: ShortText, sku: SKU?, price: Price, weightGrams: Grams, availability: Availability,
      available: Int, isShipped: Bool
    ) {
      (self.id, self.name, self.sku, self.price, self.weightGrams) = (id, name, sku, price, weightGrams)
      (self.availability, self.available, self.isShipped) = (availability, available, isShipped)
    }
  }

  public var id: ProductID
  public var type: Slug
  public var title: ShortText
  public var description: LongText?
  public var price: Price
  public var sku: SKU?
  public var taxClass: Slug
  /// Whether it is sent to an address; if not, such as a pattern to print, it needs none.
  public var isShipped: Bool
  public var weightGrams: Grams
  public var images: [MediaID]
  public var video: WebLink?
  /// Empty for a product without variants.
  public var variants: [Variant]
  public var availability: Availability
  /// The quantity that can be bought now, across all variants.
  public var available: Int
  public var createdAt: Timestamp
  /// Incremented on every change by the owner, except stock changes.
  public var version: Int
  public init(
    id: ProductID, type: Slug, title: ShortText, description: LongText?, price: Price, sku: SKU?, taxClass: Slug,
    isShipped: Bool, weightGrams: Grams, images: [MediaID], video: WebLink?, variants: [Variant],
    availability: Availability, available: Int, createdAt: Timestamp, version: Int
  ) {
    (self.id, self.type, self.title, self.description, self.price) = (id, type, title, description, price)
    (self.sku, self.taxClass, self.weightGrams, self.images, self.video) = (sku, taxClass, weightGrams, images, video)
    (self.variants, self.availability, self.available, self.createdAt) = (variants, availability, available, createdAt)
    (self.isShipped, self.version) = (isShipped, version)
  }
}
