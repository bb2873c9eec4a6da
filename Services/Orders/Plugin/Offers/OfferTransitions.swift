import Contracts
import Persistence
import ServiceKit

/// The transitions of offers: while one is open, its recording is kept, and what becomes of it is reported.
struct OfferTransitions: Sendable {
  let offers: OfferStore

  /// Makes an offer, or a counteroffer. The caller notifies the other party.
  func make(_ offer: StoredOffer, message: Biography?, in tx: Transaction) throws {
    try offers.insert(offer, message: message, in: tx)
    try OrderMedia.promised(offer.listing, by: offer.id.topic, in: tx)
  }

  /// Ends a pending offer; what it has led to is stored before. The caller notifies whom it concerns.
  static func end(_ id: OfferID, as status: OfferStatus, order: OrderID? = nil, in tx: Transaction) throws {
    try OfferStore.end(id, as: status, order: order, in: tx)
    try OrderMedia.ended(id.topic, in: tx)
  }

  /// Ends some of the offers whose time has passed.
  ///
  /// - Returns: These offers.
  static func expire(limit: Int, in tx: Transaction) throws -> [OfferID] {
    let expired = try OfferStore.expire(limit: limit, in: tx)
    for id in expired { try OrderMedia.ended(id.topic, in: tx) }
    return expired
  }

  /// The order of an accepted offer, if it is one of an offer, has ended unpaid.
  static func endPayment(of order: OrderID, as status: OfferStatus, in tx: Transaction) throws {
    if let offer = try OfferStore.endPayment(of: order, as: status, in: tx) { try OfferEvents.announce(offer, in: tx) }
  }

  /// Ends all other negotiations about a listing that is removed or whose exclusive right is sold.
  static func supersede(_ listing: ListingID, without winner: OfferID?, in tx: Transaction) throws {
    for offer in try OfferStore.pending(for: listing, in: tx) where offer.id != winner {
      try end(offer.id, as: .supersededBySale, in: tx)
      try OfferEvents.changed(offer.id, to: .supersededBySale, for: offer.buyer, in: tx)
    }
  }

  /// Ends the pending offers between two users of whom one has blocked the other. The status does not reveal why.
  /// - Returns: The offers.
  static func end(between one: UserID, and other: UserID, in tx: Transaction) throws -> [OfferID] {
    let pending = try OfferStore.pending(between: one, and: other, at: tx.now, in: tx)
    for id in pending {
      try end(id, as: .declined, in: tx)
      for user in [one, other] { try OfferEvents.notify(user, id, .declined, in: tx) }
      try OfferEvents.announce(id, in: tx)
    }
    return pending
  }

  /// Deletes the offers of a user.
  static func erase(_ user: UserID, in tx: Transaction) throws {
    for id in try OfferStore.pending(of: user, in: tx) { try OrderMedia.ended(id.topic, in: tx) }
    try OfferStore.delete(of: user, in: tx)
  }
}

extension OfferID {
  /// The name of an offer in reports to media-index.
  var topic: Topic { Topic("offer", rawValue) }
}
