/// Whether a listing's exclusive right is sold and whether an auction for it is running; emitted when either changes.
/// An event with a lower version than one that has been applied is ignored.
public struct ListingSaleChanged: Event {
  public static let type = "app.quintet.orders.listing-sale-changed"
  public var listingID: ListingID
  public var isPurchased: Bool
  public var isOpenForBids: Bool
  /// Increases with every change of the listing; absent in events from before there were versions.
  public var version: Int64?
  public var subject: String { listingID.rawValue }
  public init(listingID: ListingID, isPurchased: Bool, isOpenForBids: Bool, version: Int64? = nil) {
    (self.listingID, self.isPurchased, self.isOpenForBids) = (listingID, isPurchased, isOpenForBids)
    self.version = version
  }
}

/// A user's plan was started, extended, changed or ended. Of several plans, each is reported by itself.
public struct EntitlementChanged: Event {
  public static let type = "app.quintet.orders.entitlement-changed"
  public var userID: UserID
  /// The subscription, or the group plan of which the user is a member.
  public var subscriptionID: SubscriptionID
  /// The plan's name, such as `premium`.
  public var plan: String
  /// The features that the plan unlocks.
  public var features: [FeatureName]
  public var isActive: Bool
  /// The end of the paid period.
  public var until: Timestamp
  /// When the features are locked unless another event says otherwise; later than `until` while a renewal is awaited.
  public var accessUntil: Timestamp?
  public var subject: String { userID.rawValue }
  public init(
    userID: UserID, subscriptionID: SubscriptionID, plan: String, features: [FeatureName], isActive: Bool,
    until: Timestamp, accessUntil: Timestamp? = nil
  ) {
    (self.userID, self.subscriptionID, self.plan) = (userID, subscriptionID, plan)
    (self.features, self.isActive, self.until, self.accessUntil) = (features, isActive, until, accessUntil)
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
