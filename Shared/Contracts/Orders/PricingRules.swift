/// How tax and shipping are computed; without tax rules there is no tax, without shipping rules nothing is shipped.
public struct PricingRules: Codable, Sendable, Equatable, Versioned {
  public var tax: [TaxRule]
  public var shipping: [ShippingRule]
  public var version: Int
  public init(tax: [TaxRule] = [], shipping: [ShippingRule] = [], version: Int = 0) {
    (self.tax, self.shipping, self.version) = (tax, shipping, version)
  }
}

/// A tax rate for a region and a class of products. The most specific rule applies: a subdivision takes precedence over
/// its country, a country over no region, and a class over no class; among equally specific rules, the first applies.
public struct TaxRule: Codable, Sendable, Equatable {
  /// If absent, the rule applies everywhere.
  public var region: Region?
  /// Such as `standard`, or `shipping` for shipping costs; if absent, the rule applies to every class.
  public var taxClass: ShortText?
  /// Parts per million: 107500 is 10.75%.
  public var rate: TaxRate
  /// Whether prices already include the tax.
  public var isIncluded: Bool
  public init(region: Region? = nil, taxClass: ShortText? = nil, rate: TaxRate, isIncluded: Bool = false) {
    (self.region, self.taxClass, self.rate, self.isIncluded) = (region, taxClass, rate, isIncluded)
  }
}

/// Parts per million, 0 to 1,000,000.
public struct TaxRate: BoundedInteger {
  public static let range = 0...1_000_000
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 107_500) }
}

/// The cost of shipping to a region. Of the rules in the cart's currency, the first one with the most specific matching
/// region applies; where none matches, the shop does not ship. A `base` of 0 without a region ships free everywhere.
public struct ShippingRule: Codable, Sendable, Equatable {
  /// If absent, the rule applies everywhere else.
  public var region: Region?
  /// The price per shipment.
  public var base: Price
  /// The price per started kilogram, in the same currency.
  public var perKilogram: Price?
  /// The net subtotal from which shipping is free.
  public var freeFrom: Price?
  public init(region: Region? = nil, base: Price, perKilogram: Price? = nil, freeFrom: Price? = nil) {
    (self.region, self.base, self.perKilogram, self.freeFrom) = (region, base, perKilogram, freeFrom)
  }
}
