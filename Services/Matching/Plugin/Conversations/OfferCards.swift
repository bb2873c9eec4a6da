import Contracts
import Persistence
import ServiceKit

/// Shows offers in the conversations in which they are discussed, as orders reports them.
struct OfferCards: Feature {
  let core: ConversationCore
  let sending: MessageSending

  init(_ core: ConversationCore) { (self.core, sending) = (core, MessageSending(core)) }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.CheckConversation.self) { request, _ -> Void in
      try await check(request.id, holds: request.users)
    }
    routes.on(OfferChanged.self) { event, tx in try apply(event, in: tx) }
  }

  private func check(_ id: ConversationID, holds users: [UserID]) async throws {
    try await core.database.read { db in
      guard let first = users.first else { throw Problem(.conversationNotFound) }
      let participation = try ParticipantStore.get(id, of: first, in: db)
      // The other participant of a closed conversation may have left.
      try participation.requireOpen()
      guard Set(users).subtracting([first]).allSatisfy({ $0 == participation.other }) else {
        throw Problem(.conversationNotFound)
      }
    }
  }

  /// Places a message for a new offer, or updates the one that shows the offer. Nothing new is placed in a conversation
  /// that is closed or does not hold both.
  private func apply(_ event: OfferChanged, in tx: Transaction) throws {
    let (maker, other) =
      event.madeBy == .buyer ? (event.buyerID, event.sellerID) : (event.sellerID, event.buyerID)
    if let known = try OfferCardStore.find(event.offerID, in: tx) {
      guard known.status != event.status, let stored = try MessageStore.find(known.message, at: tx.now, in: tx) else {
        return
      }
      try OfferCardStore.update(event.offerID, event.status, in: tx)
      // Accepting an offer accepts the request that it came with.
      if event.status == .accepted { try ParticipantStore.accept(event.conversationID, by: other, in: tx) }
      return try ConversationEvents.changed(stored.message, to: [event.buyerID, event.sellerID], in: tx)
    }
    guard let participation = try ParticipantStore.find(event.conversationID, of: maker, in: tx),
      participation.other == other, !participation.isClosed
    else { return }
    let card = OfferCard(
      offerID: event.offerID, listingID: event.listingID, status: event.status, amount: event.amount,
      madeBy: event.madeBy, expiresAt: event.expiresAt
    )
    let message = Message(
      id: core.ids.make(), conversationID: event.conversationID, sequence: participation.lastSequence + 1,
      authorID: maker,
      kind: .offer, offer: card, sentAt: tx.now
    )
    try ConversationStore.advance(event.conversationID, to: message.sequence, in: tx)
    _ = try MessageStore.insert(StoredMessage(message: message), in: tx)
    try OfferCardStore.insert(card, of: message.id, in: tx)
    let pushedAt = try sending.push(participation, message, "New offer", "You have a new offer.", in: tx)
    try ParticipantStore.placedOffer(by: maker, in: event.conversationID, pushedAt: pushedAt, in: tx)
    try ConversationEvents.sent(message, to: participation.recipients, in: tx)
  }
}
