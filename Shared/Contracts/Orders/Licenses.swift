extension OrdersAPI {
  /// The caller's licenses, newest first.
  public struct ListLicenses: PagedEndpoint {
    public typealias Response = Page<License>
    public static let operation = Operation.get("/v1/licenses", "List the caller's licenses")
    public var listing: ListingID?
    public var limit: PageSize?
    public var cursor: String?

    public init(listing: ListingID? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.listing, self.limit, self.cursor) = (listing, limit, cursor)
    }
  }

  /// Get a license as its holder or its seller.
  public struct GetLicense: Endpoint {
    public typealias Response = License
    public static let operation = Operation.get("/v1/licenses/{id}", "Get a license", problems: [.licenseNotFound])
    public var id: LicenseID
    public init(id: LicenseID) { self.id = id }
  }

  /// A temporary URL from which a licensed file can be downloaded.
  public struct GetDownload: Endpoint {
    public typealias Response = Download
    public static let operation = Operation.get(
      "/v1/licenses/{id}/download", "Get a download URL for a licensed file",
      problems: [.licenseNotFound, .licenseRevoked, .fileNotLicensed]
    )
    public var id: LicenseID
    /// By default the best file of the license.
    public var file: LicensedFile?

    public init(id: LicenseID, file: LicensedFile? = nil) { (self.id, self.file) = (id, file) }
  }

  /// The number of active licenses of a listing, for prospective buyers of the exclusive right.
  public struct GetLicenseCount: Endpoint {
    public typealias Response = LicenseCount
    public static let operation = Operation.get("/v1/licenses/count", "Count the licenses of a listing")
    public var listing: ListingID
    public init(listing: ListingID) { self.listing = listing }
  }
}

public typealias LicenseID = ID<License>

/// A right to use a listing's music, with its terms at the time of sale.
public struct License: Codable, Sendable, Equatable {
  public enum Status: String, WireEnum { case active, expired, revoked }

  public var id: LicenseID
  public var listingID: ListingID
  public var kind: LicenseKind
  public var holderID: UserID?
  public var sellerID: UserID?
  public var orderID: OrderID
  public var price: Money
  public var status: Status
  public var grantedAt: Timestamp
  public var expiresAt: Timestamp?
  /// The full text of the contract.
  public var terms: String
  /// SHA-256 of the terms, as hexadecimal digits.
  public var termsHash: String
  public var files: [LicensedFile]
  /// The number of active licenses when this one was sold.
  public var priorLicenses: Int

  public init(
    id: LicenseID, listingID: ListingID, kind: LicenseKind, holderID: UserID?, sellerID: UserID?, orderID: OrderID,
    price: Money, status: Status, grantedAt: Timestamp, expiresAt: Timestamp?, terms: String, termsHash: String,
    files: [LicensedFile], priorLicenses: Int
  ) {
    (self.id, self.listingID, self.kind, self.holderID, self.sellerID) = (id, listingID, kind, holderID, sellerID)
    (self.orderID, self.price, self.status, self.grantedAt) = (orderID, price, status, grantedAt)
    (self.expiresAt, self.terms, self.termsHash, self.files) = (expiresAt, terms, termsHash, files)
    self.priorLicenses = priorLicenses
  }
}

public struct Download: Codable, Sendable, Equatable {
  /// Path and query, relative to the platform's base URL.
  public var url: String
  public var expiresAt: Timestamp

  public init(url: String, expiresAt: Timestamp) { (self.url, self.expiresAt) = (url, expiresAt) }
}

public struct LicenseCount: Codable, Sendable, Equatable {
  public var active: Int
  public var isExclusiveSold: Bool

  public init(active: Int, isExclusiveSold: Bool) { (self.active, self.isExclusiveSold) = (active, isExclusiveSold) }
}

extension Problem.Kind {
  public static let licenseNotFound = Self("license-not-found", status: 404, "There is no such license")
  public static let licenseRevoked = Self("license-revoked", status: 409, "The license is no longer valid")
  public static let fileNotLicensed = Self("file-not-licensed", status: 409, "The license does not cover this file")
}
