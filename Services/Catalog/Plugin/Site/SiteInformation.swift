import Contracts
import Persistence
import ServiceKit

/// The site's editable content, stored in one row.
struct SiteInformation: Feature {
  private static let maxLinks = 50
  private static let maxTutorials = 100

  private let core: CatalogCore

  init(_ core: CatalogCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.GetSite.self) { _, _ in try await core.database.read { db in try SiteStore.find(in: db) } }
    routes.on(CatalogAPI.PutSite.self) { request, call in
      try await put(request.body, ifMatch: request.ifMatch, by: call.auditActor)
    }
  }

  func put(_ wanted: Site, ifMatch: EntityTag?, by actor: AuditActor) async throws -> Site {
    try Self.check(wanted.socialLinks.count, "body.socialLinks", atMost: Self.maxLinks)
    try Self.check(wanted.tutorials.count, "body.tutorials", atMost: Self.maxTutorials)
    return try await core.database.write { tx in
      let before = try SiteStore.find(in: tx)
      try ifMatch?.require(before.version)
      var site = wanted
      site.version = before.version
      guard site != before else { return before }
      site.version += 1
      try SiteStore.save(site, in: tx)
      try tx.audit(
        "site.changed",
        object: "site",
        by: actor,
        changes: [AuditChange("version", from: "\(before.version)", to: "\(site.version)")]
      )
      return site
    }
  }

  /// The owner's address, which is notified of contact messages.
  static func email(in db: any Connection) throws -> EmailAddress? { try SiteStore.find(in: db).email }

  private static func check(_ count: Int, _ location: String, atMost limit: Int) throws {
    guard count > limit else { return }
    throw Problem(.invalidRequest, errors: [.init(location: location, message: "may have at most \(limit) items")])
  }
}
