/// A listing is no longer offered; its auctions and offers end, and it is removed from carts.
public struct ListingRemoved: Event {
  public static let type = "app.quintet.catalog.listing-removed"
  public var listingID: ListingID
  public var subject: String { listingID.rawValue }
  public init(listingID: ListingID) { self.listingID = listingID }
}
