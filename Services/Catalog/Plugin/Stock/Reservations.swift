import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Stock reserved for buyers, one reservation per order. Each call is idempotent and tolerates late and reordered
/// delivery: a reservation that was committed or released by a call is not reserved again.
struct Reservations: Feature {
  private let database: any Database
  private let time: TimeSource
  private let logger: Logger

  /// How long ended reservations are retained, in seconds.
  private static let keptSeconds = 90.0 * 86_400

  init(_ environment: ServiceEnvironment) throws {
    database = try environment.database
    time = environment.time
    logger = environment.logger
  }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.GetSaleItems.self) { request, _ in
      try Self.limit(request.products.count + request.listings.count)
      return try await database.read { db in
        SaleItems(
          products: try ProductStore.saleItems(request.products, in: db),
          listings: request.listings.isEmpty ? [] : try ListingStore.saleItems(request.listings, in: db)
        )
      }
    }
    routes.on(CatalogAPI.ReserveStock.self) { request, _ in
      try Self.limit(request.lines.count)
      return try await database.write { tx in try Self.hold(request.id, request, in: tx) }
    }
    routes.on(CatalogAPI.CommitReservation.self) { request, _ in
      try await database.write { tx in try Self.commit(request.id, in: tx) }
    }
    routes.on(CatalogAPI.ReleaseReservation.self) { request, _ in
      try await database.write { tx in try Self.release(request.id, in: tx) }
    }
  }

  // MARK: calls from orders

  /// A cart has at most 100 items.
  private static func limit(_ count: Int) throws(Problem) {
    guard count <= 200 else {
      throw Problem(.invalidRequest, errors: [.init(location: "body", message: "must contain at most 200 items")])
    }
  }

  private static func hold(_ id: ReservationID, _ request: CatalogAPI.ReserveStock, in tx: Transaction) throws
    -> StockReservation
  {
    if let known = try find(id, in: tx) {
      guard known.status != .released else { throw Problem(.reservationEnded) }
      return known
    }
    guard request.expiresAt > tx.now else { throw Problem(.reservationEnded) }
    let lines = Dictionary(request.lines.map { ($0.product, $0.quantity.value) }, uniquingKeysWith: +)
    let onSale = try ProductStore.saleItems(Array(lines.keys), in: tx)
    guard onSale.count == lines.count else { throw Problem(.productNotFound) }
    try tx.execute(
      "INSERT INTO reservations (id, status, expires_at) VALUES (\(id), 'held', \(request.expiresAt))"
    )
    for (product, quantity) in lines {
      try tx.execute(
        """
        INSERT INTO reservation_lines (reservation_id, item_id, quantity) VALUES (\(id), \(item(product)), \(quantity))
        """
      )
    }
    try take(id, in: tx)
    return StockReservation(id: id, status: .held, expiresAt: request.expiresAt)
  }

  /// Marks the stock as sold. An expired reservation is renewed first, if the stock is still available.
  private static func commit(_ id: ReservationID, in tx: Transaction) throws -> StockReservation {
    guard var reservation = try find(id, in: tx) else { throw Problem(.reservationEnded) }
    switch reservation.status {
    case .committed: return reservation
    case .released:
      // It was released by a call, or it expired; only an expired reservation still has its lines.
      guard try !lines(of: id, in: tx).isEmpty else { throw Problem(.reservationEnded) }
      try take(id, in: tx)
    case .held: break
    }
    for line in try lines(of: id, in: tx) { try Stock.sell(line.item, line.quantity, in: tx) }
    try end(id, as: .committed, in: tx)
    reservation.status = .committed
    return reservation
  }

  private static func release(_ id: ReservationID, in tx: Transaction) throws {
    guard let reservation = try find(id, in: tx) else {
      // The release arrived before the reservation, which will then find itself ended.
      try tx.execute("INSERT INTO reservations (id, status, expires_at) VALUES (\(id), 'released', \(tx.now))")
      return
    }
    for line in try lines(of: id, in: tx) {
      switch reservation.status {
      case .held: try Stock.free(line.item, line.quantity, in: tx)
      case .committed: try Stock.releaseStock(line.item, line.quantity, in: tx)
      case .released: break
      }
    }
    try tx.execute("DELETE FROM reservation_lines WHERE reservation_id = \(id)")
    try end(id, as: .released, in: tx)
  }

  // MARK: steps

  /// Reserves the stock of all lines, or of none. When stock is insufficient, expired reservations are released first.
  private static func take(_ id: ReservationID, in tx: Transaction) throws {
    var short: [String] = []
    var hasFreed = false
    for line in try lines(of: id, in: tx) {
      if try Stock.reserve(line.item, line.quantity, in: tx) { continue }
      if !hasFreed {
        hasFreed = true
        _ = try expire(limit: 1000, in: tx)
        if try Stock.reserve(line.item, line.quantity, in: tx) { continue }
      }
      short.append(line.item)
    }
    guard short.isEmpty else {
      throw Problem(
        .insufficientStock,
        errors: short.map { .init(location: "items.\($0)", message: "has insufficient stock") }
      )
    }
  }

  /// Releases the stock of buyers who have not paid in time. Their lines are kept, in case a payment arrives late.
  static func expire(limit: Int, in tx: Transaction) throws -> Int {
    let ids = try tx.values(
      "SELECT id FROM reservations WHERE status = 'held' AND expires_at <= \(tx.now) ORDER BY expires_at LIMIT \(limit)",
      as: ReservationID.self
    )
    for id in ids {
      for line in try lines(of: id, in: tx) { try Stock.free(line.item, line.quantity, in: tx) }
      try end(id, as: .released, in: tx)
    }
    return ids.count
  }

  private static func find(_ id: ReservationID, in db: any Connection) throws -> StockReservation? {
    try db.first("SELECT status, expires_at FROM reservations WHERE id = \(id)") { row in
      StockReservation(
        id: id,
        status: try row["status"],
        expiresAt: try row["expires_at"]
      )
    }
  }

  private static func lines(of id: ReservationID, in db: any Connection) throws -> [(item: String, quantity: Int)] {
    try db.all(
      "SELECT item_id, quantity FROM reservation_lines WHERE reservation_id = \(id) ORDER BY item_id"
    ) { row in (try row["item_id"], try row["quantity"]) }
  }

  private static func end(_ id: ReservationID, as status: StockReservation.Status, in tx: Transaction) throws {
    try tx.execute("UPDATE reservations SET status = \(status) WHERE id = \(id)")
  }

  private static func item(_ product: ProductReference) -> String {
    product.variantID?.rawValue ?? product.productID.rawValue
  }

  // MARK: expiration

  var workers: [any Service] {
    [PeriodicTask("stock.expire-reservations", every: .seconds(1), logger: logger) { try await releaseExpired() }]
  }

  /// Releases expired reservations and deletes those that ended long ago.
  private func releaseExpired() async throws {
    let now = time.now()
    let old = now.advanced(bySeconds: -Self.keptSeconds)
    let isDue = try await database.read { db in
      try db.exists(
        """
        SELECT 1 FROM reservations WHERE status = 'held' AND expires_at <= \(now) OR expires_at < \(old) LIMIT 1
        """
      )
    }
    guard isDue else { return }
    try await database.write { tx in
      _ = try Self.expire(limit: 1000, in: tx)
      try tx.execute(
        """
        DELETE FROM reservation_lines
        WHERE reservation_id IN (SELECT id FROM reservations WHERE status <> 'held' AND expires_at < \(old))
        """
      )
      try tx.execute("DELETE FROM reservations WHERE status <> 'held' AND expires_at < \(old)")
    }
  }
}
