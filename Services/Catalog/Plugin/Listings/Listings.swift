import Contracts
import Persistence
import PlatformRules
import ServiceKit
import ServiceLifecycle

/// Beats and opens that users offer for sale.
struct Listings: Feature {
  private let core: CatalogCore

  init(_ core: CatalogCore) { self.core = core }

  var workers: [any Service] {
    [core.environment.indexFilling("listings") { try await ListingStore.fillIndex(core.database) }]
  }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ListListings.self) { request, call in
      let viewer = try call.user
      let feed = ListingFeed(request: request, viewer: ListingViewer(viewer))
      // Sellers look for what they have just listed.
      let purpose: ReadPurpose = request.owner == viewer.id ? .latest : .snapshot
      return await core.owners.named(try await core.database.read(purpose) { try feed.page(in: $0) })
    }
    routes.on(CatalogAPI.CreateListing.self) { request, call in
      await core.owners.named(try await create(request, call))
    }
    routes.on(CatalogAPI.GetListing.self) { request, call in
      let viewer = ListingViewer(try call.user)
      return await core.owners.named(
        try await core.database.read { try ListingStore.get(request.id, for: viewer, in: $0) })
    }
    routes.on(CatalogAPI.UpdateListing.self) { request, call in
      await core.owners.named(try await update(request, call))
    }
    routes.on(CatalogAPI.DeleteListing.self) { request, call in try await delete(request, call) }
    routes.on(ListingSaleChanged.self) { event, tx in
      if try ListingStore.apply(event, in: tx) { try ListingTopic.saleChanged(event, in: tx) }
    }
    routes.previews("listing") { id in
      try await core.database.read { db in try ListingStore.preview(of: id, in: db) }
    }
    routes.topics("listing") { reader, topics in
      try await core.database.read { try ListingTopic.followable(topics, by: ListingViewer(reader.id), in: $0) }
    }
  }

  private func create(_ request: CatalogAPI.CreateListing, _ call: Call) async throws -> Listing {
    let owner = try call.user
    guard !owner.roles.contains(.guest) else { throw Problem(.forbidden, detail: "Guests must sign up to sell.") }
    let licenses = try LicenseOffer.checked(request.licenses, price: request.price)
    let id: ListingID = core.ids.make()
    try await core.media.require(
      ListingMedia.wanted(cover: request.cover, audio: request.audio), of: owner.id, for: id.topic)
    return try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        let summary = ListingSummary(
          id: id,
          kind: request.kind,
          ownerID: owner.id,
          name: request.name,
          tags: try Self.checked(request.tags ?? []),
          cover: request.cover,
          audio: request.audio,
          price: LicenseOffer.lowest(licenses),
          acceptsOffers: request.acceptsOffers ?? false,
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
        let listing = Listing(summary, description: request.description, licenses: licenses)
        try ListingStore.insert(listing, in: tx)
        try ListingMedia.report(listing.summary, in: tx)
        try tx.audit("listing.created", object: "listing:\(id)", by: call.auditActor)
        return listing
      }
    }
  }

  static func checked(_ tags: [Tag]) throws -> [Tag] {
    guard tags.count <= 10 else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.tags", message: "may have at most 10 items")])
    }
    return Set(tags).sorted { $0.rawValue < $1.rawValue }
  }

  private func update(_ request: CatalogAPI.UpdateListing, _ call: Call) async throws -> Listing {
    let user = try call.user.id
    try await requireMedia(of: request, by: user)
    return try await core.database.write { tx in
      var listing = try ListingStore.get(request.id, for: ListingViewer(user), in: tx)
      guard listing.ownerID == user else {
        throw Problem(.forbidden, detail: "Only the owner can change a listing.")
      }
      try request.ifMatch?.require(listing.version)
      try request.apply(to: &listing)
      try ListingStore.update(listing, in: tx)
      try ListingMedia.report(listing.summary, in: tx)
      try ListingTopic.changed(listing.id, version: listing.version, in: tx)
      try tx.audit("listing.changed", object: "listing:\(request.id)", by: call.auditActor)
      return listing
    }
  }

  /// Only the owner's new media are looked at: others learn first that they may not change the listing.
  private func requireMedia(of request: CatalogAPI.UpdateListing, by user: UserID) async throws {
    let listing = try await core.database.read { try ListingStore.get(request.id, for: ListingViewer(user), in: $0) }
    guard listing.ownerID == user else { return }
    let cover = request.cover.applied(to: listing.cover), audio = request.audio ?? listing.audio
    let wanted = ListingMedia.wanted(
      cover: cover == listing.cover ? nil : cover, audio: audio == listing.audio ? nil : audio)
    try await core.media.require(wanted, of: user, for: request.id.topic)
  }

  private func delete(_ request: CatalogAPI.DeleteListing, _ call: Call) async throws {
    let (id, user) = (request.id, try call.user)
    try await core.database.write { tx in
      let listing = try ListingStore.get(id, for: ListingViewer(user), in: tx)
      guard listing.ownerID == user.id || user.isModerator else {
        throw Problem(.forbidden, detail: "Only the owner or a moderator can delete a listing.")
      }
      try request.ifMatch?.require(listing.version)
      try Self.remove(listing, in: tx)
      try tx.audit("listing.deleted", object: "listing:\(id)", by: call.auditActor)
    }
  }

  /// - Throws: ``Problem`` 409 while it is auctioned.
  static func remove(_ listing: Listing, in tx: Transaction) throws {
    guard !listing.isOpenForBids else { throw Problem(.listingOpenForBids) }
    try ListingStore.delete(listing.id, in: tx)
    try ListingMedia.reportDeleted(listing.summary, in: tx)
    try ListingTopic.changed(listing.id, version: listing.version, isDeleted: true, in: tx)
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let listings = try ListingStore.list(
      "l.owner_id = \(user)", "l.id", limit: 10_000, for: ListingViewer(user), in: db)
    return [("listings", try JSONValue(listings))]
  }

  /// Rows that others refer to stay, without personal data.
  func erase(_ user: UserID, in tx: Transaction) throws {
    let listings = try ListingStore.list(
      "l.owner_id = \(user)", "l.id", limit: 100_000, for: ListingViewer(user), in: tx)
    for listing in listings {
      try ListingStore.delete(listing.id, in: tx)
      try ListingMedia.reportDeleted(listing, in: tx)
      try ListingTopic.changed(listing.id, version: listing.version, isDeleted: true, in: tx)
    }
    try ListingStore.eraseOwner(user, in: tx)
  }
}

