extension CatalogAPI {
  /// Corrects a listing for its owner, who is notified of what was changed and why.
  public struct AdminUpdateListing: Endpoint {
    public typealias Response = Listing
    public static let operation = Operation.patch(
      "/v1/admin/listings/{id}", "Update anyone's listing (JSON merge patch)", access: .roles([.administrator]),
      idempotency: .idempotent, problems: [.listingNotFound, .mediaNotFound, .mediaNotReady]
    )
    public var id: ListingID
    public var ifMatch: EntityTag?
    public var name: ShortText?
    public var description: Patch<LongText>
    public var tags: [Tag]?
    /// One of the owner's pictures.
    public var cover: Patch<MediaID>
    /// Only for a listing with one license.
    public var price: Price?
    public var licenses: [LicenseOption]?
    public var acceptsOffers: Bool?
    public var reason: ShortText
    public init(
      id: ListingID, ifMatch: EntityTag? = nil, name: ShortText? = nil, description: Patch<LongText> = .keep,
      tags: [Tag]? = nil, cover: Patch<MediaID> = .keep, price: Price? = nil, licenses: [LicenseOption]? = nil,
      acceptsOffers: Bool? = nil, reason: ShortText
    ) {
      (self.id, self.ifMatch, self.name, self.description, self.tags) = (id, ifMatch, name, description, tags)
      (self.cover, self.price, self.licenses, self.acceptsOffers) = (cover, price, licenses, acceptsOffers)
      self.reason = reason
    }
  }

  public struct AdminDeleteListing: Endpoint {
    public static let operation = Operation.delete(
      "/v1/admin/listings/{id}", "Delete anyone's listing", access: .roles([.administrator]), success: 204,
      problems: [.listingNotFound, .listingOpenForBids]
    )
    public var id: ListingID
    public var ifMatch: EntityTag?
    public var reason: ShortText
    public init(id: ListingID, ifMatch: EntityTag? = nil, reason: ShortText) {
      (self.id, self.ifMatch, self.reason) = (id, ifMatch, reason)
    }
  }
}
