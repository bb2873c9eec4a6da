extension OrdersAPI {
  /// The signed-in user's open cart; an empty one when nothing was added yet.
  public struct GetCart: Endpoint {
    public typealias Response = Cart
    public static let operation = Operation(.get, "/v1/cart", "The open cart", access: .user)
    public init() {}
  }

  /// Put a product or a licence into the cart. What is there already gets more of it; a licence is there once.
  public struct AddCartItem: Endpoint {
    public typealias Response = Cart
    public static let operation = Operation(
      .post,
      "/v1/cart/items",
      "Put something into the cart",
      access: .user,
      idempotency: .keyed(required: false),
      problems: [
        .productNotFound, .listingNotForSale, .licenceNotOffered, .insufficientStock, .checkoutInProgress, .cartFull,
        .currencyMismatch, .ownListing,
      ]
    )

    public struct Body: Codable, Sendable {
      public var productID: ProductID?
      public var variantID: VariantID?
      public var listingID: ListingID?
      /// Which licence of the listing.
      public var licence: LicenceKind?
      /// One unless said.
      public var quantity: Quantity?

      public init(
        productID: ProductID? = nil,
        variantID: VariantID? = nil,
        listingID: ListingID? = nil,
        licence: LicenceKind? = nil,
        quantity: Quantity? = nil
      ) {
        self.productID = productID
        self.variantID = variantID
        self.listingID = listingID
        self.licence = licence
        self.quantity = quantity
      }
    }

    public var ifMatch: EntityTag?
    public var body: Body

    public init(ifMatch: EntityTag? = nil, body: Body) {
      self.ifMatch = ifMatch
      self.body = body
    }
  }

  /// Change how many of an item are in the cart.
  public struct UpdateCartItem: Endpoint {
    public typealias Response = Cart
    public static let operation = Operation(
      .patch,
      "/v1/cart/items/{id}",
      "Change how many of an item are in the cart",
      access: .user,
      idempotency: .idempotent,
      problems: [.cartItemNotFound, .checkoutInProgress]
    )

    public struct Body: Codable, Sendable {
      public var quantity: Quantity
      public init(quantity: Quantity) { self.quantity = quantity }
    }

    public var id: CartItemID
    public var ifMatch: EntityTag?
    public var body: Body

    public init(id: CartItemID, ifMatch: EntityTag? = nil, body: Body) {
      self.id = id
      self.ifMatch = ifMatch
      self.body = body
    }
  }

  /// Take an item out of the cart.
  public struct RemoveCartItem: Endpoint {
    public typealias Response = Cart
    public static let operation = Operation(
      .delete,
      "/v1/cart/items/{id}",
      "Take an item out of the cart",
      access: .user,
      problems: [.checkoutInProgress]
    )
    public var id: CartItemID
    public init(id: CartItemID) { self.id = id }
  }

  /// What the cart costs now, with tax and shipping, and which prices have changed since things were put in.
  public struct QuoteCart: Endpoint {
    public typealias Response = Quote
    public static let operation = Operation(
      .post,
      "/v1/cart/quote",
      "What the cart costs now, with tax and shipping",
      access: .user,
      idempotency: .safe,
      problems: [.cartEmpty, .cartChanged]
    )

    public struct Body: Codable, Sendable {
      /// Where the goods go; decides tax and shipping.
      public var region: Region?
      public init(region: Region? = nil) { self.region = region }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// Turn the cart into an order: stock is kept for the buyer, the order is made, and paid when a way to pay is given. The
  /// buyer gets a new, empty cart. Prices that have changed are told (409 `price-changed`) and not charged.
  public struct CheckOut: Endpoint {
    public typealias Response = Order
    public static let operation = Operation(
      .post,
      "/v1/cart/checkout",
      "Turn the cart into an order",
      access: .user,
      idempotency: .keyed(required: true),
      success: 201,
      problems: [
        .cartEmpty, .cartChanged, .priceChanged, .insufficientStock, .listingNotForSale, .checkoutInProgress,
        .providerNotAvailable, .paymentMethodNotFound, .addressMissing, .ownListing,
      ],
      limits: .init(seconds: 30)
    )

    public struct Body: Codable, Sendable {
      public var shippingAddress: PostalAddress?
      /// Where tax is due when nothing is shipped.
      public var region: Region?
      /// How to pay; without it, the order waits for `POST /v1/orders/{id}/payments`.
      public var payment: PaymentChoice?
      /// Whether store credit pays as much as there is.
      public var useCredit: Bool?

      public init(
        shippingAddress: PostalAddress? = nil,
        region: Region? = nil,
        payment: PaymentChoice? = nil,
        useCredit: Bool? = nil
      ) {
        self.shippingAddress = shippingAddress
        self.region = region
        self.payment = payment
        self.useCredit = useCredit
      }
    }

    /// When given, only that version of the cart is turned into an order.
    public var ifMatch: EntityTag?
    public var body: Body

    public init(ifMatch: EntityTag? = nil, body: Body) {
      self.ifMatch = ifMatch
      self.body = body
    }
  }
}

public enum CartSubject {}
public typealias CartID = ID<CartSubject>
public enum CartItemSubject {}
public typealias CartItemID = ID<CartItemSubject>

/// What somebody means to buy.
public struct Cart: Codable, Sendable, Equatable, Versioned {
  public enum Status: String, WireEnum { case precheckout, postcheckout }

  public struct Item: Codable, Sendable, Equatable {
    public var id: CartItemID
    public var productID: ProductID?
    public var variantID: VariantID?
    public var listingID: ListingID?
    public var licence: LicenceKind?
    public var title: String
    public var quantity: Int
    /// The price of one when it was put in or last told as changed.
    public var price: Money

    public init(
      id: CartItemID,
      productID: ProductID?,
      variantID: VariantID?,
      listingID: ListingID?,
      licence: LicenceKind?,
      title: String,
      quantity: Int,
      price: Money
    ) {
      self.id = id
      self.productID = productID
      self.variantID = variantID
      self.listingID = listingID
      self.licence = licence
      self.title = title
      self.quantity = quantity
      self.price = price
    }
  }

  public var id: CartID
  public var ownerID: UserID
  public var status: Status
  public var items: [Item]
  /// Of all items; absent in an empty cart, which has no currency.
  public var subtotal: Money?
  public var version: Int

  public init(id: CartID, ownerID: UserID, status: Status, items: [Item], subtotal: Money?, version: Int) {
    self.id = id
    self.ownerID = ownerID
    self.status = status
    self.items = items
    self.subtotal = subtotal
    self.version = version
  }
}

/// What a cart costs.
public struct Quote: Codable, Sendable, Equatable {
  public var lines: [PricedLine]
  /// Net of all lines.
  public var subtotal: Money
  /// On lines and shipping.
  public var tax: Money
  /// Net.
  public var shipping: Money
  /// `subtotal + tax + shipping`.
  public var total: Money
  /// Items whose price is another one than when they were put in.
  public var changes: [PriceChange]

  public init(
    lines: [PricedLine],
    subtotal: Money,
    tax: Money,
    shipping: Money,
    total: Money,
    changes: [PriceChange]
  ) {
    self.lines = lines
    self.subtotal = subtotal
    self.tax = tax
    self.shipping = shipping
    self.total = total
    self.changes = changes
  }
}

public struct PriceChange: Codable, Sendable, Equatable {
  public var item: CartItemID
  public var before: Money
  public var now: Money

  public init(item: CartItemID, before: Money, now: Money) {
    self.item = item
    self.before = before
    self.now = now
  }
}

/// A country of ISO 3166-1, such as `US`, or a part of one of ISO 3166-2, such as `US-CA`.
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
      return isCountry && (parts.count == 1 || isPart) ? nil : "must be a country such as US, or a part such as US-CA"
    }
  )

  /// The country alone.
  public var country: String { String(rawValue.prefix(2)) }
}

