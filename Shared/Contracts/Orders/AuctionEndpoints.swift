extension OrdersAPI {
  /// Newest first.
  public struct ListAuctions: PagedEndpoint {
    public typealias Response = Page<Auction>
    public static let operation = Operation.get("/v1/auctions", "List auctions", caching: .own)
    public var listing: ListingID?
    public var seller: UserID?
    public var status: AuctionStatus?
    /// The auctions that the caller has bid in.
    public var bidder: AuctionBidder?
    /// The auctions that the caller watches; `false` has no effect.
    public var watched: Bool?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      listing: ListingID? = nil, seller: UserID? = nil, status: AuctionStatus? = nil, bidder: AuctionBidder? = nil,
      watched: Bool? = nil, limit: PageSize? = nil, cursor: String? = nil
    ) {
      (self.listing, self.seller, self.status, self.bidder) = (listing, seller, status, bidder)
      (self.watched, self.limit, self.cursor) = (watched, limit, cursor)
    }
  }

  /// Auction the exclusive right to one of the caller's listings.
  public struct CreateAuction: Endpoint {
    public typealias Response = Auction
    public static let operation = Operation.post(
      "/v1/auctions", "Create an auction", publishes: true, idempotency: .acceptsKey, success: 201,
      problems: [.listingNotForSale, .notTheSeller, .auctionRunning, .switchedOff]
    )
    public var listingID: ListingID
    public var startPrice: Price
    /// The price below which the listing is not sold; never disclosed.
    public var reserve: Price?
    /// The price at which a buyer may end the auction before the first bid.
    public var buyNow: Price?
    /// Now by default.
    public var opensAt: Timestamp?
    public var closesAt: Timestamp
    public init(
      listingID: ListingID, startPrice: Price, reserve: Price? = nil, buyNow: Price? = nil, opensAt: Timestamp? = nil,
      closesAt: Timestamp
    ) {
      (self.listingID, self.startPrice, self.reserve, self.buyNow) = (listingID, startPrice, reserve, buyNow)
      (self.opensAt, self.closesAt) = (opensAt, closesAt)
    }
  }

  public struct GetAuction: Endpoint {
    public typealias Response = Auction
    public static let operation = Operation.get(
      "/v1/auctions/{id}", "Get an auction", problems: [.auctionNotFound], caching: .own)
    public var id: AuctionID
    public init(id: AuctionID) { self.id = id }
  }

  /// Cancel an auction that has no bids.
  public struct CancelAuction: Endpoint {
    public typealias Response = Auction
    public static let operation = Operation.post(
      "/v1/auctions/{id}/cancel", "Cancel an auction", idempotency: .idempotent,
      problems: [.auctionNotFound, .notTheSeller, .auctionHasBids, .auctionClosed]
    )
    public var id: AuctionID
    public init(id: AuctionID) { self.id = id }
  }

  /// The public view of the bids, newest first: anonymous bidders and visible prices.
  public struct ListBids: PagedEndpoint {
    public typealias Response = Page<Bid>
    public static let operation = Operation.get(
      "/v1/auctions/{id}/bids", "List bids", problems: [.auctionNotFound], caching: .own)
    public var id: AuctionID
    public var limit: PageSize?
    public var cursor: String?
    public init(id: AuctionID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.id, self.limit, self.cursor) = (id, limit, cursor)
    }
  }

  /// Place a proxy bid with a secret maximum. The auction bids only as much of it as is needed.
  public struct PlaceBid: Endpoint {
    public typealias Response = BidReceipt
    public static let operation = Operation.post(
      "/v1/auctions/{id}/bids", "Place a bid", idempotency: .requiresKey, success: 201,
      problems: [
        .auctionNotFound, .auctionNotOpen, .auctionClosed, .sellerCannotBid, .belowMinimum, .currencyMismatch,
        .maximumNotRaised, .biddingSuspended, .leadingTooMany, .listingNotForSale,
      ]
    )
    public var id: AuctionID
    public var maxAmount: Price
    public init(id: AuctionID, maxAmount: Price) { (self.id, self.maxAmount) = (id, maxAmount) }
  }

  /// Order an auctioned listing at the seller's buy-now price. The auction goes on until the order is paid, which ends it;
  /// as soon as someone has bid, the order can no longer be paid.
  public struct BuyNow: Endpoint {
    public typealias Response = Order
    public static let operation = Operation.post(
      "/v1/auctions/{id}/buy-now", "Buy an auctioned listing now", idempotency: .requiresKey, success: 201,
      problems: [
        .auctionNotFound, .auctionNotOpen, .auctionClosed, .sellerCannotBid, .buyNowNotAvailable, .listingNotForSale,
        .biddingSuspended,
      ]
    )
    public var id: AuctionID
    public init(id: AuctionID) { self.id = id }
  }

  /// The events of an auction after a sequence number, in order. Reconnecting clients use it to catch up.
  public struct ListAuctionEvents: Endpoint {
    public typealias Response = AuctionFeed
    public static let operation = Operation.get(
      "/v1/auctions/{id}/events", "List auction events", problems: [.auctionNotFound], caching: .own
    )
    public var id: AuctionID
    public var after: Int64?
    public var limit: PageSize?
    public init(id: AuctionID, after: Int64? = nil, limit: PageSize? = nil) {
      (self.id, self.after, self.limit) = (id, after, limit)
    }
  }

  /// Watchers are notified before the auction ends.
  public struct WatchAuction: Endpoint {
    public static let operation = Operation.put(
      "/v1/auctions/{id}/watch", "Watch an auction", success: 204, problems: [.auctionNotFound]
    )
    public var id: AuctionID
    public init(id: AuctionID) { self.id = id }
  }

  /// Has no effect on an auction that the caller does not watch.
  public struct UnwatchAuction: Endpoint {
    public static let operation = Operation.delete(
      "/v1/auctions/{id}/watch", "Stop watching an auction", success: 204, problems: [.auctionNotFound]
    )
    public var id: AuctionID
    public init(id: AuctionID) { self.id = id }
  }

  /// Auctions won, and offers accepted, that were not paid for, newest first.
  public struct ListAuctionStrikes: PagedEndpoint {
    public typealias Response = Page<AuctionStrike>
    public static let operation = Operation.get(
      "/v1/auction-strikes", "List the strikes of buyers",
      access: .roles([.owner, .administrator, .support])
    )
    public var user: UserID?
    public var limit: PageSize?
    public var cursor: String?
    public init(user: UserID? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.user, self.limit, self.cursor) = (user, limit, cursor)
    }
  }

  /// The strike no longer counts against its bidder, and stays listed.
  public struct LiftAuctionStrike: Endpoint {
    public static let operation = Operation.delete(
      "/v1/auction-strikes/{id}", "Lift a strike", access: .owners, success: 204, problems: [.auctionStrikeNotFound]
    )
    public var id: AuctionStrikeID
    public init(id: AuctionStrikeID) { self.id = id }
  }
}

