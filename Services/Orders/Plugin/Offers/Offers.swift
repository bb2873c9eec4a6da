import Contracts
import Logging
import Persistence
import PlatformRules
import ServiceKit
import ServiceLifecycle

/// Negotiations: offers and counteroffers, until one is accepted, declined or retracted.
struct Offers: Feature {
  let core: OrdersCore
  let conversations: ConversationCheck
  let media: OrderMedia

  /// Offers that expire in one transaction.
  private static let batch = 200

  init(_ core: OrdersCore) {
    self.core = core
    media = OrderMedia(core.environment)
    conversations = ConversationCheck(core.environment)
  }

  /// An offer that has expired cannot be accepted, whether or not this is stored; but until then its recording is kept.
  var workers: [any Service] {
    [
      PeriodicTask("offers.expire", per: .platform, every: .seconds(600), logger: core.logger) {
        while try await core.database.write({ tx in
          let expired = try OfferTransitions.expire(limit: Self.batch, in: tx)
          for offer in expired { try core.auctions.chanceEnded(offer, in: tx) }
          return expired.count
        }) == Self.batch {}
      }
    ]
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListOffers.self) { request, call in try await list(request, of: call.user.id) }
    routes.on(OrdersAPI.MakeOffer.self) { request, call in try await make(request, call) }
    routes.on(OrdersAPI.GetOffer.self) { request, call in try await get(request.id, for: call.user.id) }
    routes.on(OrdersAPI.CounterOffer.self) { request, call in try await counter(request, call) }
    routes.on(OrdersAPI.AcceptOffer.self) { request, call in try await accept(request.id, call) }
    routes.on(OrdersAPI.DeclineOffer.self) { request, call in try await end(request.id, as: .declined, call) }
    routes.on(OrdersAPI.RetractOffer.self) { request, call in try await end(request.id, as: .retracted, call) }
  }

  // MARK: reading

  private func list(_ request: OrdersAPI.ListOffers, of user: UserID) async throws -> Page<Offer> {
    let (page, now) = (try request.page(by: OfferID.self), core.time.now())
    return try await core.database.read { db in
      let found = try page.fetch(
        { try core.offers.list(of: user, for: request.listing, before: $0, limit: $1, in: db) }, key: \.id)
      return found.with(found.rows.map { Self.response($0, at: now) })
    }
  }

  private func get(_ id: OfferID, for user: UserID) async throws -> Offer {
    let now = core.time.now()
    return try await core.database.read { db in
      guard let offer = try core.offers.find(id, in: db), offer.party(of: user) != nil else {
        throw Problem(.offerNotFound)
      }
      return Self.response(offer, at: now)
    }
  }

  private static func response(_ offer: StoredOffer, at now: Timestamp) -> Offer {
    Offer(
      id: offer.id,
      parentID: offer.parentID,
      listingID: offer.listingID,
      license: offer.license,
      buyerID: offer.buyerID,
      sellerID: offer.sellerID,
      amount: offer.amount,
      status: offer.status(at: now),
      madeBy: offer.madeBy,
      isFinalOffer: offer.isFinal,
      message: offer.message,
      conversationID: offer.conversationID,
      createdAt: offer.createdAt,
      expiresAt: offer.expiresAt,
      orderID: offer.orderID
    )
  }

  // MARK: offers and counteroffers

  private func make(_ request: OrdersAPI.MakeOffer, _ call: Call) async throws -> Offer {
    let buyer = try call.user.id
    if let done: OfferID = try await core.database.read({ db in try db.storedResponse(to: call.idempotencyKey) }) {
      return try await get(done, for: buyer)
    }
    try requireMayCarry(request.message)
    guard let listing = try await core.catalog.listing(request.listingID) else { throw Problem(.listingNotForSale) }
    guard listing.ownerID != buyer else { throw Problem(.ownListing) }
    try await core.database.read { db in try Self.requireNoBlock(between: buyer, and: listing.ownerID, in: db) }
    guard listing.acceptsOffers else { throw Problem(.offersNotAccepted) }
    guard let terms = listing.licenses.first(where: { $0.kind == request.license }) else {
      throw Problem(.licenseNotOffered)
    }
    guard request.amount.currency == terms.price.currency else { throw Problem(.currencyMismatch) }
    let bounds = try OfferBounds(listPrice: terms.price.amount).opening(request.amount.amount)
    if let conversation = request.conversationID {
      try await conversations.require(conversation, holds: [buyer, listing.ownerID])
    }
    let id: OfferID = core.ids.make()
    try await media.require(listing, for: id.topic)
    let made = try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        try core.auctions.limits.requireNotSuspended(buyer, in: tx)
        guard try ExclusiveClaimStore.isFree(listing.id, in: tx) else { throw Problem(.listingNotForSale) }
        try Self.requireNoBlock(between: buyer, and: listing.ownerID, in: tx)
        let open: SQL = """
          buyer_id = \(buyer) AND listing_id = \(listing.id) AND status = 'pending' AND expires_at > \(tx.now)
          """
        guard try core.offers.list(open, before: nil, limit: 1, in: tx).isEmpty else { throw Problem(.offerPending) }
        let before = try OfferStore.prices(of: buyer, for: listing.id, in: tx)
        guard before < OfferBounds.buyerLimit else { throw Problem(.offerLimit) }
        let hours = request.hours?.value ?? 48
        let offer = StoredOffer(
          id: id,
          listingID: listing.id,
          license: request.license,
          buyerID: buyer,
          sellerID: listing.ownerID,
          amount: request.amount.money,
          madeBy: .buyer,
          isFinal: before + 1 == OfferBounds.buyerLimit,
          bounds: bounds,
          hours: hours,
          conversationID: request.conversationID,
          createdAt: tx.now,
          expiresAt: tx.now.advanced(bySeconds: Double(hours) * 3600),
          listing: listing
        )
        try core.offerTransitions.make(offer, message: request.message, in: tx)
        try OfferEvents.changed(offer.id, to: offer.status, for: offer.sellerID, in: tx)
        return id
      }
    }
    return try await get(made, for: buyer)
  }

  private func counter(_ request: OrdersAPI.CounterOffer, _ call: Call) async throws -> Offer {
    let user = try call.user.id
    let id: OfferID = core.ids.make()
    let made = try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        try requireMayCarry(request.message)
        let (offer, party) = try answerable(request.id, by: user, in: tx)
        guard request.amount.currency == offer.amount.currency else { throw Problem(.currencyMismatch) }
        let before = try OfferStore.prices(of: offer.buyerID, for: offer.listingID, in: tx)
        guard party == .seller || before < OfferBounds.buyerLimit else { throw Problem(.offerLimit) }
        var answer = offer
        answer.bounds = try offer.bounds.countering(request.amount.amount, by: party)
        answer.id = id
        answer.parentID = offer.id
        answer.amount = request.amount.money
        answer.madeBy = party
        answer.isFinal = party == .buyer && before + 1 == OfferBounds.buyerLimit
        answer.createdAt = tx.now
        answer.expiresAt = tx.now.advanced(bySeconds: Double(offer.hours) * 3600)
        try core.offerTransitions.make(answer, message: request.message, in: tx)
        try OfferTransitions.end(offer.id, as: .countered, in: tx)
        try OfferEvents.announce(offer.id, in: tx)
        let other = party == .buyer ? answer.sellerID : answer.buyerID
        try OfferEvents.changed(answer.id, to: answer.status, for: other, in: tx)
        return id
      }
    }
    return try await get(made, for: user)
  }

  /// Offers reach others with words, too; prices alone are no messages.
  private func requireMayCarry(_ message: Biography?) throws {
    if message != nil { try core.switches.require(.messages) }
  }

  // MARK: ending a negotiation

  private func accept(_ id: OfferID, _ call: Call) async throws -> Offer {
    let user = try call.user.id
    try await core.database.write { tx in
      _ = try tx.idempotent(call.idempotencyKey) {
        var (offer, party) = try answerable(id, by: user, in: tx)
        if party == .buyer { try core.auctions.limits.requireNotSuspended(user, in: tx) }
        guard try !core.auctions.limits.isSuspended(offer.buyerID, in: tx) else {
          throw Problem(.listingNotForSale, detail: "The buyer has too many unpaid purchases.")
        }
        guard let terms = offer.listing.licenses.first(where: { $0.kind == offer.license }) else {
          throw Problem(.listingNotForSale)
        }
        guard try ExclusiveClaimStore.isFree(offer.listingID, in: tx) else { throw Problem(.listingNotForSale) }
        let order = try core.agreedOrders.order(
          offer.listing,
          terms,
          at: offer.amount,
          for: offer.buyerID,
          source: .offer,
          sourceID: offer.id.rawValue,
          in: tx
        )
        try OfferTransitions.end(offer.id, as: .accepted, order: order, in: tx)
        if offer.license == .exclusive {
          try ExclusiveRights.claim(offer.listingID, for: order, in: tx)
          try CompetingSales.end(offer.listingID, offer: offer.id, in: tx)
        }
        offer.status = .accepted
        let other = party == .buyer ? offer.sellerID : offer.buyerID
        try OfferEvents.changed(offer.id, to: offer.status, for: other, in: tx)
        return order
      }
    }
    return try await get(id, for: user)
  }

  /// The recipient declines an offer, its maker retracts it. Repeated calls change nothing.
  private func end(_ id: OfferID, as status: OfferStatus, _ call: Call) async throws -> Offer {
    let user = try call.user.id
    try await core.database.write { tx in
      guard var offer = try core.offers.find(id, in: tx), let party = offer.party(of: user) else {
        throw Problem(.offerNotFound)
      }
      guard (party == offer.madeBy) == (status == .retracted) else { throw Problem(.notYourTurn) }
      guard offer.status != status else { return }
      guard offer.status(at: tx.now) == .pending else { throw Problem(.offerEnded) }
      try OfferTransitions.end(id, as: status, in: tx)
      offer.status = status
      let other = party == .buyer ? offer.sellerID : offer.buyerID
      try OfferEvents.changed(offer.id, to: offer.status, for: other, in: tx)
      if status == .declined { try core.auctions.chanceEnded(id, in: tx) }
    }
    return try await get(id, for: user)
  }

  /// A pending offer that awaits this user's response.
  private func answerable(_ id: OfferID, by user: UserID, in tx: Transaction) throws -> (StoredOffer, Offer.Party) {
    guard let offer = try core.offers.find(id, in: tx), let party = offer.party(of: user) else {
      throw Problem(.offerNotFound)
    }
    guard offer.status(at: tx.now) == .pending else { throw Problem(.offerEnded) }
    guard party != offer.madeBy else { throw Problem(.notYourTurn) }
    return (offer, party)
  }

  /// Across a block, a listing is refused in the same way as one that does not exist.
  private static func requireNoBlock(between buyer: UserID, and seller: UserID, in db: any Connection) throws {
    guard try !ReportedBlocks.exist(between: buyer, and: seller, in: db) else { throw Problem(.listingNotForSale) }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let offers = try core.offers.list(of: user, before: nil, limit: 10_000, in: db)
    let content = offers.map { offer -> JSONValue in
      ["id": .string(offer.id.rawValue), "amount": .string(offer.amount.description)]
    }
    return [("offers", .array(content))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try OfferTransitions.erase(user, in: tx) }
}
