/// Internal endpoints for the orders service: items for sale, and stock reservations for checkout.
extension CatalogAPI {
  /// Products and listings that do not exist are omitted.
  public struct GetSaleItems: Endpoint {
    public typealias Response = SaleItems
    public static let operation = Operation.post(
      "/internal/v1/sale-items", "Get the current sale data of products and listings", access: .service,
      idempotency: .safe
    )

    public var products: [ProductReference]
    public var listings: [ListingID]
    public init(products: [ProductReference], listings: [ListingID]) {
      (self.products, self.listings) = (products, listings)
    }
  }

  /// The reservation holds until `expiresAt`. Repeating the call has no further effect; an ended reservation stays
  /// ended.
  public struct ReserveStock: Endpoint {
    public typealias Response = StockReservation
    public static let operation = Operation.put(
      "/internal/v1/reservations/{id}", "Reserve stock for a buyer", access: .service,
      problems: [.insufficientStock, .productNotFound, .reservationEnded]
    )

    public var id: ReservationID
    public var lines: [StockLine]
    public var expiresAt: Timestamp

    public init(id: ReservationID, lines: [StockLine], expiresAt: Timestamp) {
      (self.id, self.lines, self.expiresAt) = (id, lines, expiresAt)
    }
  }

  /// Called when the buyer has paid: the reserved stock is sold. An expired reservation is renewed if enough stock is
  /// left.
  public struct CommitReservation: Endpoint {
    public typealias Response = StockReservation
    public static let operation = Operation.post(
      "/internal/v1/reservations/{id}/commit", "Commit a reservation", access: .service, idempotency: .idempotent,
      problems: [.insufficientStock, .reservationEnded]
    )
    public var id: ReservationID
    public init(id: ReservationID) { self.id = id }
  }

  /// Called when the buyer does not pay or returns the goods: reserved or sold stock becomes available again. Releasing
  /// an unknown reservation prevents its later creation.
  public struct ReleaseReservation: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation.delete(
      "/internal/v1/reservations/{id}", "Release a reservation and return its stock", access: .service, success: 204
    )
    public var id: ReservationID
    public init(id: ReservationID) { self.id = id }
  }
}

public enum ReservationSubject {}
/// A reservation has the ID of its order.
public typealias ReservationID = ID<ReservationSubject>

/// A product, or one variant of it.
public struct ProductReference: Codable, Sendable, Hashable {
  public var productID: ProductID
  public var variantID: VariantID?

  public init(productID: ProductID, variantID: VariantID? = nil) {
    (self.productID, self.variantID) = (productID, variantID)
  }
}

/// A quantity of a product.
public struct StockLine: Codable, Sendable, Equatable {
  public var product: ProductReference
  public var quantity: Quantity

  public init(product: ProductReference, quantity: Quantity) { (self.product, self.quantity) = (product, quantity) }
}

/// A quantity to buy, 1 to 999.
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
    (self.id, self.status, self.expiresAt) = (id, status, expiresAt)
  }
}

/// The current sale data of products and listings.
public struct SaleItems: Codable, Sendable, Equatable {
  public struct Product: Codable, Sendable, Equatable {
    public var product: ProductReference
    public var title: String
    public var sku: String?
    public var price: Price
    /// Which tax rules apply, such as `standard`.
    public var taxClass: String
    /// The weight of one unit, for the shipping rules; 0 for a product that is not shipped.
    public var weightGrams: Int
    /// The quantity that can be bought now.
    public var available: Int
    public var image: MediaID?

    public init(
      product: ProductReference, title: String, sku: String?, price: Price, taxClass: String, weightGrams: Int,
      available: Int, image: MediaID?
    ) {
      (self.product, self.title, self.sku, self.price, self.taxClass) = (product, title, sku, price, taxClass)
      (self.weightGrams, self.available, self.image) = (weightGrams, available, image)
    }
  }

  public struct Listing: Codable, Sendable, Equatable {
    public var id: ListingID
    public var ownerID: UserID
    public var title: String
    public var licenses: [LicenseOption]
    public var acceptsOffers: Bool
    public var audio: MediaID
    public var cover: MediaID?

    public init(
      id: ListingID, ownerID: UserID, title: String, licenses: [LicenseOption], acceptsOffers: Bool, audio: MediaID,
      cover: MediaID?
    ) {
      (self.id, self.ownerID, self.title, self.licenses) = (id, ownerID, title, licenses)
      (self.acceptsOffers, self.audio, self.cover) = (acceptsOffers, audio, cover)
    }
  }

  public var products: [Product]
  public var listings: [Listing]

  public init(products: [Product], listings: [Listing]) { (self.products, self.listings) = (products, listings) }
}

extension Problem.Kind {
  public static let insufficientStock = Self("insufficient-stock", status: 409, "Insufficient stock")
  public static let reservationEnded = Self("reservation-ended", status: 409, "The reservation has ended")
  public static let productNotFound = Self("product-not-found", status: 404, "There is no such product")
}
