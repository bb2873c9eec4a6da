import Contracts
import Persistence
public import ServiceKit

/// Uploads, pictures, audio, video, search and live workouts.
public struct MediaIndexPlugin: ServicePlugin {
  public static let manifest = Manifest(
    name: MediaAPI.name,
    api: MediaAPI.self,
    calls: [AuthAPI.self, CatalogAPI.self, MatchingAPI.self, OrdersAPI.self, StudyAPI.self],
    emits: [
      RealtimeEvent.self, TopicEvent.self, TopicAccessEnded.self, UserTopicEvent.self, FollowersPushRequested.self,
    ],
    topics: ["media"],
    previews: MediaPreviews.kinds + [Livestreams.previewKind],
    consumes: [
      .init(from: AuthAPI.self, [UserDeleted.self, MediaReferencesChanged.self]),
      .init(from: CatalogAPI.self, [MediaReferencesChanged.self]),
      .init(from: MatchingAPI.self, [BlockChanged.self, MediaReferencesChanged.self]),
      .init(from: OrdersAPI.self, [MediaReferencesChanged.self]),
      .init(from: StudyAPI.self, [MediaReferencesChanged.self]),
    ],
    optionalDependencies: [CatalogAPI.self, MatchingAPI.self, OrdersAPI.self, StudyAPI.self],
    migrations: MediaIndexMigrations.all,
    sealedColumns: MediaIndexMigrations.sealedColumns,
    settings: MediaSettings.all
  )

  public let features: [any Feature]
  let core: MediaCore

  public init(environment: ServiceEnvironment) async throws {
    core = try await MediaCore(environment)
    features =
      try Self.items(core) + [MediaErasure(core)] + Self.search(core) + [Uploads(core)] + Self.pictures(core)
      + [Processing(core), Scans(core), Livestreams(core), MediaPreviews(core: core)]
  }

  private static func search(_ core: MediaCore) -> [any Feature] {
    [MediaSearch(core: core), SavedMedia(core: core), VideoLinks(core: core)]
  }

  private static func items(_ core: MediaCore) -> [any Feature] {
    [
      Items(core: core), Uses(core: core), Collection(core: core), MediaContent(core: core), StorageUpkeep(core: core),
      Blocks.feature,
    ]
  }

  private static func pictures(_ core: MediaCore) throws -> [any Feature] {
    [PictureCrops(core: core), Thumbnails(core: core, cache: try ThumbnailCache(core.environment))]
  }
}
