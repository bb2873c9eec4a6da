import Contracts
import Persistence
import ServiceKit

/// Beats and opens that users offer for sale.
struct Listings: Sendable {
  private let database: any Database
  private let ids: IDGenerator
  private let time: TimeSource

  init(_ environment: ServiceEnvironment) throws {
    database = try environment.database
    ids = environment.ids
    time = environment.time
  }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ListListings.self) { request, call in
      let feed = ListingFeed(request: request, viewer: try call.user.id)
      return try await database.read { try feed.page(in: $0) }
    }
    routes.on(CatalogAPI.CreateListing.self) { request, call in try await create(request, call) }
    routes.on(CatalogAPI.GetListing.self) { request, call in
      let viewer = try call.user.id
      return try await database.read { try ListingStore.required(request.id, for: viewer, in: $0).visible }
    }
    routes.on(CatalogAPI.UpdateListing.self) { request, call in try await update(request, call) }
    routes.on(CatalogAPI.DeleteListing.self) { request, call in try await delete(request, call) }
    routes.on(ListingSaleChanged.self) { event, tx in try ListingStore.apply(event, in: tx) }
  }

  private func create(_ form: CatalogAPI.CreateListing, _ call: Call) async throws -> Listing {
    let owner = try call.user
    guard !owner.roles.contains(.guest) else { throw Problem(.forbidden, detail: "Guests must sign up to sell.") }
    let licences = try LicenceOffer.checked(form.licences, price: form.price)
    let id: ListingID = ids.make()
    return try await database.write { tx in
      try tx.once(call.keyed) {
        let row = ListingSummary(
          id: id,
          kind: form.kind,
          ownerID: owner.id,
          name: form.name,
          tags: try Self.checked(form.tags ?? []),
          cover: form.cover,
          audio: form.audio,
          price: LicenceOffer.lowest(licences),
          acceptsOffers: form.acceptsOffers ?? false,
          isPurchased: false,
          isOpenForBids: false,
          likeCount: 0,
          commentCount: 0,
          archiveCount: 0,
          isLiked: false,
          isArchived: false,
          createdAt: tx.now,
          version: 1
        )
        let listing = StoredListing(row: row, description: form.description, licences: licences)
        try ListingStore.insert(listing, in: tx)
        try tx.audit("listing.created", object: "listing:\(id)", by: call.auditActor)
        return listing.visible
      }
    }
  }

  private static func checked(_ tags: [Tag]) throws -> [Tag] {
    guard tags.count <= 10 else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.tags", message: "may have at most 10 items")])
    }
    return Set(tags).sorted { $0.rawValue < $1.rawValue }
  }

  private func update(_ request: CatalogAPI.UpdateListing, _ call: Call) async throws -> Listing {
    let user = try call.user.id
    return try await database.write { tx in
      var listing = try ListingStore.required(request.id, for: user, in: tx)
      guard listing.row.ownerID == user else {
        throw Problem(.forbidden, detail: "Only the owner can change a listing.")
      }
      if let ifMatch = request.ifMatch, !ifMatch.allows(EntityTag(version: listing.row.version)) {
        throw Problem(.versionMismatch)
      }
      let patch = request
      listing.row.name = patch.name ?? listing.row.name
      listing.description = patch.description.applied(to: listing.description)
      listing.row.tags = try patch.tags.map(Self.checked) ?? listing.row.tags
      listing.row.cover = patch.cover.applied(to: listing.row.cover)
      listing.row.audio = patch.audio ?? listing.row.audio
      listing.row.acceptsOffers = patch.acceptsOffers ?? listing.row.acceptsOffers
      if let licences = patch.licences {
        listing.licences = try LicenceOffer.checked(licences, price: nil)
      } else if let price = patch.price {
        listing.licences = try LicenceOffer.repriced(listing.licences, price)
      }
      listing.row.price = LicenceOffer.lowest(listing.licences)
      listing.row.version += 1
      try ListingStore.update(listing, in: tx)
      try tx.audit("listing.changed", object: "listing:\(request.id)", by: call.auditActor)
      return listing.visible
    }
  }

  private func delete(_ request: CatalogAPI.DeleteListing, _ call: Call) async throws -> Empty {
    let (id, user) = (request.id, try call.user)
    try await database.write { tx in
      guard let listing = try ListingStore.find(id, for: user.id, in: tx) else { throw Problem(.listingNotFound) }
      guard listing.row.ownerID == user.id || user.isModerator else {
        throw Problem(.forbidden, detail: "Only the owner or a moderator can delete a listing.")
      }
      if let ifMatch = request.ifMatch, !ifMatch.allows(EntityTag(version: listing.row.version)) {
        throw Problem(.versionMismatch)
      }
      guard !listing.row.isOpenForBids else { throw Problem(.listingOpenForBids) }
      try ListingStore.remove(id, in: tx)
      try tx.audit("listing.deleted", object: "listing:\(id)", by: call.auditActor)
    }
    return Empty()
  }
}

extension UserCaller {
  /// Whether the user may delete other users' content; the token must have the administration scope.
  var isModerator: Bool {
    scopes.contains(Scope.administration.rawValue) && !roles.isDisjoint(with: [.support, .administrator])
  }
}

enum LicenceOffer {
  /// The given licenses after validation, or one lease at the given price.
  static func checked(_ licences: [LicenceOption]?, price: Price?) throws -> [LicenceOption] {
    func invalid(_ message: String) -> Problem {
      Problem(.invalidRequest, errors: [.init(location: "body.licences", message: message)])
    }
    guard let licences else {
      guard let price else { throw invalid("is required when no price is set") }
      return [LicenceOption(kind: .lease, price: price, files: [.mp3])]
    }
    guard !licences.isEmpty else { throw invalid("must not be empty") }
    guard Set(licences.map(\.kind)).count == licences.count else { throw invalid("must have at most one of each kind") }
    guard Set(licences.map(\.price.currency)).count == 1 else { throw invalid("must have the same currency") }
    for licence in licences {
      guard licence.kind != .free || licence.price.amount == 0 else {
        throw invalid("must have a price of 0 for a free license")
      }
      let limits = [licence.streams, licence.copies, licence.musicVideos, licence.days].compactMap { $0 }
      guard limits.allSatisfy({ (1...1_000_000_000).contains($0) }) else {
        throw invalid("must have limits from 1 to 1000000000")
      }
      guard (1...4).contains(licence.files.count), Set(licence.files).count == licence.files.count else {
        throw invalid("must have one to four distinct files each")
      }
    }
    return licences
  }

  /// The listing's only license, with a new price.
  static func repriced(_ licences: [LicenceOption], _ price: Price) throws -> [LicenceOption] {
    guard licences.count == 1 else {
      throw Problem(
        .invalidRequest,
        errors: [.init(location: "body.price", message: "must be set per license when a listing has several")]
      )
    }
    var licence = licences[0]
    licence.price = price
    return try checked([licence], price: nil)
  }

  /// The price that listings are sorted by: that of the cheapest license that is not free.
  static func lowest(_ licences: [LicenceOption]) -> Price {
    let prices = licences.map(\.price)
    return prices.filter { $0.amount > 0 }.min { $0.amount < $1.amount } ?? prices[0]
  }
}
