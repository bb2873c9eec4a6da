import Contracts
import Persistence
import ServiceKit

/// Endpoints of licenses and their downloads.
struct Licenses: Feature {
  let database: any Database
  let time: TimeSource
  let signer: URLSigner

  /// How long a download URL is valid, in seconds.
  private static let downloadSeconds = 300.0

  init(_ core: OrdersCore) { (database, time, signer) = (core.database, core.time, core.environment.urls) }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListLicenses.self) { request, call in try await list(request, of: call.user.id) }
    routes.on(OrdersAPI.GetLicense.self) { request, call in
      try await find(request.id, for: call.user.id, orSeller: true).license
    }
    routes.on(OrdersAPI.GetDownload.self) { request, call in try await download(request, by: call.user.id) }
    routes.on(OrdersAPI.GetLicenseCount.self) { request, _ in
      try await database.read { db in
        let isSold = try !ExclusiveClaimStore.isFree(request.listing, in: db)
        return LicenseCount(active: try LicenseStore.count(of: request.listing, in: db), isExclusiveSold: isSold)
      }
    }
    routes.on(OrdersAPI.GetLicensedFiles.self) { request, _ in
      let now = time.now()
      return try await database.read { db in
        let files = try LicenseStore.files(
          of: request.audio, for: request.user, from: request.seller, at: now, in: db)
        return LicensedFiles(files: files)
      }
    }
    routes.on(ListingRemoved.self) { event, tx in try ExclusiveRights.listingRemoved(event.listingID, in: tx) }
  }

  private func list(_ request: OrdersAPI.ListLicenses, of user: UserID) async throws -> Page<License> {
    let (page, now) = (try request.page(by: LicenseID.self), time.now())
    let condition = SQL.and("holder_id = \(user)", request.listing.map { "listing_id = \($0)" })
    return try await database.read { db in
      try page.fetch(
        { after, limit in
          try LicenseStore.list(condition, before: after, limit: limit, at: now, in: db).map(\.license)
        }, key: \.id
      ).page
    }
  }

  private func find(_ id: LicenseID, for user: UserID, orSeller: Bool) async throws -> (
    license: License, audio: MediaID
  ) {
    let now = time.now()
    let found = try await database.read { db in
      try LicenseStore.list("id = \(id)", before: nil, limit: 1, at: now, in: db).first
    }
    guard let found, found.license.holderID == user || orSeller && found.license.sellerID == user else {
      throw Problem(.licenseNotFound)
    }
    return found
  }

  private func download(_ request: OrdersAPI.GetDownload, by user: UserID) async throws -> Download {
    let (license, audio) = try await find(request.id, for: user, orSeller: false)
    guard license.status == .active else { throw Problem(.licenseRevoked) }
    guard let file = request.file ?? license.files.last, license.files.contains(file) else {
      throw Problem(.fileNotLicensed)
    }
    let expiresAt = time.now().advanced(bySeconds: Self.downloadSeconds)
    let path = "/v1/media/\(audio)/content"
    // The seller must be the recording's owner, which media-index knows.
    let query = [
      ("file", file.rawValue), ("license", license.id.rawValue), ("seller", license.sellerID?.rawValue ?? ""),
    ]
    let url = signer.sign(path, query, until: expiresAt)
    return Download(url: url, expiresAt: expiresAt)
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let condition: SQL = "holder_id = \(user) OR seller_id = \(user)"
    let licenses = try LicenseStore.list(condition, before: nil, limit: 10_000, at: time.now(), in: db)
    return [("licenses", try JSONValue(licenses.map(\.license)))]
  }

  /// Licenses stay valid without their parties' accounts.
  func erase(_ user: UserID, in tx: Transaction) throws { try LicenseStore.erase(user, in: tx) }
}
