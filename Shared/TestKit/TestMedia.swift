public import Contracts
import Persistence

extension TestPlatform {
  /// A media item of a user that media-index has finished with, for tests of what uses it: it has no files.
  public func addMedium(of user: TestUser, _ kind: MediaKind = .image, _ state: MediaState = .ready) async throws
    -> MediaID
  {
    let id: MediaID = ids.make()
    try await database(of: MediaAPI.self).write { tx in
      try tx.execute(
        """
        INSERT INTO media (id, owner_id, app, kind, state, visibility, content_type, bytes, tags, created_at, version)
        VALUES (\(id), \(user.id), \(ClientApp.web), \(kind), \(state), \(MediaVisibility.owner),
                \("application/octet-stream"), \(1), \(""), \(tx.now), \(1))
        """
      )
    }
    return id
  }

  /// Delivers what services have reported about the media that they use, as their relays do.
  public func relayMediaUses(from services: [any ServiceAPI.Type]) async throws {
    for service in services {
      for event in try await recorded(MediaReferencesChanged.self, by: service) {
        try await deliver(event, from: service, to: MediaAPI.self)
      }
    }
  }

  /// Whether a user may load a media item.
  public func mayLoad(_ media: MediaID, _ user: TestUser) async throws -> Bool {
    switch try await problem({ _ = try await user.client.send(MediaAPI.GetMedia(id: media)) })?.code {
    case nil: return true
    case "media-not-found": return false
    case let code?: throw TestKitError("getting a media item: \(code)")
    }
  }
}
