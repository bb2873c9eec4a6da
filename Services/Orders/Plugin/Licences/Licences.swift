import Contracts
import Persistence
import ServiceKit

/// Endpoints of licenses and their downloads.
struct Licences: Sendable {
  let database: any Database
  let time: TimeSource
  let signer: URLSigner

  /// How long a download URL is valid, in seconds.
  private static let downloadSeconds = 300.0

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListLicences.self) { request, call in try await list(request, of: call.user.id) }
    routes.on(OrdersAPI.GetLicence.self) { request, call in
      try await find(request.id, for: call.user.id, orSeller: true).licence
    }
    routes.on(OrdersAPI.GetDownload.self) { request, call in try await download(request, by: call.user.id) }
    routes.on(OrdersAPI.GetLicenceCount.self) { request, _ in
      try await database.read { db in
        let isSold = try !Claims.isFree(request.listing, in: db)
        return LicenceCount(active: try LicenceStore.count(of: request.listing, in: db), isExclusiveSold: isSold)
      }
    }
  }

  private func list(_ request: OrdersAPI.ListLicences, of user: UserID) async throws -> Page<Licence> {
    let (limit, now) = (request.limit?.value ?? 20, time.now())
    return try await database.read { db in
      var condition: SQL = "holder_id = \(user)"
      if let listing = request.listing { condition = "\(condition) AND listing_id = \(listing)" }
      let cursor = request.cursor.flatMap { LicenceID($0) }
      let found = try LicenceStore.list(condition, before: cursor, limit: limit + 1, at: now, in: db).map(\.licence)
      let items = Array(found.prefix(limit))
      return Page(items: items, nextCursor: found.count > limit ? items.last?.id.rawValue : nil)
    }
  }

  private func find(_ id: LicenceID, for user: UserID, orSeller: Bool) async throws -> (
    licence: Licence, audio: MediaID
  ) {
    let now = time.now()
    let found = try await database.read { db in
      try LicenceStore.list("id = \(id)", before: nil, limit: 1, at: now, in: db).first
    }
    guard let found, found.licence.holderID == user || orSeller && found.licence.sellerID == user else {
      throw Problem(.licenceNotFound)
    }
    return found
  }

  private func download(_ request: OrdersAPI.GetDownload, by user: UserID) async throws -> Download {
    let (licence, audio) = try await find(request.id, for: user, orSeller: false)
    guard licence.status == .active else { throw Problem(.licenceRevoked) }
    guard let file = request.file ?? licence.files.last, licence.files.contains(file) else {
      throw Problem(.fileNotLicensed)
    }
    let expiresAt = time.now().advanced(bySeconds: Self.downloadSeconds)
    let path = "/v1/media/\(audio)/content"
    let url = signer.sign(path, [("file", file.rawValue), ("licence", licence.id.rawValue)], until: expiresAt)
    return Download(url: url, expiresAt: expiresAt)
  }
}
