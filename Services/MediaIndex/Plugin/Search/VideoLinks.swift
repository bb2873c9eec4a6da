import Contracts
import Persistence
import ServiceKit

/// Videos on YouTube among the media: what is listed, found and saved like them, but has no file here.
struct VideoLinks: Feature {
  let core: MediaCore

  private static let limit = RateLimit(100, per: 3600, pause: .untilOneIsForgotten)

  func register(in routes: inout Routes) {
    routes.on(MediaAPI.AddVideoLink.self) { request, call in try await add(request, call) }
  }

  private func add(_ request: MediaAPI.AddVideoLink, _ call: Call) async throws -> Media {
    let user = try call.user
    guard !user.roles.contains(.guest) else { throw Problem(.forbidden, detail: "Guests must sign up to add videos.") }
    guard let video = YouTubeVideo(request.url) else {
      throw Problem(.notAVideo, errors: [.init(location: "body.url", message: "must be the URL of one video")])
    }
    let tags = try Items.checked(request.tags ?? [])
    let id = core.ids.make(MediaID.self)
    return try await core.database.write { [core] tx in
      try tx.idempotent(call.idempotencyKey) {
        try StoredLimit(Self.limit, of: user.id.rawValue, for: "video-links", core.environment.dataKeys)
          .require(in: tx)
        let media = Media(
          id: id, owner: user.id, kind: .video, state: .ready, visibility: request.visibility ?? .everyone,
          contentType: "text/html", title: request.title, description: request.description, tags: tags,
          workoutType: request.workoutType, productType: request.productType, link: VideoLink(video),
          createdAt: tx.now, version: 1)
        try core.media.insert(StoredMedia(media: media, app: user.app, video: video), in: tx)
        try tx.audit("media.added", object: "media:\(id)", by: call.auditActor)
        return media
      }
    }
  }
}