extension Problem.Kind {
  public static let auctionNotFound = Self(
    "auction-not-found", status: 404, "There is no such auction",
    meaning: "The auction does not exist, or its listing is not visible to the caller.",
    remedy: "Remove the auction from the screen.")
  public static let auctionNotOpen = Self(
    "auction-not-open", status: 409, "The auction has not started",
    meaning: "The start of the auction is in the future.",
    remedy: "Show a countdown to the start, by the server's clock.")
  public static let auctionClosed = Self(
    "auction-closed", status: 409, "The auction is closed",
    meaning: "The auction has ended or was canceled.",
    remedy: "Load the auction again and show its result.")
  public static let auctionRunning = Self(
    "auction-running", status: 409, "The listing already has an auction",
    meaning: "A listing has at most one auction that is scheduled or open.",
    remedy: "Show the running auction.")
  public static let auctionHasBids = Self(
    "auction-has-bids", status: 409, "The auction already has bids",
    meaning: "With bids, an auction can no longer be changed or canceled.",
    remedy: "Load the auction again.")
  public static let sellerCannotBid = Self(
    "seller-cannot-bid", status: 409, "Sellers cannot bid on their own listings",
    meaning: "The caller owns the listing.",
    remedy: "Do not offer bidding to sellers.")
  public static let belowMinimum = Self(
    "below-minimum", status: 409, "The bid is below the minimum bid",
    meaning: "Another bid has raised the price, or the amount is below the first price.",
    remedy: "Load the auction again, and offer `minNextBid`.")
  public static let maximumNotRaised = Self(
    "maximum-not-raised", status: 409, "The new maximum must exceed the current maximum",
    meaning: "The caller leads, and the new maximum does not exceed the caller's own.",
    remedy: "Ask for a higher maximum.")
  public static let buyNowNotAvailable = Self(
    "buy-now-not-available", status: 409, "Buy now is no longer available",
    meaning: "Buying at once is possible until the first bid, and only where the auction names a price for it.",
    remedy: "Load the auction again, and offer bidding.")
  public static let notTheSeller = Self(
    "not-the-seller", status: 403, "Only the listing's owner may do this",
    meaning: "The operation is for the owner of the listing.",
    remedy: "Do not offer it to others.")
  public static let biddingSuspended = Self(
    "bidding-suspended", status: 403, "The caller has not paid for too many auctions and offers",
    meaning: "The caller has not paid for too many won auctions or accepted offers.",
    remedy: "Show the strikes and until when they count. Support can lift them.")
  public static let leadingTooMany = Self(
    "leading-too-many", status: 409, "The caller leads too many running auctions",
    meaning: "The caller would have to pay for too many auctions at once.",
    remedy: "Wait until one of the auctions has ended, or is led by another bidder.")
  public static let auctionStrikeNotFound = Self(
    "auction-strike-not-found", status: 404, "There is no such strike",
    meaning: "There is no strike with this id, or it was lifted.",
    remedy: "Load the strikes again.")
}
