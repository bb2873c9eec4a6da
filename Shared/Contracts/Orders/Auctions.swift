extension OrdersAPI {
  /// Auctions, newest first, optionally filtered by listing, seller and status.
  public struct ListAuctions: PagedEndpoint {
    public typealias Response = Page<Auction>
    public static let operation = Operation.get("/v1/auctions", "List auctions")
    public var listing: ListingID?
    public var seller: UserID?
    public var status: AuctionStatus?
    public var limit: PageSize?
    public var cursor: String?

    public init(
      listing: ListingID? = nil, seller: UserID? = nil, status: AuctionStatus? = nil, limit: PageSize? = nil,
      cursor: String? = nil
    ) {
      (self.listing, self.seller, self.status, self.limit, self.cursor) = (listing, seller, status, limit, cursor)
    }
  }

  /// Auction the exclusive right to one of the caller's listings.
  public struct CreateAuction: Endpoint {
    public typealias Response = Auction
    public static let operation = Operation.post(
      "/v1/auctions", "Create an auction", idempotency: .acceptsKey, success: 201,
      problems: [.listingNotForSale, .notTheSeller, .auctionRunning]
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
    public static let operation = Operation.get("/v1/auctions/{id}", "Get an auction", problems: [.auctionNotFound])
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
    public static let operation = Operation.get("/v1/auctions/{id}/bids", "List bids", problems: [.auctionNotFound])
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
        .maximumNotRaised,
      ]
    )

    public var id: AuctionID
    public var maxAmount: Price

    public init(id: AuctionID, maxAmount: Price) { (self.id, self.maxAmount) = (id, maxAmount) }
  }

  /// End an auction without bids by buying at the seller's buy-now price.
  public struct BuyNow: Endpoint {
    public typealias Response = Order
    public static let operation = Operation.post(
      "/v1/auctions/{id}/buy-now", "Buy an auctioned listing now", idempotency: .requiresKey, success: 201,
      problems: [
        .auctionNotFound, .auctionNotOpen, .auctionClosed, .sellerCannotBid, .buyNowNotAvailable, .listingNotForSale,
      ]
    )
    public var id: AuctionID
    public init(id: AuctionID) { self.id = id }
  }

  /// The events of an auction after a sequence number, in order. Reconnecting clients use it to catch up.
  public struct ListAuctionEvents: Endpoint {
    public typealias Response = AuctionFeed
    public static let operation = Operation.get(
      "/v1/auctions/{id}/events", "List auction events", problems: [.auctionNotFound]
    )
    public var id: AuctionID
    public var after: Int64?
    public var limit: PageSize?

    public init(id: AuctionID, after: Int64? = nil, limit: PageSize? = nil) {
      (self.id, self.after, self.limit) = (id, after, limit)
    }
  }
}

public typealias AuctionID = ID<Auction>
public typealias BidID = ID<Bid>

public enum AuctionStatus: String, WireEnum {
  /// Opens later.
  case scheduled
  case open
  /// Closed with a winner, who has paid or must pay.
  case sold
  case reserveNotMet, noBids, canceled
  /// The winner did not pay, and no second-chance offer was accepted.
  case unpaid
}

/// The public view of an auction. It contains neither the reserve nor other bidders' maximums.
public struct Auction: Codable, Sendable, Equatable {
  public var id: AuctionID
  public var listingID: ListingID
  public var sellerID: UserID
  public var status: AuctionStatus
  public var startPrice: Money
  /// The leading bid's visible price; absent before the first.
  public var price: Money?
  /// The minimum for the next bid's maximum.
  public var minNextBid: Money
  /// Absent after the first bid.
  public var buyNow: Money?
  public var hasReserve: Bool
  public var reserveMet: Bool
  public var bidCount: Int
  /// The anonymous name of the leading bidder.
  public var leader: String?
  /// Whether the caller is the leading bidder.
  public var isLeading: Bool
  /// The caller's maximum bid.
  public var ownMaximum: Money?
  public var opensAt: Timestamp
  public var closesAt: Timestamp
  public var originalClosesAt: Timestamp
  public var extensionCount: Int
  /// The sequence number of the auction's last event.
  public var sequence: Int64
  /// The server's current time, for countdowns in apps.
  public var serverTime: Timestamp
  /// The winner's order; visible to the winner and the seller.
  public var orderID: OrderID?

