extension CatalogAPI {
  /// Newest first by default. The results of a query are a single page ordered by relevance; its words may be
  /// abbreviated or misspelled.
  public struct ListListings: PagedEndpoint {
    public typealias Response = Page<ListingSummary>
    public static let operation = Operation.get("/v1/listings", "List listings", caching: .own)
    public var kind: ListingKind?
    public var tag: Tag?
    public var query: String?
    public var owner: UserID?
    /// Does not apply to a query.
    public var sort: ListingSort?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      kind: ListingKind? = nil, tag: Tag? = nil, query: String? = nil, owner: UserID? = nil, sort: ListingSort? = nil,
      limit: PageSize? = nil, cursor: String? = nil
    ) {
      (self.kind, self.tag, self.query, self.owner, self.sort, self.limit) = (kind, tag, query, owner, sort, limit)
      self.cursor = cursor
    }
  }

  public struct CreateListing: Endpoint {
    public typealias Response = Listing
    public static let operation = Operation.post(
      "/v1/listings", "Create a listing", publishes: true, idempotency: .acceptsKey, success: 201,
      problems: [.mediaNotFound, .mediaNotReady]
    )
    public var kind: ListingKind
    public var name: ShortText
    public var description: LongText?
    /// At most 10.
    public var tags: [Tag]?
    public var cover: MediaID?
    public var audio: MediaID
    /// Alternative to `licenses`: one lease of the MP3 at this price, under the default terms.
    public var price: Price?
    /// At most one of each kind, all in one currency.
    public var licenses: [LicenseOption]?
    /// `false` by default.
    public var acceptsOffers: Bool?
    public init(
      kind: ListingKind, name: ShortText, description: LongText? = nil, tags: [Tag]? = nil, cover: MediaID? = nil,
      audio: MediaID, price: Price? = nil, licenses: [LicenseOption]? = nil, acceptsOffers: Bool? = nil
    ) {
      (self.kind, self.name, self.description, self.tags, self.cover) = (kind, name, description, tags, cover)
      (self.audio, self.price, self.licenses, self.acceptsOffers) = (audio, price, licenses, acceptsOffers)
    }
  }

  public struct GetListing: Endpoint {
    public typealias Response = Listing
    public static let operation = Operation.get(
      "/v1/listings/{id}", "Get a listing", problems: [.listingNotFound], caching: .own)
    public var id: ListingID
    public init(id: ListingID) { self.id = id }
  }

  /// Allowed for the owner.
  public struct UpdateListing: Endpoint {
    public typealias Response = Listing
    public static let operation = Operation.patch(
      "/v1/listings/{id}", "Update a listing (JSON merge patch)", publishes: true, idempotency: .idempotent,
      problems: [.listingNotFound, .mediaNotFound, .mediaNotReady]
    )
    public var id: ListingID
    public var ifMatch: EntityTag?
    public var name: ShortText?
    public var description: Patch<LongText>
    public var tags: [Tag]?
    public var cover: Patch<MediaID>
    public var audio: MediaID?
    /// Only for a listing with one license.
    public var price: Price?
    public var licenses: [LicenseOption]?
    public var acceptsOffers: Bool?
    public init(
      id: ListingID, ifMatch: EntityTag? = nil, name: ShortText? = nil, description: Patch<LongText> = .keep,
      tags: [Tag]? = nil, cover: Patch<MediaID> = .keep, audio: MediaID? = nil, price: Price? = nil,
      licenses: [LicenseOption]? = nil, acceptsOffers: Bool? = nil
    ) {
      (self.id, self.ifMatch, self.name, self.description, self.tags) = (id, ifMatch, name, description, tags)
      (self.cover, self.audio, self.price, self.licenses) = (cover, audio, price, licenses)
      self.acceptsOffers = acceptsOffers
    }
  }

  /// Allowed for the owner and for moderators.
  public struct DeleteListing: Endpoint {
    public static let operation = Operation.delete(
      "/v1/listings/{id}", "Delete a listing", success: 204, problems: [.listingNotFound, .listingOpenForBids]
    )
    public var id: ListingID
    public var ifMatch: EntityTag?
    public init(id: ListingID, ifMatch: EntityTag? = nil) { (self.id, self.ifMatch) = (id, ifMatch) }
  }
}

extension Problem.Kind {
  public static let listingNotFound = Self(
    "listing-not-found", status: 404, "There is no such listing",
    meaning: "The listing does not exist, was deleted, or is not visible to the caller.",
    remedy: "Remove the listing from the screen.")
  public static let listingOpenForBids = Self(
    "listing-open-for-bids", status: 409, "The listing has an open auction",
    meaning: "Bidders rely on the listing as it is while its auction is open.",
    remedy: "Wait until the auction has ended, or cancel it while it has no bids.")
}
