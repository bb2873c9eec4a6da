extension OrdersAPI {
  /// The own licences, the newest first.
  public struct ListLicences: Endpoint {
    public typealias Response = Page<Licence>
    public static let operation = Operation(.get, "/v1/licences", "The own licences, the newest first", access: .user)
    public var listing: ListingID?
    public var limit: PageSize?
    public var cursor: String?

    public init(listing: ListingID? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      self.listing = listing
      self.limit = limit
      self.cursor = cursor
    }
  }

  /// One licence: its holder's or its seller's.
  public struct GetLicence: Endpoint {
    public typealias Response = Licence
    public static let operation = Operation(
      .get,
      "/v1/licences/{id}",
      "One licence",
      access: .user,
      problems: [.licenceNotFound]
    )
    public var id: LicenceID
    public init(id: LicenceID) { self.id = id }
  }

  /// An address from which a licensed file can be loaded for a while.
  public struct GetDownload: Endpoint {
    public typealias Response = Download
    public static let operation = Operation(
      .get,
      "/v1/licences/{id}/download",
      "An address from which a licensed file can be loaded",
      access: .user,
      problems: [.licenceNotFound, .licenceRevoked, .fileNotLicensed]
    )
    public var id: LicenceID
    /// The best one of the licence unless said.
    public var file: LicensedFile?

    public init(id: LicenceID, file: LicensedFile? = nil) {
      self.id = id
      self.file = file
    }
  }

  /// How many licences of a listing are out, which every buyer of the exclusive right should know.
  public struct GetLicenceCount: Endpoint {
    public typealias Response = LicenceCount
    public static let operation = Operation(
      .get,
      "/v1/licences/count",
      "How many licences of a listing are out",
      access: .user
    )
    public var listing: ListingID
    public init(listing: ListingID) { self.listing = listing }
  }
}

public enum LicenceSubject {}
public typealias LicenceID = ID<LicenceSubject>

/// A right to use a listing's music, with its terms as they were when it was sold.
public struct Licence: Codable, Sendable, Equatable {
  public enum Status: String, WireEnum { case active, expired, revoked }

  public var id: LicenceID
  public var listingID: ListingID
  public var kind: LicenceKind
  public var holderID: UserID?
  public var sellerID: UserID?
  public var orderID: OrderID
  public var price: Money
  public var status: Status
  public var grantedAt: Timestamp
  public var expiresAt: Timestamp?
  /// The contract, word by word.
  public var terms: String
  /// SHA-256 of the terms in hexadecimal digits.
  public var termsHash: String
  public var files: [LicensedFile]
  /// How many licences were out when this one was sold.
  public var priorLicences: Int

  public init(
    id: LicenceID,
    listingID: ListingID,
    kind: LicenceKind,
    holderID: UserID?,
    sellerID: UserID?,
    orderID: OrderID,
    price: Money,
    status: Status,
    grantedAt: Timestamp,
    expiresAt: Timestamp?,
    terms: String,
    termsHash: String,
    files: [LicensedFile],
    priorLicences: Int
  ) {
    self.id = id
    self.listingID = listingID
    self.kind = kind
    self.holderID = holderID
    self.sellerID = sellerID
    self.orderID = orderID
    self.price = price
    self.status = status
    self.grantedAt = grantedAt
    self.expiresAt = expiresAt
    self.terms = terms
    self.termsHash = termsHash
    self.files = files
    self.priorLicences = priorLicences
  }
}

public struct Download: Codable, Sendable, Equatable {
  /// Path and query on the platform's own address.
  public var url: String
  public var expiresAt: Timestamp

  public init(url: String, expiresAt: Timestamp) {
    self.url = url
    self.expiresAt = expiresAt
  }
}

public struct LicenceCount: Codable, Sendable, Equatable {
  public var active: Int
  public var isExclusiveSold: Bool

  public init(active: Int, isExclusiveSold: Bool) {
    self.active = active
    self.isExclusiveSold = isExclusiveSold
  }
}

extension Problem.Kind {
  public static let licenceNotFound = Self("licence-not-found", status: 404, "There is no such licence")
  public static let licenceRevoked = Self("licence-revoked", status: 409, "The licence is no longer valid")
  public static let fileNotLicensed = Self("file-not-licensed", status: 409, "The licence does not cover this file")
}
