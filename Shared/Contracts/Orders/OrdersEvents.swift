/// Whether a listing's exclusive right is sold and whether an auction for it is running; emitted when either changes.
public struct ListingSaleChanged: Event {
  public static let type = "app.quintet.orders.listing-sale-changed"
  public var listingID: ListingID
  public var isPurchased: Bool
  public var isOpenForBids: Bool
  public var subject: String { listingID.rawValue }
  public init(listingID: ListingID, isPurchased: Bool, isOpenForBids: Bool) {
    (self.listingID, self.isPurchased, self.isOpenForBids) = (listingID, isPurchased, isOpenForBids)
  }
}

/// A user's premium plan was started, extended or ended.
public struct EntitlementChanged: Event {
  public static let type = "app.quintet.orders.entitlement-changed"
  public var userID: UserID
  /// The plan's name, such as `premium`.
  public var plan: String
  public var isActive: Bool
  /// The end of the paid period.
  public var until: Timestamp
  public var subject: String { userID.rawValue }
  public init(userID: UserID, plan: String, isActive: Bool, until: Timestamp) {
    (self.userID, self.plan, self.isActive, self.until) = (userID, plan, isActive, until)
  }
}

/// The state of an offer that is discussed in a conversation; emitted when the offer is made and when its state changes.
/// Offers of one conversation arrive in order. An offer whose time has passed is expired without an event.
public struct OfferChanged: Event {
  public static let type = "app.quintet.orders.offer-changed"
  public var offerID: OfferID
  public var conversationID: ConversationID
  public var listingID: ListingID
  public var buyerID: UserID
  public var sellerID: UserID
  public var status: OfferStatus
  public var amount: Money
  public var madeBy: Offer.Party
  public var expiresAt: Timestamp
  public var subject: String { conversationID.rawValue }
  public init(
    offerID: OfferID, conversationID: ConversationID, listingID: ListingID, buyerID: UserID, sellerID: UserID,
    status: OfferStatus, amount: Money, madeBy: Offer.Party, expiresAt: Timestamp
  ) {
    (self.offerID, self.conversationID, self.listingID) = (offerID, conversationID, listingID)
    (self.buyerID, self.sellerID, self.status) = (buyerID, sellerID, status)
    (self.amount, self.madeBy, self.expiresAt) = (amount, madeBy, expiresAt)
  }
}
