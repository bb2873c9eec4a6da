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
  public static let listingNotForSale = Self(
    "listing-not-for-sale", status: 409, "The listing is not for sale",
    meaning: "The listing has no price, was sold exclusively, is reserved, or its owner is not selling it.",
    remedy: "Load the listing again, and remove it from the cart.")
  public static let licenseNotOffered = Self(
    "license-not-offered", status: 409, "The listing does not offer this license",
    meaning: "The listing is sold under other licenses.",
    remedy: "Load the listing again and choose one of its licenses.")
  public static let ownListing = Self(
    "own-listing", status: 409, "Buyers cannot buy their own listings",
    meaning: "The caller owns the listing.",
    remedy: "Do not offer buying to owners.")
  public static let checkoutInProgress = Self(
    "checkout-in-progress", status: 409, "The cart is being checked out",
    meaning: "The cart is being turned into an order and cannot be changed meanwhile.",
    remedy: "Finish or cancel the checkout first.")
  public static let cartItemNotFound = Self(
    "cart-item-not-found", status: 404, "There is no such item in the cart",
    meaning: "The item was removed, perhaps on another device.",
    remedy: "Load the cart again.")
  public static let cartFull = Self(
    "cart-full", status: 409, "The cart is full",
    meaning: "The cart has reached the limit of items.",
    remedy: "Check out, or remove an item first.")
  public static let cartEmpty = Self(
    "cart-empty", status: 409, "The cart is empty",
    meaning: "There is nothing to check out.",
    remedy: "Load the cart again.")
  public static let cartChanged = Self(
    "cart-changed", status: 409, "An item in the cart has changed or is no longer available",
    meaning: "An item is sold out, was deleted, or is no longer offered as it was put into the cart.",
    remedy: "Load the cart again, show what has changed, and let the buyer confirm.")
  public static let tooManyUnpaidOrders = Self(
    "too-many-unpaid-orders", status: 409, "The buyer has too many unpaid orders",
    meaning: "The buyer has reached the limit of orders that await payment.",
    remedy: "Let the buyer pay or cancel an order first.")
  public static let priceChanged = Self(
    "price-changed", status: 409, "Prices in the cart have changed",
    meaning: "The total is no longer the one that the buyer has confirmed.",
    remedy: "Load the cart again, show the new prices, and let the buyer confirm.")
  public static let currencyMismatch = Self(
    "currency-mismatch", status: 409, "The currency does not match",
    meaning: "One cart, offer or bid has amounts of one currency.",
    remedy: "Use the currency of the cart or of the listing.")
  public static let regionNotServed = Self(
    "region-not-served", status: 409, "The shop does not ship to this region",
    meaning: "The country of the address is none that the shop ships to.",
    remedy: "Ask for another address.")
  public static let addressMissing = Self(
    "address-missing", status: 422, "A shipping address is required",
    meaning: "The order has goods that are shipped.",
    remedy: "Ask for the address and send it with the checkout.")
}
