public typealias CartID = ID<Cart>
public typealias CartItemID = ID<Cart.Item>

public struct Cart: Codable, Sendable, Equatable, Versioned {
  public enum Status: String, WireEnum { case precheckout, postcheckout }

  public struct Item: Codable, Sendable, Equatable {
    public var id: CartItemID
    public var productID: ProductID?
    public var variantID: VariantID?
    public var listingID: ListingID?
    public var license: LicenseKind?
    public var title: String
    public var quantity: Int
    /// The price of one unit when the item was added or when its price change was last reported.
    public var price: Money
    public init(
      id: CartItemID, productID: ProductID?, variantID: VariantID?, listingID: ListingID?, license: LicenseKind?,
      title: String, quantity: Int, price: Money
    ) {
      (self.id, self.productID, self.variantID, self.listingID) = (id, productID, variantID, listingID)
      (self.license, self.title, self.quantity, self.price) = (license, title, quantity, price)
    }
  }

  public var id: CartID
  public var ownerID: UserID
  public var status: Status
  public var items: [Item]
  /// The total of all items; absent in an empty cart, which has no currency.
  public var subtotal: Money?
  public var version: Int
  public init(id: CartID, ownerID: UserID, status: Status, items: [Item], subtotal: Money?, version: Int) {
    (self.id, self.ownerID, self.status, self.items, self.subtotal) = (id, ownerID, status, items, subtotal)
    self.version = version
  }
}

/// The price of a cart in a region, in one currency.
public struct Quote: Codable, Sendable, Equatable {
  public var lines: [PricedLine]
  /// The net total of all lines.
  public var subtotal: Money
  /// The tax on lines and shipping.
  public var tax: Money
  /// The net shipping cost.
  public var shipping: Money
  /// `subtotal + tax + shipping`.
  public var total: Money
  /// The items whose price has changed since it was last reported.
  public var changes: [PriceChange]
  public init(lines: [PricedLine], subtotal: Money, tax: Money, shipping: Money, total: Money, changes: [PriceChange]) {
    (self.lines, self.subtotal, self.tax, self.shipping, self.total) = (lines, subtotal, tax, shipping, total)
    self.changes = changes
  }
}

/// The price of one unit before and now, including tax where prices include it.
public struct PriceChange: Codable, Sendable, Equatable {
  public var item: CartItemID
  public var before: Money
  public var now: Money
  public init(item: CartItemID, before: Money, now: Money) { (self.item, self.before, self.now) = (item, before, now) }
}
