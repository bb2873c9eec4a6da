import Contracts
import Persistence
import ServiceKit

/// One offer of a negotiation, as stored.
struct StoredOffer: Sendable, Equatable {
  var id: OfferID
  var parentID: OfferID?
  var listingID: ListingID
  var license: LicenseKind
  var buyerID: UserID
  var sellerID: UserID
  var amount: Money
  var status = OfferStatus.pending
  var madeBy: Offer.Party
  var isFinal: Bool
  /// The range for the next price.
  var bounds: OfferBounds
  /// How long an offer is open, in hours; each counteroffer starts a new period.
  var hours: Int
  var message: String?
  var conversationID: ConversationID?
  var createdAt: Timestamp
  var expiresAt: Timestamp
  /// The listing at the time the negotiation began.
  var listing: SaleItems.Listing
  var orderID: OrderID?

  /// The status at a given time, whether or not it has been stored yet.
  func status(at now: Timestamp) -> OfferStatus { status == .pending && now >= expiresAt ? .expired : status }

  func party(of user: UserID) -> Offer.Party? { user == buyerID ? .buyer : user == sellerID ? .seller : nil }
}

/// Stores offers. The price of an offer never changes: a counteroffer is another offer.
struct OfferStore: Sendable {
  let keys: DataKeys

  static let messageColumn = SealedColumn("offers", "message")

  func find(_ id: OfferID, in db: any Connection) throws -> StoredOffer? {
    try list("id = \(id)", before: nil, limit: 1, in: db).first
  }

  func list(_ condition: SQL, before cursor: OfferID?, limit: Int, in db: any Connection) throws -> [StoredOffer] {
    let filter = SQL.and(condition, cursor.map { "id < \($0)" })
    return try db.all("SELECT \(Self.columns) FROM offers WHERE \(filter) ORDER BY id DESC LIMIT \(limit)", decode)
  }

  /// The offers that a user has made or received, newest first. Each side has an index in this order, and no one is
  /// both.
  func list(
    of user: UserID, for listing: ListingID? = nil, before cursor: OfferID?, limit: Int, in db: any Connection
  ) throws -> [StoredOffer] {
    let rest = SQL.and(listing.map { "listing_id = \($0)" }, cursor.map { "id < \($0)" })
    return try db.all(
      """
      SELECT \(Self.columns) FROM
        (SELECT * FROM (SELECT * FROM offers WHERE buyer_id = \(user) AND \(rest) ORDER BY id DESC LIMIT \(limit)) b
         UNION ALL
         SELECT * FROM (SELECT * FROM offers WHERE seller_id = \(user) AND \(rest) ORDER BY id DESC LIMIT \(limit)) s) o
      ORDER BY id DESC LIMIT \(limit)
      """,
      decode
    )
  }

  private static let columns: SQL = """
    id, parent_id, listing_id, license, buyer_id, seller_id, amount, currency, status, made_by, is_final, lower_bound,
    upper_bound, hours, message, conversation_id, created_at, expires_at, listing, order_id
    """

  private func decode(_ row: Row) throws -> StoredOffer {
    let id: OfferID = try row["id"]
    let sealed: String? = try row["message"]
    let message = try sealed.map { try keys.open($0, in: Self.messageColumn, row: id.rawValue) }
    return StoredOffer(
      id: id, parentID: try row["parent_id"],
      listingID: try row["listing_id"], license: try row["license"],
      buyerID: try row["buyer_id"], sellerID: try row["seller_id"],
      amount: try row.money("amount", "currency"), status: try row["status"],
      madeBy: try row["made_by"], isFinal: try row["is_final"],
      bounds: OfferBounds(lower: try row["lower_bound"], upper: try row["upper_bound"]), hours: try row["hours"],
      message: message.map { String(decoding: $0, as: UTF8.self) }, conversationID: try row["conversation_id"],
      createdAt: try row["created_at"], expiresAt: try row["expires_at"],
      listing: try row[json: "listing"], orderID: try row["order_id"]
    )
  }

