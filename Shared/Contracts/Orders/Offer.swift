public typealias OfferID = ID<Offer>
public enum ConversationSubject {}
public typealias ConversationID = ID<ConversationSubject>

public enum OfferStatus: String, WireEnum {
  case pending, accepted, declined, expired, retracted
  /// Replaced by a counteroffer.
  case countered
  /// The listing was sold to someone else.
  case supersededBySale
  /// The buyer did not pay in time.
  case paymentExpired
}

/// One price in a negotiation. A counteroffer is a new offer whose parent is this one.
public struct Offer: Codable, Sendable, Equatable {
  public enum Party: String, WireEnum { case buyer, seller }

  public var id: OfferID
  public var parentID: OfferID?
  public var listingID: ListingID
  public var license: LicenseKind
  public var buyerID: UserID
  public var sellerID: UserID
  public var amount: Money
  public var status: OfferStatus
  public var madeBy: Party
  /// Whether the buyer cannot make further offers for this listing.
  public var isFinalOffer: Bool
  public var message: String?
  public var conversationID: ConversationID?
  public var createdAt: Timestamp
  public var expiresAt: Timestamp
  public var orderID: OrderID?
  public init(
    id: OfferID, parentID: OfferID?, listingID: ListingID, license: LicenseKind, buyerID: UserID, sellerID: UserID,
    amount: Money, status: OfferStatus, madeBy: Party, isFinalOffer: Bool, message: String?,
    conversationID: ConversationID?, createdAt: Timestamp, expiresAt: Timestamp, orderID: OrderID?
  ) {
    (self.id, self.parentID, self.listingID, self.license, self.buyerID) = (id, parentID, listingID, license, buyerID)
    (self.sellerID, self.amount, self.status, self.madeBy) = (sellerID, amount, status, madeBy)
    (self.isFinalOffer, self.message, self.conversationID) = (isFinalOffer, message, conversationID)
    (self.createdAt, self.expiresAt, self.orderID) = (createdAt, expiresAt, orderID)
  }
}

/// Hours from 1 to 168.
public struct OfferHours: BoundedInteger {
  public static let range = 1...168
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 48) }
}
