import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// Administrators correct and delete anyone's listing, with a reason that the audit trail keeps and of which the
/// owner is notified.
struct ListingAdministration: Feature {
  private let core: CatalogCore

  init(_ core: CatalogCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.AdminUpdateListing.self) { request, call in
      await core.owners.named(try await update(request, call))
    }
    routes.on(CatalogAPI.AdminDeleteListing.self) { request, call in try await delete(request, call) }
  }

  private func update(_ request: CatalogAPI.AdminUpdateListing, _ call: Call) async throws -> Listing {
    let viewer = ListingViewer(try call.user)
    let known = try await core.database.read { try ListingStore.get(request.id, for: viewer, in: $0) }
    let cover = request.cover.applied(to: known.cover)
    try await core.media.require(
      ListingMedia.wanted(cover: cover == known.cover ? nil : cover, audio: nil), of: known.ownerID,
      for: request.id.topic)
    return try await core.database.write { tx in
      let before = try ListingStore.get(request.id, for: viewer, in: tx)
      try request.ifMatch?.require(before.version)
      var listing = before
      try request.patch.apply(to: &listing)
      let changes = try [AuditChange].between(before, listing, masked: true).filter { $0.field != "version" }
      guard !changes.isEmpty else { return before }
      try ListingStore.update(listing, in: tx)
      try ListingMedia.report(listing.summary, in: tx)
      try ListingTopic.changed(listing.id, version: listing.version, in: tx)
      try tx.audit(
        "listing.edited", object: "listing:\(listing.id)", by: call.auditActor,
        changes: changes + .reason(request.reason))
      try Self.notifyOwner("listing.edited", before, fields: changes.map(\.field), request.reason, in: tx)
      return listing
    }
  }

  private func delete(_ request: CatalogAPI.AdminDeleteListing, _ call: Call) async throws {
    let viewer = ListingViewer(try call.user)
    try await core.database.write { tx in
      let listing = try ListingStore.get(request.id, for: viewer, in: tx)
      try request.ifMatch?.require(listing.version)
      try Listings.remove(listing, in: tx)
      try tx.audit(
        "listing.deleted", object: "listing:\(listing.id)", by: call.auditActor, changes: .reason(request.reason))
      try Self.notifyOwner("listing.deleted", listing, fields: [], request.reason, in: tx)
    }
  }

  private static func notifyOwner(
    _ event: String, _ listing: Listing, fields: [String], _ reason: ShortText, in tx: Transaction
  ) throws {
    let data: JSONValue = [
      "listing": .string(listing.id.rawValue), "name": .string(listing.name.rawValue),
      "fields": .array(fields.map { .string($0) }), "reason": .string(reason.rawValue),
    ]
    try tx.record(RealtimeEvent(to: listing.ownerID, event, data))
  }
}

extension CatalogAPI.AdminUpdateListing {
  /// The same change as its owner would make it.
  fileprivate var patch: CatalogAPI.UpdateListing {
    CatalogAPI.UpdateListing(
      id: id, name: name, description: description, tags: tags, cover: cover, price: price, licenses: licenses,
      acceptsOffers: acceptsOffers)
  }
}