/// Where goods go. Kept encrypted.
public struct PostalAddress: Codable, Sendable, Equatable {
  public var name: ShortText
  public var street: ShortText
  public var city: ShortText
  public var postalCode: ShortText
  public var region: Region
  public var phone: PhoneNumber?

  public init(
    name: ShortText,
    street: ShortText,
    city: ShortText,
    postalCode: ShortText,
    region: Region,
    phone: PhoneNumber? = nil
  ) {
    self.name = name
    self.street = street
    self.city = city
    self.postalCode = postalCode
    self.region = region
    self.phone = phone
  }
}

extension Problem.Kind {
  public static let listingNotForSale = Self("listing-not-for-sale", status: 409, "The listing is not for sale")
  public static let licenceNotOffered = Self("licence-not-offered", status: 409, "The listing offers no such licence")
  public static let ownListing = Self("own-listing", status: 409, "The listing is the buyer's own")
  public static let checkoutInProgress = Self("checkout-in-progress", status: 409, "The cart is being checked out")
  public static let cartItemNotFound = Self("cart-item-not-found", status: 404, "There is no such item in the cart")
  public static let cartFull = Self("cart-full", status: 409, "The cart holds as many items as it can")
  public static let cartEmpty = Self("cart-empty", status: 409, "There is nothing in the cart")
  public static let cartChanged = Self("cart-changed", status: 409, "Something in the cart can no longer be bought")
  public static let priceChanged = Self("price-changed", status: 409, "Prices have changed since they were last seen")
  public static let currencyMismatch = Self("currency-mismatch", status: 409, "A cart has one currency")
  public static let addressMissing = Self("address-missing", status: 422, "What is shipped needs an address")
}
