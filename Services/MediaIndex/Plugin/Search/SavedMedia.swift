import Contracts
import Persistence
import ServiceKit

/// Media that users save to find them again.
struct SavedMedia: Feature {
  let core: MediaCore

  private static let maxCount = 5000

  func register(in routes: inout Routes) {
    routes.on(MediaAPI.SaveMedia.self) { request, call in try await save(request.id, by: call.user) }
    routes.on(MediaAPI.UnsaveMedia.self) { request, call -> Void in
      let user = try call.user.id
      try await core.database.write { tx in try SavedMediaStore.delete(request.id, of: user, in: tx) }
    }
    routes.on(MediaAPI.ListSavedMedia.self) { request, call in try await list(request, of: call.user) }
  }

  private func save(_ id: MediaID, by user: UserCaller) async throws {
    let stored = try await core.database.read { [core] db in try core.media.get(id, in: db) }
    guard try await core.access.right(of: MediaReader(user), to: stored) != .nothing else {
      throw Problem(.mediaNotFound)
    }
    let saved = core.ids.make(SavedMediaID.self)
    try await core.database.write { [core] tx in
      _ = try core.media.get(id, in: tx)
      try SavedMediaStore.insert(saved, id, of: user.id, in: tx)
      guard try SavedMediaStore.count(of: user.id, in: tx) <= Self.maxCount else { throw Problem(.tooManySaved) }
    }
  }

  private func list(_ request: MediaAPI.ListSavedMedia, of user: UserCaller) async throws -> Page<Media> {
    let page = try request.page(by: SavedMediaID.self)
    let (found, media) = try await core.database.read { [core] db in
      let found = try page.fetch(
        { try SavedMediaStore.list(of: user.id, before: $0, limit: $1, in: db) }, key: \.id)
      return (found, try core.media.list(found.rows.map(\.media), in: db))
    }
    let byID = Dictionary(media.map { ($0.id, $0) }) { first, _ in first }
    var items: [Media] = []
    for stored in found.rows.compactMap({ byID[$0.media] }) {
      let right = try await core.access.right(of: MediaReader(user), to: stored)
      if right != .nothing { items.append(stored.shown(to: user.id, with: right)) }
    }
    return found.with(items)
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let saved = try SavedMediaStore.list(of: user, before: nil, limit: Self.maxCount, in: db)
    return [("savedMedia", try JSONValue(saved.map(\.media)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try SavedMediaStore.delete(of: user, in: tx) }
}
