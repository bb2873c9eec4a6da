extension OrdersAPI {
  /// Newest first.
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

  /// Allowed for the holder and the seller.
  public struct GetLicense: Endpoint {
    public typealias Response = License
    public static let operation = Operation.get("/v1/licenses/{id}", "Get a license", problems: [.licenseNotFound])
    public var id: LicenseID
    public init(id: LicenseID) { self.id = id }
  }

  public struct GetDownload: Endpoint {
    public typealias Response = Download
    public static let operation = Operation.get(
      "/v1/licenses/{id}/download", "Get a download URL for a licensed file",
      problems: [.licenseNotFound, .licenseRevoked, .fileNotLicensed]
    )
    public var id: LicenseID
    /// The file; by default the best one of the license.
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

  /// Internal, for media-index, which stores the files.
  public struct GetLicensedFiles: Endpoint {
    public typealias Response = LicensedFiles
    public static let operation = Operation.get(
      "/internal/v1/licensed-files", "List the files of a recording that a user has licensed",
      access: .services(MediaAPI.self),
      limits: .init(seconds: 5))
    public var user: UserID
    public var audio: MediaID
    /// The recording's owner: what another user has sold counts for nothing. Absent when the account is deleted.
    public var seller: UserID?
    public init(user: UserID, audio: MediaID, seller: UserID?) {
      (self.user, self.audio, self.seller) = (user, audio, seller)
    }
  }
}

extension Problem.Kind {
  public static let licenseNotFound = Self(
    "license-not-found", status: 404, "There is no such license",
    meaning: "The license does not exist, or is another user's.",
    remedy: "Load the licenses again.")
  public static let licenseRevoked = Self(
    "license-revoked", status: 409, "The license is no longer valid",
    meaning: "The license was withdrawn, for example after a refund.",
    remedy: "Load the license again and offer no downloads.")
  public static let fileNotLicensed = Self(
    "file-not-licensed", status: 409, "The license does not cover this file",
    meaning: "The license is of a kind that does not include this file.",
    remedy: "Offer the files that the license lists.")
}
