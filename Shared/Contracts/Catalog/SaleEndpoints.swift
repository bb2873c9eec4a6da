/// Internal endpoints for the orders service: items for sale, and stock reservations for checkout.
extension CatalogAPI {
  /// Products and listings that do not exist are omitted.
  public struct GetSaleItems: Endpoint {
    public typealias Response = SaleItems
    public static let operation = Operation.post(
      "/internal/v1/sale-items", "Get the current sale data of products and listings",
      access: .services(OrdersAPI.self),
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
      "/internal/v1/reservations/{id}", "Reserve stock for a buyer", access: .services(OrdersAPI.self),
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
      "/internal/v1/reservations/{id}/commit", "Commit a reservation", access: .services(OrdersAPI.self),
      idempotency: .idempotent,
      problems: [.insufficientStock, .reservationEnded]
    )
    public var id: ReservationID
    public init(id: ReservationID) { self.id = id }
  }

  /// Called when a part of an order is canceled: stock beyond the lines that stay becomes available again. A reservation
  /// never grows, so that calls may be repeated and may arrive in any order.
  public struct ReduceReservation: Endpoint {
    public static let operation = Operation.put(
      "/internal/v1/reservations/{id}/lines", "Return part of a reservation's stock",
      access: .services(OrdersAPI.self), success: 204
    )
    public var id: ReservationID
    /// The lines that stay reserved or sold.
    public var lines: [StockLine]
    public init(id: ReservationID, lines: [StockLine]) { (self.id, self.lines) = (id, lines) }
  }

  /// Called when the buyer does not pay or returns the goods: reserved or sold stock becomes available again. Releasing
  /// an unknown reservation prevents its later creation.
  public struct ReleaseReservation: Endpoint {
    public static let operation = Operation.delete(
      "/internal/v1/reservations/{id}", "Release a reservation and return its stock", access: .services(OrdersAPI.self),
      success: 204
    )
    public var id: ReservationID
    public init(id: ReservationID) { self.id = id }
  }
}

extension Problem.Kind {
  public static let insufficientStock = Self(
    "insufficient-stock", status: 409, "Insufficient stock",
    meaning: "Fewer units are left than asked for.",
    remedy: "Load the product again, and offer what is left.")
  public static let reservationEnded = Self(
    "reservation-ended", status: 409, "The reservation has ended",
    meaning: "The units were kept for a limited time, which is over, or the reservation was released.",
    remedy: "Start the checkout again.")
  public static let productNotFound = Self(
    "product-not-found", status: 404, "There is no such product",
    meaning: "The product does not exist, was deleted, or is not for sale.",
    remedy: "Remove the product from the screen.")
}
