/// The kind of work that a listing offers.
public enum ListingKind: String, WireEnum {
  /// A producer's beat.
  case beat
  /// An artist's open verse.
  case open
}

/// The order of listings.
public enum ListingSort: String, WireEnum {
  /// Newest first.
  case newest
  /// By amount, lowest first; currencies are not converted.
  case price
  /// By amount, highest first; currencies are not converted.
  case priceDescending
  /// Most liked first.
  case popular
}

/// A keyword for finding listings: lowercase letters and digits of any script, separated by single dashes.
public struct Tag: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }

  public static let rule = StringRule(
    length: 1...30,
    example: "lo-fi",
    normalize: { $0.lowercased() },
    complaint: { text in
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      let isWord = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0.isNumber } }
      return isWord ? nil : "must be one word of letters, digits and single dashes"
    }
  )
}

/// A beat or an open verse that its owner offers.
public struct Listing: Codable, Sendable, Equatable, Versioned {
  public var id: ListingID
  public var kind: ListingKind
  public var ownerID: UserID
  public var name: ShortText
  public var description: LongText?
  public var tags: [Tag]
  public var cover: MediaID?
  public var audio: MediaID
  /// The lowest price among the `licenses`.
  public var price: Price
  public var licenses: [LicenseOption]
  public var acceptsOffers: Bool
  /// Whether the exclusive license has been sold.
  public var isPurchased: Bool
  /// Whether an auction is open.
  public var isOpenForBids: Bool
  public var likeCount: Int
  public var commentCount: Int
  public var archiveCount: Int
  /// Whether the caller likes it.
  public var isLiked: Bool
  /// Whether the caller has archived it.
  public var isArchived: Bool
  public var createdAt: Timestamp
  /// Incremented on every change by the owner; also sent as `ETag`.
  public var version: Int

  private enum CodingKeys: String, CodingKey {
    case id, kind, ownerID, name, description, tags, cover, audio, price, licenses, acceptsOffers
    case isPurchased = "purchased"
    case isOpenForBids = "openForBids"
    case likeCount, commentCount, archiveCount, isLiked, isArchived, createdAt, version
  }

  public init(_ summary: ListingSummary, description: LongText?, licenses: [LicenseOption]) {
    (self.id, self.kind, self.ownerID, self.name) = (summary.id, summary.kind, summary.ownerID, summary.name)
    (self.description, self.tags, self.cover, self.audio) = (description, summary.tags, summary.cover, summary.audio)
    (self.price, self.licenses, self.acceptsOffers) = (summary.price, licenses, summary.acceptsOffers)
    (self.isPurchased, self.isOpenForBids) = (summary.isPurchased, summary.isOpenForBids)
    (self.likeCount, self.commentCount) = (summary.likeCount, summary.commentCount)
    (self.archiveCount, self.isLiked, self.isArchived) = (summary.archiveCount, summary.isLiked, summary.isArchived)
    (self.createdAt, self.version) = (summary.createdAt, summary.version)
  }
}

/// A listing as an item of a list: ``Listing`` without its `description` and `licenses`.
public struct ListingSummary: Codable, Sendable, Equatable {
  public var id: ListingID
  public var kind: ListingKind
  public var ownerID: UserID
  public var name: ShortText
  public var tags: [Tag]
  public var cover: MediaID?
  public var audio: MediaID
  public var price: Price
  public var acceptsOffers: Bool
  public var isPurchased: Bool
  public var isOpenForBids: Bool
  public var likeCount: Int
  public var commentCount: Int
  public var archiveCount: Int
  public var isLiked: Bool
  public var isArchived: Bool
  public var createdAt: Timestamp
  public var version: Int

  private enum CodingKeys: String, CodingKey {
    case id, kind, ownerID, name, tags, cover, audio, price, acceptsOffers
    case isPurchased = "purchased"
    case isOpenForBids = "openForBids"
    case likeCount, commentCount, archiveCount, isLiked, isArchived, createdAt, version
  }

  public init(
    id: ListingID, kind: ListingKind, ownerID: UserID, name: ShortText, tags: [Tag], cover: MediaID?, audio: MediaID,
    price: Price, acceptsOffers: Bool, isPurchased: Bool, isOpenForBids: Bool, likeCount: Int, commentCount: Int,
    archiveCount: Int, isLiked: Bool, isArchived: Bool, createdAt: Timestamp, version: Int
  ) {
    (self.id, self.kind, self.ownerID, self.name, self.tags, self.cover) = (id, kind, ownerID, name, tags, cover)
    (self.audio, self.price, self.acceptsOffers, self.isPurchased) = (audio, price, acceptsOffers, isPurchased)
    (self.isOpenForBids, self.likeCount, self.commentCount) = (isOpenForBids, likeCount, commentCount)
    (self.archiveCount, self.isLiked, self.isArchived, self.createdAt) = (archiveCount, isLiked, isArchived, createdAt)
    self.version = version
  }
}
