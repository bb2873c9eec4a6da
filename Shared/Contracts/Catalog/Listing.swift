public enum ListingKind: String, WireEnum {
  /// A producer's beat.
  case beat
  /// An artist's open verse.
  case open
}

public enum ListingSort: String, WireEnum {
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
    pattern: #"^[^\u0000-/:-@\[-\u0060{-\u007F]+(-[^\u0000-/:-@\[-\u0060{-\u007F]+)*$"#,
    example: "lo-fi",
    normalize: { $0.lowercased() },
    violation: { text in
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      let isWord = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0.isNumber } }
      return isWord ? nil : "must be one word of letters, digits and single dashes"
    }
  )
}

/// A beat or an open verse that its owner offers, as an item of a list.
public struct ListingSummary: Codable, Sendable, Equatable {
  public var id: ListingID
  public var kind: ListingKind
  public var ownerID: UserID
  /// Absent while the owner's name is unavailable.
  public var owner: PublicName?
  public var name: ShortText
  public var tags: [Tag]
  public var cover: MediaID?
  public var audio: MediaID
  /// The lowest price among the listing's licenses.
  public var price: Price
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
  /// Incremented on every change by the owner.
  public var version: Int

  private enum CodingKeys: String, CodingKey {
    case id, kind, ownerID, owner, name, tags, cover, audio, price, acceptsOffers
    case isPurchased = "purchased"
    case isOpenForBids = "openForBids"
    case likeCount, commentCount, archiveCount, isLiked, isArchived, createdAt, version
  }

  public init(
    id: ListingID, kind: ListingKind, ownerID: UserID, owner: PublicName? = nil, name: ShortText, tags: [Tag],
    cover: MediaID?, audio: MediaID, price: Price, acceptsOffers: Bool, isPurchased: Bool, isOpenForBids: Bool,
    likeCount: Int, commentCount: Int, archiveCount: Int, isLiked: Bool, isArchived: Bool, createdAt: Timestamp,
    version: Int
  ) {
    (self.id, self.kind, self.ownerID, self.owner, self.name) = (id, kind, ownerID, owner, name)
    (self.tags, self.cover, self.audio, self.price) = (tags, cover, audio, price)
    (self.acceptsOffers, self.isPurchased) = (acceptsOffers, isPurchased)
    (self.isOpenForBids, self.likeCount, self.commentCount) = (isOpenForBids, likeCount, commentCount)
    (self.archiveCount, self.isLiked, self.isArchived, self.createdAt) = (archiveCount, isLiked, isArchived, createdAt)
    self.version = version
  }
}

/// A listing on its own page: its summary and what lists leave out, side by side on the wire.
@dynamicMemberLookup
public struct Listing: Codable, Sendable, Equatable, Versioned {
  public var summary: ListingSummary
  public var description: LongText?
  public var licenses: [LicenseOption]
  public var version: Int { summary.version }
  public init(_ summary: ListingSummary, description: LongText?, licenses: [LicenseOption]) {
    (self.summary, self.description, self.licenses) = (summary, description, licenses)
  }

  public subscript<Value>(dynamicMember property: WritableKeyPath<ListingSummary, Value>) -> Value {
    get { summary[keyPath: property] }
    set { summary[keyPath: property] = newValue }
  }

  private enum CodingKeys: String, CodingKey { case description, licenses }

  public init(from decoder: any Decoder) throws {
    summary = try ListingSummary(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    description = try container.decodeIfPresent(LongText.self, forKey: .description)
    licenses = try container.decode([LicenseOption].self, forKey: .licenses)
  }

  public func encode(to encoder: any Encoder) throws {
    try summary.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(description, forKey: .description)
    try container.encode(licenses, forKey: .licenses)
  }
}
