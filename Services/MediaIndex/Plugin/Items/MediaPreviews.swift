import Contracts
import Persistence
import ServiceKit

/// The previews of links to media: only of those that everyone may load.
struct MediaPreviews: Feature {
  static let kinds = ["media", "video"]

  let core: MediaCore

  func register(in routes: inout Routes) {
    routes.previews("media") { id in try await preview(of: id) }
    routes.previews("video") { id in try await preview(of: id, .video) }
  }

  private func preview(of id: MediaID, _ kind: MediaKind? = nil) async throws -> LinkPreview? {
    let stored = try await core.database.read { db in try core.media.find(id, in: db) }
    guard let media = stored?.media, media.visibility == .everyone, media.state == .ready,
      kind == nil || kind == media.kind
    else { return nil }
    let (type, name): (LinkPreview.ObjectType, String) =
      switch media.kind {
      case .image: (.website, "Picture")
      case .audio: (.song, "Recording")
      case .video: (.video, "Video")
      case .document: (.article, "Document")
      }
    let hasPicture = media.kind == .image || media.kind == .video
    return LinkPreview(
      type: type, title: media.title?.rawValue ?? name, description: media.description?.rawValue,
      picture: hasPicture ? id : nil)
  }
}
