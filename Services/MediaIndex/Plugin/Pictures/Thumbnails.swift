import BlobStorage
import Contracts
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
    let (stored, files) = try await core.database.read { [core] db in
      (try core.media.findAny(request.id, in: db), try MediaFileStore.list(of: request.id, in: db))
    }
    guard let stored else { throw Problem(.mediaNotFound) }
    let isPublic = try await core.access.right(of: nil, to: stored) == .everything
    var right = MediaRight.everything
    if !isPublic { right = try await core.access.right(of: reader(request, call), to: stored) }
    guard right != .nothing else { throw Problem(.mediaNotFound) }
    let set = ThumbnailSet(files, isPublic: isPublic, isWhole: right == .everything)
    if set.files.isEmpty {
      throw Problem(stored.media.state == .ready ? .mediaNotFound : .mediaNotReady)
    }
    if isPublic { cache.keep(set, of: request.id, at: core.time.now()) }
    return set
  }

  private func reader(_ request: MediaAPI.GetThumbnail, _ call: Call) -> MediaReader? {
    if case .user(let user) = call.caller { return MediaReader(user) }
    guard let by = request.by, let expires = request.expires, let signature = request.signature else { return nil }
    let query = [("by", by.rawValue), ("expires", "\(expires)"), ("signature", signature)]
    return core.links.creator(request.id, query.map { (name: $0.0, value: $0.1) }).map(MediaReader.init(link:))
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

/// The prepared small pictures of a medium.
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
