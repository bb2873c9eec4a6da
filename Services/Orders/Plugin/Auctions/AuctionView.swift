import Contracts
import Persistence

/// Auctions as shown to one viewer: without the reserve, names, and maximums other than the viewer's own.
enum AuctionView {
  static func of(_ auctions: [StoredAuction], for viewer: UserID, at now: Timestamp, in db: any Connection) throws
    -> [Auction]
  {
    let ids = auctions.map(\.id)
    let bidders = try BidderStore.list(in: ids, for: viewer, db)
    let watched = try WatchStore.watched(ids, by: viewer, in: db)
    return auctions.map { auction in
      let state = auction.state
      let known = bidders.filter { $0.auction == auction.id }
      let leader = known.first { $0.user == state.leader?.bidder }?.name
      let own = known.first { $0.user == viewer }?.maximum
      let isParty = viewer == state.seller || viewer == state.leader?.bidder
      return Auction(
        id: auction.id,
        listingID: auction.listingID,
        sellerID: state.seller,
        status: state.status(at: now),
        startPrice: auction.money(state.startPrice),
        price: state.price.map { auction.money($0) },
        minNextBid: auction.money(state.minNextBid),
        buyNow: state.price == nil ? state.buyNow.map { auction.money($0) } : nil,
        hasReserve: state.reserve != nil,
        reserveMet: state.reserveMet,
        bidCount: state.bidCount,
        leader: leader,
        isLeading: state.leader?.bidder == viewer,
        ownMaximum: own.map { auction.money($0) },
        isWatched: watched.contains(auction.id),
        opensAt: state.opensAt,
        closesAt: state.closesAt,
        originalClosesAt: state.originalClosesAt,
        extensionCount: state.extensionCount,
        sequence: state.sequence,
        serverTime: now,
        orderID: isParty ? auction.orderID : nil
      )
    }
  }
}
