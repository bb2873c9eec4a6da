import Contracts
import Persistence

/// Reports auctions to those who follow, bid in and watch them. However many that are, each cause records a constant
/// number of events.
enum AuctionNotices {
  /// Sends an auction's latest event to the streams that follow it. The end is also sent to the seller and the leader,
  /// whatever they follow.
  static func changed(_ auction: StoredAuction, _ event: AuctionEvent?, in tx: Transaction) throws {
    guard let event else { return }
    let content: JSONValue = [
      "auction": .string(auction.id.rawValue), "event": try JSONValue(event),
      "serverTime": .string(tx.now.description),
    ]
    let state = auction.state
    let hasEnded = ![.scheduled, .open].contains(state.status)
    let parties = hasEnded ? [state.seller] + (state.leader.map { [$0.bidder] } ?? []) : []
    try tx.record(TopicEvent(auction.id.topic, "auction.changed", content, alsoTo: parties))
  }

  /// Notifies bidders who no longer lead, once each.
  static func outbid(_ bidders: Set<UserID>, _ auction: StoredAuction, in tx: Transaction) throws {
    let content: JSONValue = [
      "auction": .string(auction.id.rawValue), "sequence": .integer(auction.state.sequence),
      "minNextBid": try JSONValue(auction.money(auction.state.minNextBid)),
    ]
    for users in bidders.sorted(by: { $0.rawValue < $1.rawValue }).chunks {
      try tx.record(TopicEvent(auction.id.personalTopic, "auction.outbid", content, alsoTo: users))
      try tx.record(
        GroupPushRequested(
          to: users, about: auction.id.topic, title: "You have been outbid",
          text: "Someone has bid more than you. Open the app to bid again.", kind: .auctions))
    }
  }

  /// Notifies bidders and watchers that an auction ends soon.
  static func endingSoon(_ auction: StoredAuction, in tx: Transaction) throws {
    let content: JSONValue = [
      "auction": .string(auction.id.rawValue), "closesAt": .string(auction.state.closesAt.description),
      "serverTime": .string(tx.now.description),
    ]
    let chunks = try BidderStore.followers(of: auction.id, in: tx).chunks
    // The first event also reaches the streams that follow the auction, which receive it once.
    try tx.record(TopicEvent(auction.id.topic, "auction.endingSoon", content, alsoTo: chunks.first ?? []))
    for users in chunks.dropFirst() {
      try tx.record(TopicEvent(auction.id.personalTopic, "auction.endingSoon", content, alsoTo: users))
    }
    for users in chunks {
      try tx.record(
        GroupPushRequested(
          to: users, about: auction.id.topic, title: "An auction ends soon",
          text: "An auction that you follow ends in a few minutes.", kind: .auctionEnding))
    }
  }
}

extension AuctionID {
  /// The topic of an auction.
  var topic: Topic { Topic("auction", rawValue) }

  /// A topic that no one may follow: its events reach only the users whom they name.
  fileprivate var personalTopic: Topic { Topic("auction", rawValue, "personal") }
}

extension [UserID] {
  /// Parts that fit into an event.
  fileprivate var chunks: [[UserID]] {
    stride(from: 0, to: count, by: GroupPushRequested.maxUsers).map { start in
      Array(self[start..<Swift.min(start + GroupPushRequested.maxUsers, count)])
    }
  }
}
