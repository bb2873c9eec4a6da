public typealias AuctionID = ID<Auction>
public typealias BidID = ID<Bid>
public typealias AuctionStrikeID = ID<AuctionStrike>

public enum AuctionStatus: String, WireEnum {
  /// Opens later.
  case scheduled
  case open
  /// Closed with a winner, who has paid or must pay, or by a paid buy-now.
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
  public var isLeading: Bool
  public var ownMaximum: Money?
  /// Whether the caller watches the auction.
  public var isWatched: Bool
  public var opensAt: Timestamp
  public var closesAt: Timestamp
  public var originalClosesAt: Timestamp
  public var extensionCount: Int
  /// The sequence number of the last event.
  public var sequence: Int64
  /// The server's current time, for countdowns in apps.
  public var serverTime: Timestamp
  /// The winner's order; visible to the winner and the seller.
  public var orderID: OrderID?
  public init(
    id: AuctionID, listingID: ListingID, sellerID: UserID, status: AuctionStatus, startPrice: Money, price: Money?,
    minNextBid: Money, buyNow: Money?, hasReserve: Bool, reserveMet: Bool, bidCount: Int, leader: String?,
    isLeading: Bool, ownMaximum: Money?, isWatched: Bool, opensAt: Timestamp, closesAt: Timestamp,
    originalClosesAt: Timestamp, extensionCount: Int, sequence: Int64, serverTime: Timestamp, orderID: OrderID?
  ) {
    (self.id, self.listingID, self.sellerID, self.status) = (id, listingID, sellerID, status)
    (self.startPrice, self.price, self.minNextBid, self.buyNow) = (startPrice, price, minNextBid, buyNow)
    (self.hasReserve, self.reserveMet, self.bidCount, self.leader) = (hasReserve, reserveMet, bidCount, leader)
    (self.isLeading, self.ownMaximum, self.opensAt, self.closesAt) = (isLeading, ownMaximum, opensAt, closesAt)
    (self.originalClosesAt, self.extensionCount, self.sequence) = (originalClosesAt, extensionCount, sequence)
    (self.serverTime, self.orderID, self.isWatched) = (serverTime, orderID, isWatched)
  }
}

/// The bidders whose auctions are listed.
public enum AuctionBidder: String, WireEnum {
  /// The caller.
  case me
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

/// The state of an auction after a bid of the caller.
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

/// Events of an auction, in order of their sequence numbers.
public struct AuctionFeed: Codable, Sendable, Equatable {
  public var items: [AuctionEvent]
  public var serverTime: Timestamp
  public init(items: [AuctionEvent], serverTime: Timestamp) { (self.items, self.serverTime) = (items, serverTime) }
}

/// An auction that a bidder has won, or an accepted offer, that was not paid for in time.
public struct AuctionStrike: Codable, Sendable, Equatable {
  public var id: AuctionStrikeID
  public var userID: UserID
  /// The auction, of a second chance as well; `nil` for another offer.
  public var auctionID: AuctionID?
  /// The unpaid order.
  public var orderID: OrderID
  public var at: Timestamp
  /// Set when the strike no longer counts.
  public var liftedAt: Timestamp?
  public init(
    id: AuctionStrikeID, userID: UserID, auctionID: AuctionID?, orderID: OrderID, at: Timestamp, liftedAt: Timestamp?
  ) {
    (self.id, self.userID, self.auctionID) = (id, userID, auctionID)
    (self.orderID, self.at, self.liftedAt) = (orderID, at, liftedAt)
  }
}
