import Contracts
import Persistence
import ServiceKit

/// Media as their owners see and change them.
struct Items: Feature {
  private static let maxTags = 20

  let core: MediaCore

  func register(in routes: inout Routes) {
    routes.on(MediaAPI.GetMedia.self) { request, call in try await get(request.id, call) }
    routes.on(MediaAPI.UpdateMedia.self) { request, call in try await update(request, call) }
    routes.on(MediaAPI.DeleteMedia.self) { request, call in try await delete(request, call) }
    routes.on(MediaAPI.LinkMedia.self) { request, call in try await link(request, by: call.user) }
    routes.topics("media") { reader, topics in try await followable(topics, by: reader) }
  }

  private func get(_ id: MediaID, _ call: Call) async throws -> Media {
    let user = try call.user
    let reader = MediaReader(user)
    let stored = try await core.database.read { [core] db in try core.media.findAny(id, in: db) }
    guard let stored else { throw Problem(.mediaNotFound) }
    let right = try await core.access.right(of: reader, to: stored)
    guard right != .nothing else { throw Problem(.mediaNotFound) }
    try await core.loads.noteModeration(of: stored, by: user, call)
    return stored.shown(to: reader.id, with: right)
  }

  private func update(_ request: MediaAPI.UpdateMedia, _ call: Call) async throws -> Media {
    let caller = try call.user
    let user = caller.id
    try Self.checkVisibility(request.visibility, for: caller)
    let tags = try request.tags.map(Self.checked)
    return try await core.database.write { [core] tx in
      var stored = try core.media.get(request.id, in: tx)
      guard stored.media.owner == user else { throw Problem(.mediaNotFound) }
      try request.ifMatch?.require(stored.media.version)
      let before = stored.media.visibility
      stored.media.title = request.title.applied(to: stored.media.title)
      stored.media.description = request.description.applied(to: stored.media.description)
      stored.media.tags = tags ?? stored.media.tags
      stored.media.workoutType = request.workoutType.applied(to: stored.media.workoutType)
      stored.media.productType = request.productType.applied(to: stored.media.productType)
      stored.media.visibility = request.visibility ?? stored.media.visibility
      stored = try core.media.update(stored, in: tx)
      try MediaTopic.changed(stored, in: tx)
      if before.isWider(than: stored.media.visibility) { try MediaTopic.narrowed(stored, in: tx) }
      try tx.audit("media.changed", object: "media:\(request.id)", by: call.auditActor)
      return stored.media
    }
  }

  /// Accounts that anyone can make without a name publish nothing.
  ///
  /// - Throws: ``Problem`` 403, also for minors without a guardian's consent.
  static func checkVisibility(_ visibility: MediaVisibility?, for user: UserCaller) throws {
    guard visibility ?? .owner == .owner || !user.roles.contains(.guest) else {
      throw Problem(.forbidden, detail: "Guests must sign up to share media.")
    }
    if visibility ?? .owner != .owner { try user.requirePublishing() }
  }

  static func checked(_ tags: [Tag]) throws -> [Tag] {
    guard tags.count <= maxTags else {
      let message = "may have at most \(maxTags) items"
      throw Problem(.invalidRequest, errors: [.init(location: "body.tags", message: message)])
    }
    return Set(tags).sorted { $0.rawValue < $1.rawValue }
  }

  private func delete(_ request: MediaAPI.DeleteMedia, _ call: Call) async throws {
    let (id, user) = (request.id, try call.user)
    try await core.database.write { [core] tx in
      let stored = try core.media.get(id, in: tx)
      guard stored.media.owner == user.id || MediaReader(user).isModerator else { throw Problem(.mediaNotFound) }
      try request.ifMatch?.require(stored.media.version)
      guard try !core.removal.isUsed(id, in: tx) else { throw Problem(.mediaInUse) }
      try core.removal.remove(stored, in: tx)
      try tx.audit("media.deleted", object: "media:\(id)", by: call.auditActor)
    }
  }

  private func link(_ request: MediaAPI.LinkMedia, by user: UserCaller) async throws -> MediaLink {
    // Whoever has a link loads the file.
    try Self.checkVisibility(.everyone, for: user)
    let stored = try await core.database.read { [core] db in try core.media.findAny(request.id, in: db) }
    let file = request.file ?? MediaFilePath(checked: "content")
    // A link has its creator's rights without roles.
    var right = MediaRight.nothing
    if let stored { right = try await core.access.right(of: MediaReader(link: user.id), to: stored) }
    switch right {
    case .nothing: throw Problem(.mediaNotFound)
    case .preview where file.rawValue == "content" || file.rawValue.hasPrefix("hls/"):
      throw Problem(.mediaNotLicensed)
    default: break
    }
    let seconds = Double((request.seconds ?? LinkSeconds(checked: 3600)).value)
    let expiresAt = core.time.now().advanced(bySeconds: seconds)
    return core.links.make(request.id, file.rawValue, by: user.id, until: expiresAt)
  }

  private func followable(_ topics: [Topic], by reader: TopicReader) async throws -> [Topic] {
    let ids = topics.compactMap { MediaID(String($0.id)) }
    let found = try await core.database.read { [core] db in try core.media.list(ids, in: db) }
    var allowed: [Topic] = []
    for stored in found {
      let right = try await core.access.right(of: MediaReader(reader), to: stored)
      if right != .nothing { allowed.append(stored.id.topic) }
    }
    return allowed
  }
}