  func insert(_ offer: StoredOffer, message: Biography?, in tx: Transaction) throws {
    let sealed = try message.map {
      try keys.seal(Array($0.rawValue.utf8), in: Self.messageColumn, row: offer.id.rawValue)
    }
    try tx.execute(
      """
      INSERT INTO offers
        (id, parent_id, listing_id, license, buyer_id, seller_id, amount, currency, status, made_by, is_final,
         lower_bound, upper_bound, hours, message, conversation_id, created_at, expires_at, listing)
      VALUES (\(offer.id), \(offer.parentID), \(offer.listingID), \(offer.license), \(offer.buyerID),
              \(offer.sellerID), \(offer.amount.amount), \(offer.amount.currency), \(offer.status),
              \(offer.madeBy), \(offer.isFinal), \(offer.bounds.lower), \(offer.bounds.upper), \(offer.hours),
              \(sealed), \(offer.conversationID), \(offer.createdAt), \(offer.expiresAt), \(json: offer.listing))
      """
    )
  }

  static func end(_ id: OfferID, as status: OfferStatus, order: OrderID? = nil, in tx: Transaction) throws {
    try tx.execute("UPDATE offers SET status = \(status), order_id = \(order) WHERE id = \(id)")
  }

  /// Ends some of the offers whose time has passed.
  ///
  /// - Returns: These offers.
  static func expire(limit: Int, in tx: Transaction) throws -> [OfferID] {
    let due: [OfferID] = try tx.values(
      """
      SELECT id FROM offers WHERE status = 'pending' AND expires_at <= \(tx.now) ORDER BY expires_at LIMIT \(limit)
      """)
    try tx.execute("UPDATE offers SET status = 'expired' WHERE id IN \(list: due)")
    return due
  }

  /// The order of an accepted offer has ended unpaid.
  /// - Returns: The offer; `nil` when there is none.
  static func endPayment(of order: OrderID, as status: OfferStatus, in tx: Transaction) throws -> OfferID? {
    let accepted = try tx.value(
      "SELECT id FROM offers WHERE order_id = \(order) AND status = 'accepted'", as: OfferID.self)
    if let accepted { try tx.execute("UPDATE offers SET status = \(status) WHERE id = \(accepted)") }
    return accepted
  }

  /// The event about an offer as it is; `nil` for one that is discussed in no conversation.
  static func change(of id: OfferID, in db: any Connection) throws -> OfferChanged? {
    try db.first(
      """
      SELECT id, conversation_id, listing_id, buyer_id, seller_id, status, amount, currency, made_by, expires_at
      FROM offers WHERE id = \(id) AND conversation_id IS NOT NULL
      """
    ) { row in
      OfferChanged(
        offerID: try row["id"], conversationID: try row["conversation_id"], listingID: try row["listing_id"],
        buyerID: try row["buyer_id"], sellerID: try row["seller_id"], status: try row["status"],
        amount: try row.money("amount", "currency"), madeBy: try row["made_by"], expiresAt: try row["expires_at"]
      )
    }
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    for side in sides(of: user) { try tx.execute("DELETE FROM offers WHERE \(side)") }
  }

  /// Each side has an index.
  private static func sides(of user: UserID) -> [SQL] { ["buyer_id = \(user)", "seller_id = \(user)"] }

  /// The pending offers that a user has made or received.
  static func pending(of user: UserID, in db: any Connection) throws -> [OfferID] {
    try sides(of: user).flatMap { side in
      try db.values("SELECT id FROM offers WHERE \(side) AND status = 'pending' ORDER BY id", as: OfferID.self)
    }
  }

  static func pending(for listing: ListingID, in db: any Connection) throws -> [(id: OfferID, buyer: UserID)] {
    try db.all("SELECT id, buyer_id FROM offers WHERE listing_id = \(listing) AND status = 'pending'") { row in
      (try row["id"], try row["buyer_id"])
    }
  }

  /// The open offers between two users.
  static func pending(between one: UserID, and other: UserID, at now: Timestamp, in db: any Connection) throws
    -> [OfferID]
  {
    try db.values(
      """
      SELECT id FROM offers
      WHERE status = 'pending' AND expires_at > \(now)
        AND (buyer_id = \(one) AND seller_id = \(other) OR buyer_id = \(other) AND seller_id = \(one)) ORDER BY id
      """
    )
  }

  /// The number of prices that a buyer has offered for a listing.
  static func prices(of buyer: UserID, for listing: ListingID, in db: any Connection) throws -> Int {
    try db.count(
      "SELECT COUNT(*) FROM offers WHERE buyer_id = \(buyer) AND listing_id = \(listing) AND made_by = 'buyer'"
    )
  }
}
