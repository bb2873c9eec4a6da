import Contracts
import Persistence

/// The offers that messages show.
enum OfferCardStore {
  /// The card of a message; its columns are selected with those of the message.
  static func decode(_ row: Row, at now: Timestamp) throws -> OfferCard? {
    guard let offer: OfferID = try row["offer_id"] else { return nil }
    let (listing, status): (ListingID, OfferStatus) = (try row["listing_id"], try row["status"])
    let amount: Money = try row.money("amount", "currency")
    let (madeBy, expiresAt): (Offer.Party, Timestamp) = (try row["made_by"], try row["expires_at"])
    return OfferCard(
      offerID: offer, listingID: listing, status: status == .pending && now >= expiresAt ? .expired : status,
      amount: amount, madeBy: madeBy, expiresAt: expiresAt
    )
  }

  /// The message that shows an offer, and the state that it shows.
  static func find(_ offer: OfferID, in db: any Connection) throws -> (message: MessageID, status: OfferStatus)? {
    try db.first("SELECT message_id, status FROM offer_cards WHERE offer_id = \(offer)") { row in
      (try row["message_id"], try row["status"])
    }
  }

  static func insert(_ card: OfferCard, of message: MessageID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO offer_cards (message_id, offer_id, listing_id, status, amount, currency, made_by, expires_at)
      VALUES (\(message), \(card.offerID), \(card.listingID), \(card.status), \(card.amount.amount),
              \(card.amount.currency), \(card.madeBy), \(card.expiresAt))
      """
    )
  }

  static func update(_ offer: OfferID, _ status: OfferStatus, in tx: Transaction) throws {
    try tx.execute("UPDATE offer_cards SET status = \(status) WHERE offer_id = \(offer)")
  }

  /// Deletes the cards of a user's offers in conversations.
  static func erase(_ user: UserID, in conversations: SQL, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM offer_cards WHERE message_id IN
        (SELECT id FROM messages WHERE conversation_id IN (\(conversations)) AND author_id = \(user))
      """
    )
  }

  static func delete(of conversations: SQL, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM offer_cards WHERE message_id IN
        (SELECT id FROM messages WHERE conversation_id IN (\(conversations)))
      """
    )
  }
}
