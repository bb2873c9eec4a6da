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

/// The files of one recording that valid licenses name, each once.
public struct LicensedFiles: Codable, Sendable, Equatable {
  public var files: [LicensedFile]
  public init(files: [LicensedFile]) { self.files = files }
}
