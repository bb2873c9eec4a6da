/// What orders asks of catalog: what is for sale, and stock for those who are about to pay. All internal.
extension CatalogAPI {
  /// What is for sale of these products and listings, as it is now; what does not exist is left out.
  public struct GetSaleItems: Endpoint {
    public typealias Response = SaleItems
    public static let operation = Operation(
      .post,
      "/internal/v1/sale-items",
      "What is for sale of these",
      access: .service,
      idempotency: .safe
    )

    public struct Body: Codable, Sendable {
      public var products: [ProductReference]
      public var listings: [ListingID]

      public init(products: [ProductReference], listings: [ListingID]) {
        self.products = products
        self.listings = listings
      }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// Keep stock for a buyer until a moment. Repeating it has no further effect; a reservation that has ended stays so.
  public struct ReserveStock: Endpoint {
    public typealias Response = StockReservation
    public static let operation = Operation(
      .put,
      "/internal/v1/reservations/{id}",
      "Keep stock for a buyer",
      access: .service,
      problems: [.insufficientStock, .productNotFound, .reservationEnded]
    )

    public struct Body: Codable, Sendable {
      public var lines: [StockLine]
      public var expiresAt: Timestamp

      public init(lines: [StockLine], expiresAt: Timestamp) {
        self.lines = lines
        self.expiresAt = expiresAt
      }
    }

    public var id: ReservationID
    public var body: Body

    public init(id: ReservationID, body: Body) {
      self.id = id
      self.body = body
    }
  }

  /// The buyer has paid: the kept stock is gone. A reservation that has expired is made anew when there still is stock.
  public struct CommitReservation: Endpoint {
    public typealias Response = StockReservation
    public static let operation = Operation(
      .post,
      "/internal/v1/reservations/{id}/commit",
      "The kept stock is sold",
      access: .service,
      idempotency: .idempotent,
      problems: [.insufficientStock, .reservationEnded]
    )
    public var id: ReservationID
    public init(id: ReservationID) { self.id = id }
  }

  /// The buyer will not pay, or gives back: the stock is for others again. A reservation that is not known yet is ended
  /// before it begins.
  public struct ReleaseReservation: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .delete,
      "/internal/v1/reservations/{id}",
      "The kept or sold stock is for others again",
      access: .service,
      success: 204
    )
    public var id: ReservationID
    public init(id: ReservationID) { self.id = id }
  }
}

public enum ReservationSubject {}
/// The order's id serves as its reservation's.
public typealias ReservationID = ID<ReservationSubject>

/// A product, or one variant of it.
public struct ProductReference: Codable, Sendable, Hashable {
  public var productID: ProductID
  public var variantID: VariantID?

  public init(productID: ProductID, variantID: VariantID? = nil) {
    self.productID = productID
    self.variantID = variantID
  }
}

/// So many of a product.
public struct StockLine: Codable, Sendable, Equatable {
  public var product: ProductReference
  public var quantity: Quantity

  public init(product: ProductReference, quantity: Quantity) {
    self.product = product
    self.quantity = quantity
  }
}

/// How many of a thing somebody buys: 1 to 999.
public struct Quantity: BoundedInteger {
  public static let range = 1...999
  public let value: Int
  public init(checked: Int) { value = checked }
}

public struct StockReservation: Codable, Sendable, Equatable {
  public enum Status: String, WireEnum { case held, committed, released }
  public var id: ReservationID
  public var status: Status
  public var expiresAt: Timestamp

  public init(id: ReservationID, status: Status, expiresAt: Timestamp) {
    self.id = id
    self.status = status
    self.expiresAt = expiresAt
  }
}

/// Products and listings as a buyer would get them now.
public struct SaleItems: Codable, Sendable, Equatable {
  public struct Product: Codable, Sendable, Equatable {
    public var product: ProductReference
    public var title: String
    public var sku: String?
    public var price: Price
    /// Which tax rules apply, such as `standard`.
    public var taxClass: String
    /// Of one piece, for the shipping rules; 0 for what is not shipped.
    public var weightGrams: Int
    /// How many can be bought at this moment.
    public var available: Int
    public var image: MediaID?

    public init(
      product: ProductReference,
      title: String,
      sku: String?,
      price: Price,
      taxClass: String,
      weightGrams: Int,
      available: Int,
      image: MediaID?
    ) {
      self.product = product
      self.title = title
      self.sku = sku
      self.price = price
      self.taxClass = taxClass
      self.weightGrams = weightGrams
      self.available = available
      self.image = image
    }
  }

  public struct Listing: Codable, Sendable, Equatable {
    public var id: ListingID
    public var ownerID: UserID
    public var title: String
    public var licences: [LicenceOption]
    /// Whether the owner looks at offers.
    public var acceptsOffers: Bool
    public var audio: MediaID
    public var cover: MediaID?

    public init(
      id: ListingID,
      ownerID: UserID,
      title: String,
      licences: [LicenceOption],
      acceptsOffers: Bool,
      audio: MediaID,
      cover: MediaID?
    ) {
      self.id = id
      self.ownerID = ownerID
      self.title = title
      self.licences = licences
      self.acceptsOffers = acceptsOffers
      self.audio = audio
      self.cover = cover
    }
  }

  public var products: [Product]
  public var listings: [Listing]

  public init(products: [Product], listings: [Listing]) {
    self.products = products
    self.listings = listings
  }
}

extension Problem.Kind {
  public static let insufficientStock = Self("insufficient-stock", status: 409, "There are not enough of these left")
  public static let reservationEnded = Self("reservation-ended", status: 409, "The reservation has ended")
  public static let productNotFound = Self("product-not-found", status: 404, "There is no such product")
}