  public init(
    id: AuctionID, listingID: ListingID, sellerID: UserID, status: AuctionStatus, startPrice: Money, price: Money?,
    minNextBid: Money, buyNow: Money?, hasReserve: Bool, reserveMet: Bool, bidCount: Int, leader: String?,
    isLeading: Bool, ownMaximum: Money?, opensAt: Timestamp, closesAt: Timestamp, originalClosesAt: Timestamp,
    extensionCount: Int, sequence: Int64, serverTime: Timestamp, orderID: OrderID?
  ) {
    (self.id, self.listingID, self.sellerID, self.status) = (id, listingID, sellerID, status)
    (self.startPrice, self.price, self.minNextBid, self.buyNow) = (startPrice, price, minNextBid, buyNow)
    (self.hasReserve, self.reserveMet, self.bidCount, self.leader) = (hasReserve, reserveMet, bidCount, leader)
    (self.isLeading, self.ownMaximum, self.opensAt, self.closesAt) = (isLeading, ownMaximum, opensAt, closesAt)
    (self.originalClosesAt, self.extensionCount, self.sequence) = (originalClosesAt, extensionCount, sequence)
    (self.serverTime, self.orderID) = (serverTime, orderID)
  }
}

/// The public view of a bid.
public struct Bid: Codable, Sendable, Equatable {
  public var id: BidID
  /// The bidder's anonymous name, the same throughout the auction.
  public var bidder: String
  /// The auction's visible price after the bid.
  public var price: Money
  public var at: Timestamp

  public init(id: BidID, bidder: String, price: Money, at: Timestamp) {
    (self.id, self.bidder, self.price, self.at) = (id, bidder, price, at)
  }
}

/// The result of a bid.
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
    id: BidID, isLeading: Bool, price: Money, minNextBid: Money, reserveMet: Bool, closesAt: Timestamp, sequence: Int64,
    serverTime: Timestamp
  ) {
    (self.id, self.isLeading, self.price, self.minNextBid) = (id, isLeading, price, minNextBid)
    (self.reserveMet, self.closesAt, self.sequence, self.serverTime) = (reserveMet, closesAt, sequence, serverTime)
  }
}

/// An event in an auction, with the resulting state of the auction.
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
    sequence: Int64, kind: Kind, at: Timestamp, price: Money?, minNextBid: Money, bidCount: Int, leader: String?,
    reserveMet: Bool, closesAt: Timestamp
  ) {
    (self.sequence, self.kind, self.at, self.price, self.minNextBid) = (sequence, kind, at, price, minNextBid)
    (self.bidCount, self.leader, self.reserveMet, self.closesAt) = (bidCount, leader, reserveMet, closesAt)
  }
}

public struct AuctionFeed: Codable, Sendable, Equatable {
  public var items: [AuctionEvent]
  public var serverTime: Timestamp

  public init(items: [AuctionEvent], serverTime: Timestamp) { (self.items, self.serverTime) = (items, serverTime) }
}

extension Problem.Kind {
  public static let auctionNotFound = Self("auction-not-found", status: 404, "There is no such auction")
  public static let auctionNotOpen = Self("auction-not-open", status: 409, "The auction has not started")
  public static let auctionClosed = Self("auction-closed", status: 409, "The auction is closed")
  public static let auctionRunning = Self("auction-running", status: 409, "The listing already has an auction")
  public static let auctionHasBids = Self("auction-has-bids", status: 409, "The auction already has bids")
  public static let sellerCannotBid = Self("seller-cannot-bid", status: 409, "Sellers cannot bid on their own listings")
  public static let belowMinimum = Self("below-minimum", status: 409, "The bid is below the minimum bid")
  public static let maximumNotRaised = Self(
    "maximum-not-raised", status: 409, "The new maximum must exceed the current maximum"
  )
  public static let buyNowNotAvailable = Self("buy-now-not-available", status: 409, "Buy now is no longer available")
  public static let notTheSeller = Self("not-the-seller", status: 403, "Only the listing's owner may do this")
}
