import BlobStorage
import Contracts
import HTTPServing
import HTTPTypes
import MediaFiles
import Persistence
import ServiceKit

/// Small pictures of media, in the sizes that processing has prepared.
struct Thumbnails: Feature {
  /// For those who may load the preview of what is sold.
  private static let maxPreviewWidth = 640
  private static let defaultWidth = 320

  let core: MediaCore
  let cache: ThumbnailCache

  var dependencies: [Dependency] { cache.dependencies }

  func register(in routes: inout Routes) {
    routes.on(MediaAPI.GetThumbnail.self) { request, call in try await thumbnail(request, call) }
  }

  private func thumbnail(_ request: MediaAPI.GetThumbnail, _ call: Call) async throws -> StoredContent {
    let set = try await thumbnails(request, call)
    let wanted = min(request.width?.value ?? Self.defaultWidth, set.isWhole ? .max : Self.maxPreviewWidth)
    let format = request.format ?? Self.preferred(call.headers)
    guard let file = set.choose(width: wanted, format) else { throw Problem(.mediaNotFound) }
    let bytes = try await cache.bytes(of: file.blob) {
      try await core.blobs.bytes(of: file.blob, atMost: ThumbnailSet.maxBytes)
    }
    return StoredContent(
      mediaType: file.contentType, length: bytes.count, tag: EntityTag(digest: file.blob.description),
      caching: set.isPublic ? .everyone(seconds: 60) : .caller(seconds: 60),
      variesBy: request.format == nil ? ["Accept"] : [], source: .bytes(bytes))
  }

  private func thumbnails(_ request: MediaAPI.GetThumbnail, _ call: Call) async throws -> ThumbnailSet {
    if let known = cache.publicSet(of: request.id, at: core.time.now()) { return known }
    let query = LinkQuery(by: request.by, expires: request.expires, signature: request.signature)
    let load = try await core.loads.find(request.id, query, call)
    guard load.right != .nothing else { throw Problem(.mediaNotFound) }
    let files = try await core.database.read { db in try MediaFileStore.list(of: request.id, in: db) }
    let isPublic = load.right == .everything(isPublic: true)
    let set = ThumbnailSet(files, isPublic: isPublic, isWhole: isPublic || load.right == .everything(isPublic: false))
    if set.files.isEmpty { throw Problem(load.stored.media.state == .ready ? .mediaNotFound : .mediaNotReady) }
    if isPublic { cache.keep(set, of: request.id, at: core.time.now()) }
    return set
  }

  /// `*/*` is also what those send who know nothing of WebP.
  private static func preferred(_ headers: HTTPFields) -> ThumbnailFormat {
    let types = headers[values: .accept].flatMap { $0.split(separator: ",") }
    let acceptsWebP = types.contains { type in
      let parts = type.lowercased().split(separator: ";").map { $0.filter { !$0.isWhitespace } }
      guard parts.first == "image/webp" else { return false }
      return !parts.dropFirst().contains { $0.hasPrefix("q=") && (Double($0.dropFirst(2)) ?? 0) <= 0 }
    }
    return acceptsWebP ? .webp : .jpeg
  }
}

/// The prepared small pictures of a media item.
struct ThumbnailSet: Sendable {
  static let maxBytes: Int64 = 8 << 20

  let files: [MediaFile]
  /// Whether everyone may load them.
  let isPublic: Bool
  /// Whether the caller may load all sizes.
  let isWhole: Bool

  init(_ all: [MediaFile], isPublic: Bool, isWhole: Bool) {
    files = all.filter { $0.name.hasPrefix("thumbnail-") || $0.name == MediaFileName.poster }
    (self.isPublic, self.isWhole) = (isPublic, isWhole)
  }

  /// The smallest that is at least as wide, otherwise the widest; the poster of a video that has nothing else.
  func choose(width: Int, _ format: ThumbnailFormat) -> MediaFile? {
    let wire = format == .webp ? DerivedPicture.Format.webp : .jpeg
    func find(_ width: Int) -> MediaFile? {
      files.first { $0.name == MediaFileName.thumbnail(width, wire) }
    }
    let wide = PictureProcessor.widths.filter { $0 >= width }.lazy.compactMap(find).first
    return wide ?? PictureProcessor.widths.reversed().lazy.filter { $0 <= width }.compactMap(find).first
      ?? files.first { $0.name == MediaFileName.poster }
  }
}
