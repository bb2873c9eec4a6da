extension OrdersAPI {
  /// Offers made or got, the newest first.
  public struct ListOffers: Endpoint {
    public typealias Response = Page<Offer>
    public static let operation = Operation(.get, "/v1/offers", "Offers made or got, the newest first", access: .user)
    public var listing: ListingID?
    public var limit: PageSize?
    public var cursor: String?

    public init(listing: ListingID? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      self.listing = listing
      self.limit = limit
      self.cursor = cursor
    }
  }

  /// Offer a price for a licence. The seller has 48 hours unless the offer says otherwise.
  public struct MakeOffer: Endpoint {
    public typealias Response = Offer
    public static let operation = Operation(
      .post,
      "/v1/offers",
      "Offer a price for a licence",
      access: .user,
      idempotency: .keyed(required: true),
      success: 201,
      problems: [
        .listingNotForSale, .offersNotAccepted, .licenceNotOffered, .ownListing, .offerOutOfBounds, .offerPending,
        .offerLimit, .currencyMismatch,
      ]
    )

    public struct Body: Codable, Sendable {
      public var listingID: ListingID
      public var licence: LicenceKind
      public var amount: Price
      /// Hours that the seller has to answer: 1 to 168, 48 unless said.
      public var hours: OfferHours?
      public var message: Biography?
      /// The conversation in which it is talked about.
      public var conversationID: ConversationID?

      public init(
        listingID: ListingID,
        licence: LicenceKind,
        amount: Price,
        hours: OfferHours? = nil,
        message: Biography? = nil,
        conversationID: ConversationID? = nil
      ) {
        self.listingID = listingID
        self.licence = licence
        self.amount = amount
        self.hours = hours
        self.message = message
        self.conversationID = conversationID
      }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  public struct GetOffer: Endpoint {
    public typealias Response = Offer
    public static let operation = Operation(
      .get,
      "/v1/offers/{id}",
      "One offer",
      access: .user,
      problems: [.offerNotFound]
    )
    public var id: OfferID
    public init(id: OfferID) { self.id = id }
  }

  /// Answer an offer with another price; it takes the offer's place.
  public struct CounterOffer: Endpoint {
    public typealias Response = Offer
    public static let operation = Operation(
      .post,
      "/v1/offers/{id}/counter",
      "Answer an offer with another price",
      access: .user,
      idempotency: .keyed(required: true),
      success: 201,
      problems: [.offerNotFound, .notYourTurn, .offerEnded, .offerOutOfBounds, .offerLimit, .currencyMismatch]
    )

    public struct Body: Codable, Sendable {
      public var amount: Price
      public var message: Biography?

      public init(amount: Price, message: Biography? = nil) {
        self.amount = amount
        self.message = message
      }
    }

    public var id: OfferID
    public var body: Body

    public init(id: OfferID, body: Body) {
      self.id = id
      self.body = body
    }
  }

  /// Accept an offer: an order at its price is made for the buyer, who has to pay it in time.
  public struct AcceptOffer: Endpoint {
    public typealias Response = Offer
    public static let operation = Operation(
      .post,
      "/v1/offers/{id}/accept",
      "Accept an offer",
      access: .user,
      idempotency: .keyed(required: true),
      problems: [.offerNotFound, .notYourTurn, .offerEnded, .listingNotForSale, .auctionHasBids]
    )
    public var id: OfferID
    public init(id: OfferID) { self.id = id }
  }

  public struct DeclineOffer: Endpoint {
    public typealias Response = Offer
    public static let operation = Operation(
      .post,
      "/v1/offers/{id}/decline",
      "Decline an offer",
      access: .user,
      idempotency: .idempotent,
      problems: [.offerNotFound, .notYourTurn, .offerEnded]
    )
    public var id: OfferID
    public init(id: OfferID) { self.id = id }
  }

  /// Take an own offer back before it is answered.
  public struct RetractOffer: Endpoint {
    public typealias Response = Offer
    public static let operation = Operation(
      .post,
      "/v1/offers/{id}/retract",
      "Take an own offer back",
      access: .user,
      idempotency: .idempotent,
      problems: [.offerNotFound, .notYourTurn, .offerEnded]
    )
    public var id: OfferID
    public init(id: OfferID) { self.id = id }
  }
}

public enum OfferSubject {}
public typealias OfferID = ID<OfferSubject>
public enum ConversationSubject {}
public typealias ConversationID = ID<ConversationSubject>

public enum OfferStatus: String, WireEnum {
  case pending, accepted, declined, expired, retracted
  /// Another price took its place.
  case countered
  /// The listing was sold to somebody else.
  case supersededBySale
  /// The buyer did not pay in time.
  case paymentExpired
}

/// One price in a negotiation. An answer with another price is a new offer with this one as its parent.
public struct Offer: Codable, Sendable, Equatable {
  public enum Party: String, WireEnum { case buyer, seller }

  public var id: OfferID
  public var parentID: OfferID?
  public var listingID: ListingID
  public var licence: LicenceKind
  public var buyerID: UserID
  public var sellerID: UserID
  public var amount: Money
  public var status: OfferStatus
  public var madeBy: Party
  /// Whether the buyer has no further offer for this listing.
  public var isFinalOffer: Bool
  public var message: String?
  public var conversationID: ConversationID?
  public var createdAt: Timestamp
  public var expiresAt: Timestamp
  public var orderID: OrderID?

  public init(
    id: OfferID,
    parentID: OfferID?,
    listingID: ListingID,
    licence: LicenceKind,
    buyerID: UserID,
    sellerID: UserID,
    amount: Money,
    status: OfferStatus,
    madeBy: Party,
    isFinalOffer: Bool,
    message: String?,
    conversationID: ConversationID?,
    createdAt: Timestamp,
    expiresAt: Timestamp,
    orderID: OrderID?
  ) {
    self.id = id
    self.parentID = parentID
    self.listingID = listingID
    self.licence = licence
    self.buyerID = buyerID
    self.sellerID = sellerID
    self.amount = amount
    self.status = status
    self.madeBy = madeBy
    self.isFinalOffer = isFinalOffer
    self.message = message
    self.conversationID = conversationID
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.orderID = orderID
  }
}

/// Hours from 1 to 168.
public struct OfferHours: BoundedInteger {
  public static let range = 1...168
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 48) }
}

extension Problem.Kind {
  public static let offerNotFound = Self("offer-not-found", status: 404, "There is no such offer")
  public static let offersNotAccepted = Self("offers-not-accepted", status: 409, "The owner takes no offers")
  public static let offerOutOfBounds = Self("offer-out-of-bounds", status: 422, "The price is not between the bounds")
  public static let offerPending = Self("offer-pending", status: 409, "An offer for this listing waits for an answer")
  public static let offerLimit = Self("offer-limit", status: 409, "There are no further offers for this listing")
  public static let offerEnded = Self("offer-ended", status: 409, "The offer is no longer open")
  public static let notYourTurn = Self("not-your-turn", status: 409, "The other side has to answer")
}
