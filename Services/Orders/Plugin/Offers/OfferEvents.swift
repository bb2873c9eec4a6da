import Contracts
import Persistence

/// What the parties of an offer, and the conversation in which it is discussed, receive about it.
enum OfferEvents {
  /// Notifies a party, and the conversation.
  static func changed(_ id: OfferID, to status: OfferStatus, for user: UserID, in tx: Transaction) throws {
    try notify(user, id, status, in: tx)
    try announce(id, in: tx)
  }

  /// Notifies a party of an offer's status.
  static func notify(_ user: UserID, _ id: OfferID, _ status: OfferStatus, in tx: Transaction) throws {
    let data: JSONValue = ["offer": .string(id.rawValue), "status": .string(status.rawValue)]
    try tx.record(RealtimeEvent(to: user, "offer.changed", data))
  }

  /// Notifies the conversation in which an offer is discussed of the offer's state.
  static func announce(_ id: OfferID, in tx: Transaction) throws {
    if let change = try OfferStore.change(of: id, in: tx) { try tx.record(change) }
  }
}
