extension OrdersAPI {
  /// The caller's open cart; empty if nothing has been added yet.
  public struct GetCart: Endpoint {
    public typealias Response = Cart
    public static let operation = Operation.get("/v1/cart", "Get the caller's cart")
    public init() {}
  }

  /// If the product is already in the cart, its quantity increases; a license can be added only once.
  public struct AddCartItem: Endpoint, Alternatives {
    public typealias Response = Cart
    public static let operation = Operation.post(
      "/v1/cart/items", "Add an item to the cart", idempotency: .acceptsKey,
      problems: [
        .productNotFound, .listingNotForSale, .licenseNotOffered, .insufficientStock, .checkoutInProgress, .cartFull,
        .currencyMismatch, .ownListing,
      ]
    )
    public static let alternatives = [["productID"], ["listingID", "license"]]
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

  public struct QuoteCart: Endpoint {
    public typealias Response = Quote
    public static let operation = Operation.post(
      "/v1/cart/quote", "Quote the cart with tax and shipping", idempotency: .safe,
      problems: [.cartEmpty, .cartChanged, .regionNotServed]
    )
    /// The destination, which determines tax and shipping.
    public var region: Region?
    public init(region: Region? = nil) { self.region = region }
  }

  /// Reserves the stock, creates an order and pays it if `payment` is given; the buyer gets a new, empty cart. Nothing
  /// is charged if prices, the terms of a license or its recording have changed since they were last shown to the
  /// buyer; the problem names the changes. A buyer has at most three unpaid orders at a time, and ten in 24 hours with
  /// those that ended.
  public struct CheckOut: Endpoint {
    public typealias Response = Order
    public static let operation = Operation.post(
      "/v1/cart/checkout", "Check out the cart", idempotency: .requiresKey, success: 201,
      problems: [
        .cartEmpty, .cartChanged, .priceChanged, .insufficientStock, .listingNotForSale, .checkoutInProgress,
        .providerNotAvailable, .paymentMethodNotFound, .paymentMethodNotReady, .addressMissing, .regionNotServed,
        .ownListing, .tooManyPaymentAttempts, .tooManyUnpaidOrders,
      ],
      limits: .init(seconds: 30)
    )
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
  public static let cartChanged = Self(
    "cart-changed", status: 409, "An item in the cart has changed or is no longer available"
  )
  public static let tooManyUnpaidOrders = Self(
    "too-many-unpaid-orders", status: 409, "The buyer has too many unpaid orders"
  )
  public static let priceChanged = Self("price-changed", status: 409, "Prices in the cart have changed")
  public static let currencyMismatch = Self("currency-mismatch", status: 409, "The currency does not match")
  public static let regionNotServed = Self("region-not-served", status: 409, "The shop does not ship to this region")
  public static let addressMissing = Self("address-missing", status: 422, "A shipping address is required")
}
