extension OrdersAPI {
  /// Offers that the caller made or received, newest first.
  public struct ListOffers: PagedEndpoint {
    public typealias Response = Page<Offer>
    public static let operation = Operation.get("/v1/offers", "List offers")
    public var listing: ListingID?
    public var limit: PageSize?
    public var cursor: String?
    public init(listing: ListingID? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.listing, self.limit, self.cursor) = (listing, limit, cursor)
    }
  }

  public struct MakeOffer: Endpoint {
    public typealias Response = Offer
    public static let operation = Operation.post(
      "/v1/offers", "Make an offer for a license", idempotency: .requiresKey, success: 201,
      problems: [
        .listingNotForSale, .offersNotAccepted, .licenseNotOffered, .ownListing, .offerOutOfBounds, .offerPending,
        .offerLimit, .currencyMismatch, .conversationNotFound, .conversationClosed, .conversationsUnavailable,
        .biddingSuspended, .switchedOff,
      ]
    )
    public var listingID: ListingID
    public var license: LicenseKind
    public var amount: Price
    /// The time that the seller has to respond; 48 by default.
    public var hours: OfferHours?
    public var message: Biography?
    /// An open conversation of buyer and seller, in which the offer is shown and discussed.
    public var conversationID: ConversationID?
    public init(
      listingID: ListingID, license: LicenseKind, amount: Price, hours: OfferHours? = nil, message: Biography? = nil,
      conversationID: ConversationID? = nil
    ) {
      (self.listingID, self.license, self.amount, self.hours) = (listingID, license, amount, hours)
      (self.message, self.conversationID) = (message, conversationID)
    }
  }

  public struct GetOffer: Endpoint {
    public typealias Response = Offer
    public static let operation = Operation.get("/v1/offers/{id}", "Get an offer", problems: [.offerNotFound])
    public var id: OfferID
    public init(id: OfferID) { self.id = id }
  }

  /// Replaces the offer.
  public struct CounterOffer: Endpoint {
    public typealias Response = Offer
    public static let operation = Operation.post(
      "/v1/offers/{id}/counter", "Make a counteroffer", idempotency: .requiresKey, success: 201,
      problems: [
        .offerNotFound, .notYourTurn, .offerEnded, .offerOutOfBounds, .offerLimit, .currencyMismatch, .switchedOff,
      ]
    )
    public var id: OfferID
    public var amount: Price
    public var message: Biography?
    public init(id: OfferID, amount: Price, message: Biography? = nil) {
      (self.id, self.amount, self.message) = (id, amount, message)
    }
  }

  /// Creates an order at the offered price, which the buyer must pay in time. While an auction of the listing runs, an
  /// offer for its exclusive license cannot be accepted.
  public struct AcceptOffer: Endpoint {
    public typealias Response = Offer
    public static let operation = Operation.post(
      "/v1/offers/{id}/accept", "Accept an offer", idempotency: .requiresKey,
      problems: [
        .offerNotFound, .notYourTurn, .offerEnded, .listingNotForSale, .auctionHasBids, .auctionRunning,
        .biddingSuspended,
      ]
    )
    public var id: OfferID
    public init(id: OfferID) { self.id = id }
  }

  public struct DeclineOffer: Endpoint {
    public typealias Response = Offer
    public static let operation = Operation.post(
      "/v1/offers/{id}/decline", "Decline an offer", idempotency: .idempotent,
      problems: [.offerNotFound, .notYourTurn, .offerEnded]
    )
    public var id: OfferID
    public init(id: OfferID) { self.id = id }
  }

  public struct RetractOffer: Endpoint {
    public typealias Response = Offer
    public static let operation = Operation.post(
      "/v1/offers/{id}/retract", "Retract an offer", idempotency: .idempotent,
      problems: [.offerNotFound, .notYourTurn, .offerEnded]
    )
    public var id: OfferID
    public init(id: OfferID) { self.id = id }
  }
}

extension Problem.Kind {
  public static let offerNotFound = Self(
    "offer-not-found", status: 404, "There is no such offer",
    meaning: "The offer does not exist, or the caller is neither its buyer nor its seller.",
    remedy: "Load the offers again.")
  public static let offersNotAccepted = Self(
    "offers-not-accepted", status: 409, "The listing does not accept offers",
    meaning: "The seller takes no offers for this listing.",
    remedy: "Offer buying at the price instead.")
  public static let offerOutOfBounds = Self(
    "offer-out-of-bounds", status: 422, "The price is out of bounds",
    meaning: "The price is lower or higher than offers for this listing may be.",
    remedy: "Show `errors`, and ask for another price.")
  public static let offerPending = Self(
    "offer-pending", status: 409, "An offer for this listing is pending",
    meaning: "The caller has an open offer for the listing.",
    remedy: "Show that offer.")
  public static let offerLimit = Self(
    "offer-limit", status: 409, "The limit of offers for this listing is reached",
    meaning: "The caller has made as many offers for the listing as are allowed.",
    remedy: "Offer buying at the price instead.")
  public static let offerEnded = Self(
    "offer-ended", status: 409, "The offer is no longer open",
    meaning: "The offer was accepted, declined, withdrawn, or has expired.",
    remedy: "Load the offer again.")
  public static let conversationsUnavailable = Self(
    "conversations-unavailable", status: 409, "Offers cannot be discussed in conversations on this platform",
    meaning: "The platform runs without the service of conversations.",
    remedy: "Leave the message out of the offer.")
  public static let notYourTurn = Self(
    "not-your-turn", status: 409, "It is the other party's turn",
    meaning: "The other party has to answer first.",
    remedy: "Load the offer again and wait for the answer.")
}
