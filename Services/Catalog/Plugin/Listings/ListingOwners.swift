import Contracts
import PlatformRules
import ServiceKit

/// The names and photos of the users whose listings are shown, asked for once per page.
struct ListingOwners: Sendable {
  let names: PublicNames

  func named(_ page: Page<ListingSummary>) async -> Page<ListingSummary> {
    let owners = await names.of(page.items.map(\.ownerID))
    var page = page
    for index in page.items.indices { page.items[index].owner = owners[page.items[index].ownerID] }
    return page
  }

  func named(_ listing: Listing) async -> Listing {
    var listing = listing
    listing.owner = await names.of([listing.ownerID])[listing.ownerID]
    return listing
  }
}
