import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import CatalogService

/// Administrators change and delete the listings of others.
@Suite(.serialized)
struct ListingAdministrationTests {
  private func entries(_ action: String, _ host: TestPlatform) async throws -> [AuditRecord] {
    try await AuditTrail(host.database).search(AuditFilter(action: action), limit: 10, cursor: nil).items
  }

  @Test("AR15: administrators edit a listing with a reason, notifying its owner", arguments: TestDatabase.allCases)
  func listingsAreEditedWithAReason(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, admin) = (try await host.user("ada"), try await host.user("chief", as: .administrator))
      let listing = try await host.listing(of: ada, "Rude words", tags: ["trap"])
      let missing = try await host.send(
        .patch, "/v1/admin/listings/\(listing.id)", #"{"name":"Polite words"}"#, by: admin)
      #expect(missing.status == 422)
      let edit = CatalogAPI.AdminUpdateListing(
        id: listing.id, ifMatch: EntityTag(version: listing.version), name: try ShortText(validating: "Polite words"),
        reason: try ShortText(validating: "The title was an insult"))
      let edited = try await admin.client.send(edit)
      #expect(edited.name.rawValue == "Polite words")
      #expect(edited.ownerID == ada.id)
      #expect(try await ada.client.send(CatalogAPI.GetListing(id: listing.id)).name.rawValue == "Polite words")
      #expect(try await problem { _ = try await admin.client.send(edit) }?.is(.versionMismatch) == true)

      let entry = try #require(try await entries("listing.edited", host).first)
      #expect(entry.actor == "user:\(admin.id)")
      #expect(entry.object == "listing:\(listing.id)")
      #expect(
        entry.changes == [.masked("name"), AuditChange("reason", from: nil, to: "The title was an insult")])
      let events = try await host.recorded(RealtimeEvent.self, by: CatalogAPI.self).filter {
        $0.name == "listing.edited"
      }
      #expect(events.map(\.userID) == [ada.id])
      #expect(events.first?.data["reason"]?.string == "The title was an insult")
    }
  }

  @Test("AR15: no one else edits or deletes the listings of others that way")
  func onlyAdministratorsEditListings() async throws {
    try await TestPlatform.catalog { host async throws in
      let ada = try await host.user("ada")
      let listing = try await host.listing(of: ada)
      let reason = try ShortText(validating: "Because")
      let others = [
        ada, try await host.user("bob"), try await host.user("helper", as: .support),
        try await host.user("boss2", as: .owner),
      ]
      for other in others {
        let edit = CatalogAPI.AdminUpdateListing(id: listing.id, name: listing.name, reason: reason)
        #expect(try await problem { _ = try await other.client.send(edit) }?.is(.forbidden) == true)
        let delete = CatalogAPI.AdminDeleteListing(id: listing.id, reason: reason)
        #expect(try await problem { _ = try await other.client.send(delete) }?.is(.forbidden) == true)
      }
      #expect(try await entries("listing.edited", host).isEmpty)
    }
  }

  @Test("AR15: administrators delete a listing with a reason, notifying its owner")
  func listingsAreDeletedWithAReason() async throws {
    try await TestPlatform.catalog { host async throws in
      let (ada, admin) = (try await host.user("ada"), try await host.user("chief", as: .administrator))
      let listing = try await host.listing(of: ada)
      #expect(try await host.send(.delete, "/v1/admin/listings/\(listing.id)", by: admin).status == 422)
      let delete = CatalogAPI.AdminDeleteListing(id: listing.id, reason: try ShortText(validating: "Stolen"))
      _ = try await admin.client.send(delete)
      let gone = try await problem { _ = try await ada.client.send(CatalogAPI.GetListing(id: listing.id)) }
      #expect(gone?.is(.listingNotFound) == true)
      let entry = try #require(try await entries("listing.deleted", host).first)
      #expect(entry.changes == [AuditChange("reason", from: nil, to: "Stolen")])
      let events = try await host.recorded(RealtimeEvent.self, by: CatalogAPI.self).filter {
        $0.name == "listing.deleted"
      }
      #expect(events.map(\.userID) == [ada.id])
    }
  }
}
