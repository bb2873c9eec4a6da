extension OrdersAPI {
  /// Auctions that are open or will be, the newest first; of one listing, one seller, or those one bids in.
  public struct ListAuctions: Endpoint {
    public typealias Response = Page<Auction>
    public static let operation = Operation(.get, "/v1/auctions", "Auctions, the newest first", access: .user)
    public var listing: ListingID?
    public var seller: UserID?
    public var status: AuctionStatus?
    public var limit: PageSize?
    public var cursor: String?

    public init(
      listing: ListingID? = nil,
      seller: UserID? = nil,
      status: AuctionStatus? = nil,
      limit: PageSize? = nil,
      cursor: String? = nil
    ) {
      self.listing = listing
      self.seller = seller
      self.status = status
      self.limit = limit
      self.cursor = cursor
    }
  }

  /// Put the exclusive right of an own listing up for auction.
  public struct CreateAuction: Endpoint {
    public typealias Response = Auction
    public static let operation = Operation(
      .post,
      "/v1/auctions",
      "Put an own listing up for auction",
      access: .user,
      idempotency: .keyed(required: false),
      success: 201,
      problems: [.listingNotForSale, .notTheSeller, .auctionRunning]
    )

    public struct Body: Codable, Sendable {
      public var listingID: ListingID
      public var startPrice: Price
      /// Below it nothing is sold; never told.
      public var reserve: Price?
      /// At which anyone may end the auction before the first bid.
      public var buyNow: Price?
      /// Now unless said.
      public var opensAt: Timestamp?
      public var closesAt: Timestamp

      public init(
        listingID: ListingID,
        startPrice: Price,
        reserve: Price? = nil,
        buyNow: Price? = nil,
        opensAt: Timestamp? = nil,
        closesAt: Timestamp
      ) {
        self.listingID = listingID
        self.startPrice = startPrice
        self.reserve = reserve
        self.buyNow = buyNow
        self.opensAt = opensAt
        self.closesAt = closesAt
      }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  public struct GetAuction: Endpoint {
    public typealias Response = Auction
    public static let operation = Operation(
      .get,
      "/v1/auctions/{id}",
      "One auction",
      access: .user,
      problems: [.auctionNotFound]
    )
    public var id: AuctionID
    public init(id: AuctionID) { self.id = id }
  }

  /// Take an auction back, as long as nobody has bid.
  public struct CancelAuction: Endpoint {
    public typealias Response = Auction
    public static let operation = Operation(
      .post,
      "/v1/auctions/{id}/cancel",
      "Take an auction back, as long as nobody has bid",
      access: .user,
      idempotency: .idempotent,
      problems: [.auctionNotFound, .notTheSeller, .auctionHasBids, .auctionClosed]
    )
    public var id: AuctionID
    public init(id: AuctionID) { self.id = id }
  }

  /// The bids as everybody may see them: by bidders without names, at visible prices.
  public struct ListBids: Endpoint {
    public typealias Response = Page<Bid>
    public static let operation = Operation(
      .get,
      "/v1/auctions/{id}/bids",
      "The bids, the newest first",
      access: .user,
      problems: [.auctionNotFound]
    )
    public var id: AuctionID
    public var limit: PageSize?
    public var cursor: String?

    public init(id: AuctionID, limit: PageSize? = nil, cursor: String? = nil) {
      self.id = id
      self.limit = limit
      self.cursor = cursor
    }
  }

  /// Bid up to a maximum that nobody is told. The auction bids as much of it as is needed.
  public struct PlaceBid: Endpoint {
    public typealias Response = BidReceipt
    public static let operation = Operation(
      .post,
      "/v1/auctions/{id}/bids",
      "Bid up to a maximum that nobody is told",
      access: .user,
      idempotency: .keyed(required: true),
      success: 201,
      problems: [
        .auctionNotFound, .auctionNotOpen, .auctionClosed, .sellerCannotBid, .belowMinimum, .currencyMismatch,
        .maximumNotRaised,
      ]
    )

    public struct Body: Codable, Sendable {
      public var maxAmount: Price
      public init(maxAmount: Price) { self.maxAmount = maxAmount }
    }

    public var id: AuctionID
    public var body: Body

    public init(id: AuctionID, body: Body) {
      self.id = id
      self.body = body
    }
  }

  /// End the auction by paying the seller's price, as long as nobody has bid.
  public struct BuyNow: Endpoint {
    public typealias Response = Order
    public static let operation = Operation(
      .post,
      "/v1/auctions/{id}/buy-now",
      "End the auction at the seller's price",
      access: .user,
      idempotency: .keyed(required: true),
      success: 201,
      problems: [
        .auctionNotFound, .auctionNotOpen, .auctionClosed, .sellerCannotBid, .buyNowNotAvailable, .listingNotForSale,
      ]
    )
    public var id: AuctionID
    public init(id: AuctionID) { self.id = id }
  }

  /// What happened in an auction after a sequence number, in order: with it nobody who was away misses anything.
  public struct ListAuctionEvents: Endpoint {
    public typealias Response = AuctionFeed
    public static let operation = Operation(
      .get,
      "/v1/auctions/{id}/events",
      "What happened in an auction after a sequence number",
      access: .user,
      problems: [.auctionNotFound]
    )
    public var id: AuctionID
    public var after: Int64?
    public var limit: PageSize?

    public init(id: AuctionID, after: Int64? = nil, limit: PageSize? = nil) {
      self.id = id
      self.after = after
      self.limit = limit
    }
  }
}

public enum AuctionSubject {}
public typealias AuctionID = ID<AuctionSubject>
public enum BidSubject {}
public typealias BidID = ID<BidSubject>

public enum AuctionStatus: String, WireEnum {
  /// Begins later.
  case scheduled
  case open
  /// Over, with a winner who has to pay, or paid.
  case sold
  case reserveNotMet, noBids, canceled
  /// The winner did not pay, and nobody took the second chance.
  case unpaid
}

/// An auction as everybody sees it. Neither a maximum nor the reserve is in it.
public struct Auction: Codable, Sendable, Equatable {
  public var id: AuctionID
  public var listingID: ListingID
  public var sellerID: UserID
  public var status: AuctionStatus
  public var startPrice: Money
  /// The leading bid's visible price; absent before the first.
  public var price: Money?
  /// The least that the next bid's maximum has to be.
  public var minNextBid: Money
  /// Absent once somebody has bid.
  public var buyNow: Money?
  public var hasReserve: Bool
  public var reserveMet: Bool
  public var bidCount: Int
  /// Who leads, without a name.
  public var leader: String?
  /// Whether it is the caller who leads.
  public var isLeading: Bool
  /// The caller's own maximum.
  public var ownMaximum: Money?
  public var opensAt: Timestamp
  public var closesAt: Timestamp
  public var originalClosesAt: Timestamp
  public var extensionCount: Int
  /// Counts the auction's events.
  public var sequence: Int64
  /// The server's clock, by which apps count down.
  public var serverTime: Timestamp
  /// The winner's order; told to the winner and the seller.
  public var orderID: OrderID?

  public init(
    id: AuctionID,
    listingID: ListingID,
    sellerID: UserID,
    status: AuctionStatus,
    startPrice: Money,
    price: Money?,
    minNextBid: Money,
    buyNow: Money?,
    hasReserve: Bool,
    reserveMet: Bool,
    bidCount: Int,
    leader: String?,
    isLeading: Bool,
    ownMaximum: Money?,
    opensAt: Timestamp,
    closesAt: Timestamp,
    originalClosesAt: Timestamp,
    extensionCount: Int,
    sequence: Int64,
    serverTime: Timestamp,
    orderID: OrderID?
  ) {
    self.id = id
    self.listingID = listingID
    self.sellerID = sellerID
    self.status = status
    self.startPrice = startPrice
    self.price = price
    self.minNextBid = minNextBid
    self.buyNow = buyNow
    self.hasReserve = hasReserve
    self.reserveMet = reserveMet
    self.bidCount = bidCount
    self.leader = leader
    self.isLeading = isLeading
    self.ownMaximum = ownMaximum
    self.opensAt = opensAt
    self.closesAt = closesAt
    self.originalClosesAt = originalClosesAt
    self.extensionCount = extensionCount
    self.sequence = sequence
    self.serverTime = serverTime
    self.orderID = orderID
  }
}

/// A bid as everybody sees it.
public struct Bid: Codable, Sendable, Equatable {
  public var id: BidID
  /// The bidder without a name, the same throughout the auction.
  public var bidder: String
  /// The auction's visible price after the bid.
  public var price: Money
  public var at: Timestamp

  public init(id: BidID, bidder: String, price: Money, at: Timestamp) {
    self.id = id
    self.bidder = bidder
    self.price = price
    self.at = at
  }
}

/// What became of a bid.
public struct BidReceipt: Codable, Sendable, Equatable {
  public var id: BidID
  public var isLeading: Bool
  public var price: Money
  public var minNextBid: Money
  public var reserveMet: Bool
  public var closesAt: Timestamp
  public var sequence: Int64
  public var serverTime: Timestamp

  public init(
    id: BidID,
    isLeading: Bool,
    price: Money,
    minNextBid: Money,
    reserveMet: Bool,
    closesAt: Timestamp,
    sequence: Int64,
    serverTime: Timestamp
  ) {
    self.id = id
    self.isLeading = isLeading
    self.price = price
    self.minNextBid = minNextBid
    self.reserveMet = reserveMet
    self.closesAt = closesAt
    self.sequence = sequence
    self.serverTime = serverTime
  }
}

/// One thing that happened in an auction, with how it stood afterwards.
public struct AuctionEvent: Codable, Sendable, Equatable {
  public enum Kind: String, WireEnum {
    case bidPlaced, extended, sold, reserveNotMet, noBids, canceled, unpaid
  }

  public var sequence: Int64
  public var kind: Kind
  public var at: Timestamp
  public var price: Money?
  public var minNextBid: Money
  public var bidCount: Int
  public var leader: String?
  public var reserveMet: Bool
  public var closesAt: Timestamp

  public init(
    sequence: Int64,
    kind: Kind,
    at: Timestamp,
    price: Money?,
    minNextBid: Money,
    bidCount: Int,
    leader: String?,
    reserveMet: Bool,
    closesAt: Timestamp
  ) {
    self.sequence = sequence
    self.kind = kind
    self.at = at
    self.price = price
    self.minNextBid = minNextBid
    self.bidCount = bidCount
    self.leader = leader
    self.reserveMet = reserveMet
    self.closesAt = closesAt
  }
}

public struct AuctionFeed: Codable, Sendable, Equatable {
  public var items: [AuctionEvent]
  public var serverTime: Timestamp

  public init(items: [AuctionEvent], serverTime: Timestamp) {
    self.items = items
    self.serverTime = serverTime
  }
}

extension Problem.Kind {
  public static let auctionNotFound = Self("auction-not-found", status: 404, "There is no such auction")
  public static let auctionNotOpen = Self("auction-not-open", status: 409, "The auction has not begun")
  public static let auctionClosed = Self("auction-closed", status: 409, "The auction is over")
  public static let auctionRunning = Self("auction-running", status: 409, "The listing is being auctioned already")
  public static let auctionHasBids = Self("auction-has-bids", status: 409, "Somebody has bid already")
  public static let sellerCannotBid = Self(
    "seller-cannot-bid",
    status: 409,
    "Sellers do not bid for their own listings"
  )
  public static let belowMinimum = Self("below-minimum", status: 409, "The bid is below the least that counts")
  public static let maximumNotRaised = Self(
    "maximum-not-raised",
    status: 409,
    "The leader's new maximum is not above the one before"
  )
  public static let buyNowNotAvailable = Self(
    "buy-now-not-available",
    status: 409,
    "The auction cannot be ended at a price any more"
  )
  public static let notTheSeller = Self("not-the-seller", status: 403, "Only the listing's owner may do this")
}
