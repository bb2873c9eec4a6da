import Contracts
import Persistence

/// Auctions as shown to one viewer: without the reserve, names, and maximums other than the viewer's own.
enum AuctionView {
  static func of(_ auctions: [StoredAuction], for viewer: UserID, at now: Timestamp, in db: any Connection) throws
    -> [Auction]
  {
    let bidders = try db.all(
      """
      SELECT auction_id, bidder_id, name, maximum FROM auction_bidders
      WHERE auction_id IN \(list: auctions.map(\.id))
        AND (bidder_id = \(viewer) OR bidder_id IN \(list: auctions.compactMap { $0.lot.leader?.bidder }))
      """
    ) { row -> (auction: AuctionID, bidder: UserID, name: String, maximum: Int64) in
      (try row["auction_id"], try row["bidder_id"], try row["name"], try row["maximum"])
    }
    return auctions.map { auction in
      let lot = auction.lot
      let known = bidders.filter { $0.auction == auction.id }
      let leader = known.first { $0.bidder == lot.leader?.bidder }?.name
      let own = known.first { $0.bidder == viewer }?.maximum
      let isParty = viewer == lot.seller || viewer == lot.leader?.bidder
      return Auction(
        id: auction.id,
        listingID: auction.listingID,
        sellerID: lot.seller,
        status: lot.status(at: now),
        startPrice: auction.money(lot.startPrice),
        price: lot.price.map { auction.money($0) },
        minNextBid: auction.money(lot.minNextBid),
        buyNow: lot.leader == nil ? lot.buyNow.map { auction.money($0) } : nil,
        hasReserve: lot.reserve != nil,
        reserveMet: lot.reserveMet,
        bidCount: lot.bidCount,
        leader: leader,
        isLeading: lot.leader?.bidder == viewer,
        ownMaximum: own.map { auction.money($0) },
        opensAt: lot.opensAt,
        closesAt: lot.closesAt,
        originalClosesAt: lot.originalClosesAt,
        extensionCount: lot.extensionCount,
        sequence: lot.sequence,
        serverTime: now,
        orderID: isParty ? auction.orderID : nil
      )
    }
  }
}
