import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Endpoints of licenses and their downloads.
struct Licenses: Feature {
  let core: OrdersCore

  /// How long a download URL is valid, in seconds; media-index asks for the key that signs it.
  private static let downloadSeconds = 300.0

  /// Licenses that end in one transaction.
  private static let batch = 100

  init(_ core: OrdersCore) { self.core = core }

  var workers: [any Service] {
    [
      PeriodicTask("licenses.end", per: .platform, every: .seconds(60), logger: core.logger) {
        while try await core.database.write({ try ExclusiveRights.endExpired(limit: Self.batch, in: $0) }) == Self.batch
        {}
      }
    ]
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListLicenses.self) { request, call in try await list(request, of: call.user.id) }
    routes.on(OrdersAPI.GetLicense.self) { request, call in
      try await find(request.id, for: call.user.id, orSeller: true).license
    }
    routes.on(OrdersAPI.GetDownload.self) { request, call in try await download(request, by: call.user.id) }
    routes.on(OrdersAPI.GetLicenseCount.self) { request, _ in
      let now = core.time.now()
      return try await core.database.read { db in
        LicenseCount(
          active: try LicenseStore.count(of: request.listing, at: now, in: db),
          isExclusiveSold: try LicenseStore.isExclusiveSold(request.listing, in: db))
      }
    }
    routes.on(OrdersAPI.GetLicensedFiles.self) { request, _ in
      let now = core.time.now()
      return try await core.database.read { db in
        let files = try LicenseStore.files(
          of: request.audio, for: request.user, from: request.seller, at: now, in: db)
        return LicensedFiles(files: files)
      }
    }
    routes.on(ListingRemoved.self) { event, tx in try CompetingSales.endAll(event.listingID, in: tx) }
  }

  private func list(_ request: OrdersAPI.ListLicenses, of user: UserID) async throws -> Page<License> {
    let (page, now) = (try request.page(by: LicenseID.self), core.time.now())
    let condition = SQL.and("holder_id = \(user)", request.listing.map { "listing_id = \($0)" })
    return try await core.database.read { db in
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
    let now = core.time.now()
    let found = try await core.database.read { db in
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
    let expiresAt = core.time.now().advanced(bySeconds: Self.downloadSeconds)
    let path = "/v1/media/\(audio)/content"
    // The seller must be the recording's owner, which media-index knows.
    let query = [
      ("file", file.rawValue), ("license", license.id.rawValue), ("seller", license.sellerID?.rawValue ?? ""),
    ]
    let url = try core.environment.serviceURLs.sign(path, query, until: expiresAt)
    return Download(url: url, expiresAt: expiresAt)
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let sides: [SQL] = ["holder_id = \(user)", "seller_id = \(user)"]
    let licenses = try sides.flatMap { side in
      try LicenseStore.list(side, before: nil, limit: 10_000, at: core.time.now(), in: db).map(\.license)
    }
    return [("licenses", try JSONValue(licenses))]
  }

  /// Licenses stay valid without their parties' accounts.
  func erase(_ user: UserID, in tx: Transaction) throws { try LicenseStore.erase(user, in: tx) }
}