extension CatalogAPI.UpdateListing {
  /// Makes the changes that are asked for, and counts the version.
  func apply(to listing: inout Listing) throws {
    listing.name = name ?? listing.name
    listing.description = description.applied(to: listing.description)
    listing.tags = try tags.map(Listings.checked) ?? listing.tags
    listing.cover = cover.applied(to: listing.cover)
    listing.audio = audio ?? listing.audio
    listing.acceptsOffers = acceptsOffers ?? listing.acceptsOffers
    if let licenses {
      listing.licenses = try LicenseOffer.checked(licenses, price: nil)
    } else if let price {
      listing.licenses = try LicenseOffer.repriced(listing.licenses, price)
    }
    listing.price = LicenseOffer.lowest(listing.licenses)
    listing.summary.version += 1
  }
}

extension UserCaller {
  /// Whether the user may delete other users' content; the token must have the administration scope.
  var isModerator: Bool {
    scopes.contains(Scope.administration.rawValue) && !roles.isDisjoint(with: [.support, .administrator])
  }
}

enum LicenseOffer {
  /// The given licenses after validation, or one lease at the given price.
  static func checked(_ licenses: [LicenseOption]?, price: Price?) throws -> [LicenseOption] {
    func invalid(_ message: String) -> Problem {
      Problem(.invalidRequest, errors: [.init(location: "body.licenses", message: message)])
    }
    guard let licenses else {
      guard let price else { throw invalid("is required when no price is set") }
      return [LicenseOption(kind: .lease, price: price, files: [.mp3])]
    }
    guard !licenses.isEmpty else { throw invalid("must not be empty") }
    guard Set(licenses.map(\.kind)).count == licenses.count else { throw invalid("must have at most one of each kind") }
    guard Set(licenses.map(\.price.currency)).count == 1 else { throw invalid("must have the same currency") }
    for license in licenses {
      guard license.kind != .free || license.price.amount == 0 else {
        throw invalid("must have a price of 0 for a free license")
      }
      let limits = [license.streams, license.copies, license.musicVideos, license.days].compactMap { $0 }
      guard limits.allSatisfy({ (1...1_000_000_000).contains($0) }) else {
        throw invalid("must have limits from 1 to 1000000000")
      }
      guard (1...4).contains(license.files.count), Set(license.files).count == license.files.count else {
        throw invalid("must have one to four distinct files each")
      }
    }
    return licenses
  }

  /// The listing's only license, with a new price.
  static func repriced(_ licenses: [LicenseOption], _ price: Price) throws -> [LicenseOption] {
    guard licenses.count == 1 else {
      throw Problem(
        .invalidRequest,
        errors: [.init(location: "body.price", message: "must be set per license when a listing has several")]
      )
    }
    var license = licenses[0]
    license.price = price
    return try checked([license], price: nil)
  }

  /// The price that listings are sorted by: that of the cheapest license that is not free.
  static func lowest(_ licenses: [LicenseOption]) -> Price {
    let prices = licenses.map(\.price)
    return prices.filter { $0.amount > 0 }.min { $0.amount < $1.amount } ?? prices[0]
  }
}
