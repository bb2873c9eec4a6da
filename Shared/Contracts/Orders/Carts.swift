extension OrdersAPI {
  /// The caller's open cart; empty if nothing has been added yet.
  public struct GetCart: Endpoint {
    public typealias Response = Cart
    public static let operation = Operation.get("/v1/cart", "Get the caller's cart")
    public init() {}
  }

  /// Add a product or a license to the cart. If the product is already in the cart, its quantity increases; a license
  /// can be added only once.
  public struct AddCartItem: Endpoint {
    public typealias Response = Cart
    public static let operation = Operation.post(
      "/v1/cart/items", "Add an item to the cart", idempotency: .acceptsKey,
      problems: [
        .productNotFound, .listingNotForSale, .licenseNotOffered, .insufficientStock, .checkoutInProgress, .cartFull,
        .currencyMismatch, .ownListing,
      ]
    )

    public var ifMatch: EntityTag?
    public var productID: ProductID?
    public var variantID: VariantID?
    public var listingID: ListingID?
    /// The license of the listing; required with `listingID`.
    public var license: LicenseKind?
    /// 1 by default.
    public var quantity: Quantity?

    public init(
      ifMatch: EntityTag? = nil, productID: ProductID? = nil, variantID: VariantID? = nil, listingID: ListingID? = nil,
      license: LicenseKind? = nil, quantity: Quantity? = nil
    ) {
      (self.ifMatch, self.productID, self.variantID, self.listingID) = (ifMatch, productID, variantID, listingID)
      (self.license, self.quantity) = (license, quantity)
    }
  }

  public struct UpdateCartItem: Endpoint {
    public typealias Response = Cart
    public static let operation = Operation.patch(
      "/v1/cart/items/{id}", "Change the quantity of a cart item", idempotency: .idempotent,
      problems: [.cartItemNotFound, .checkoutInProgress]
    )

    public var id: CartItemID
    public var ifMatch: EntityTag?
    public var quantity: Quantity

    public init(id: CartItemID, ifMatch: EntityTag? = nil, quantity: Quantity) {
      (self.id, self.ifMatch, self.quantity) = (id, ifMatch, quantity)
    }
  }

  public struct RemoveCartItem: Endpoint {
    public typealias Response = Cart
    public static let operation = Operation.delete(
      "/v1/cart/items/{id}", "Remove an item from the cart", problems: [.checkoutInProgress]
    )
    public var id: CartItemID
    public init(id: CartItemID) { self.id = id }
  }

  /// The current cost of the cart with tax and shipping, and the prices that have changed since its items were added.
  public struct QuoteCart: Endpoint {
    public typealias Response = Quote
    public static let operation = Operation.post(
      "/v1/cart/quote", "Quote the cart with tax and shipping", idempotency: .safe,
      problems: [.cartEmpty, .cartChanged]
    )

    /// The destination, which determines tax and shipping.
    public var region: Region?
    public init(region: Region? = nil) { self.region = region }
  }

  /// Create an order from the cart: the stock is reserved, the order is created, and it is paid if a payment method is
  /// given. The buyer gets a new, empty cart. If prices have changed, they are reported (409 `price-changed`) and
  /// nothing is charged.
  public struct CheckOut: Endpoint {
    public typealias Response = Order
    public static let operation = Operation.post(
      "/v1/cart/checkout", "Check out the cart", idempotency: .requiresKey, success: 201,
      problems: [
        .cartEmpty, .cartChanged, .priceChanged, .insufficientStock, .listingNotForSale, .checkoutInProgress,
        .providerNotAvailable, .paymentMethodNotFound, .addressMissing, .ownListing,
      ],
      limits: .init(seconds: 30)
    )

    /// If given, only this version of the cart is checked out.
    public var ifMatch: EntityTag?
    public var shippingAddress: PostalAddress?
    /// The region where tax is due if nothing is shipped.
    public var region: Region?
    /// How to pay; if absent, the order awaits `POST /v1/orders/{id}/payments`.
    public var payment: PaymentChoice?
    /// Whether to pay as much as possible with store credit.
    public var useCredit: Bool?

    public init(
      ifMatch: EntityTag? = nil, shippingAddress: PostalAddress? = nil, region: Region? = nil,
      payment: PaymentChoice? = nil, useCredit: Bool? = nil
    ) {
      (self.ifMatch, self.shippingAddress, self.region, self.payment) = (ifMatch, shippingAddress, region, payment)
      self.useCredit = useCredit
    }
  }
}

public typealias CartID = ID<Cart>
public enum CartItemSubject {}
public typealias CartItemID = ID<CartItemSubject>

/// The items that a user intends to buy.
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

/// The cost of a cart.
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

public struct PriceChange: Codable, Sendable, Equatable {
  public var item: CartItemID
  public var before: Money
  public var now: Money

  public init(item: CartItemID, before: Money, now: Money) { (self.item, self.before, self.now) = (item, before, now) }
}

/// An ISO 3166-1 country, such as `US`, or an ISO 3166-2 subdivision, such as `US-CA`.
public struct Region: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }

  public static let rule = StringRule(
    length: 2...6,
    example: "US-CA",
    normalize: { $0.uppercased() },
    complaint: { text in
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      let isCountry = parts[0].utf8.count == 2 && parts[0].utf8.allSatisfy { (0x41...0x5A).contains($0) }
      let isPart = parts.count == 2 && (1...3).contains(parts[1].utf8.count)
      return isCountry && (parts.count == 1 || isPart) ? nil : "must be a country such as US or a region such as US-CA"
    }
  )

  /// The country code without the subdivision.
  public var country: String { String(rawValue.prefix(2)) }
}

/// A shipping address. Stored encrypted.
public struct PostalAddress: Codable, Sendable, Equatable {
  public var name: ShortText
  public var street: ShortText
  public var city: ShortText
  public var postalCode: ShortText
  public var region: Region
  public var phone: PhoneNumber?

  public init(
    name: ShortText, street: ShortText, city: ShortText, postalCode: ShortText, region: Region,
    phone: PhoneNumber? = nil
  ) {
    (self.name, self.street, self.city, self.postalCode, self.region) = (name, street, city, postalCode, region)
    self.phone = phone
  }
}

extension Problem.Kind {
  public static let listingNotForSale = Self("listing-not-for-sale", status: 409, "The listing is not for sale")
  public static let licenseNotOffered = Self(
    "license-not-offered", status: 409, "The listing does not offer this license"
  )
  public static let ownListing = Self("own-listing", status: 409, "Buyers cannot buy their own listings")
  public static let checkoutInProgress = Self("checkout-in-progress", status: 409, "The cart is being checked out")
  public static let cartItemNotFound = Self("cart-item-not-found", status: 404, "There is no such item in the cart")
  public static let cartFull = Self("cart-full", status: 409, "The cart is full")
  public static let cartEmpty = Self("cart-empty", status: 409, "The cart is empty")
  public static let cartChanged = Self("cart-changed", status: 409, "An item in the cart is no longer available")
  public static let priceChanged = Self("price-changed", status: 409, "Prices in the cart have changed")
  public static let currencyMismatch = Self("currency-mismatch", status: 409, "The currency does not match")
  public static let addressMissing = Self("address-missing", status: 422, "A shipping address is required")
}
