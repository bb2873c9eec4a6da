import BlobStorage
import Contracts
import HTTPServing
import Persistence
import ServiceKit

/// Sends the files of media to those who may load them.
struct MediaContent: Feature {
  let core: MediaCore

  /// The longest playlist that is read into memory.
  private static let playlistBytes = 4 << 20
  /// How long caches keep what everyone may load without asking whether that is still so, in seconds.
  private static let publicSeconds = 300

  func register(in routes: inout Routes) {
    routes.on(MediaAPI.GetContent.self) { request, call in try await content(request, call) }
    routes.on(MediaAPI.GetPreview.self) { request, call in
      let query = LinkQuery(by: request.by, expires: request.expires, signature: request.signature)
      return try await derived(MediaFileName.preview, of: request.id, query, call).content
    }
    routes.on(MediaAPI.GetPoster.self) { request, call in
      let query = LinkQuery(by: request.by, expires: request.expires, signature: request.signature)
      return try await derived(MediaFileName.poster, of: request.id, query, call).content
    }
    routes.on(MediaAPI.GetWaveform.self) { request, call in
      let query = LinkQuery(by: request.by, expires: request.expires, signature: request.signature)
      let name = MediaFileName.waveform(request.samplesPerPixel ?? 1024)
      return try await derived(name, of: request.id, query, call).content
    }
    routes.on(MediaAPI.GetStreamFile.self) { request, call in
      let query = LinkQuery(by: request.by, expires: request.expires, signature: request.signature)
      return try await streamFile(request.id, "hls/\(request.file)", query, call)
    }
  }

  // MARK: the content

  private func content(_ request: MediaAPI.GetContent, _ call: Call) async throws -> StoredContent {
    let download = request.download ?? false
    guard request.license == nil else {
      try await core.links.requireLicense(request)
      let stored = try await core.loads.find(request.id)
      // A license for the recording of someone else, which its seller has no right to sell, gives nothing.
      guard stored.media.owner.rawValue == request.seller ?? "", let file = request.file else {
        throw Problem(.mediaNotFound)
      }
      return try await send(Self.name(of: file, stored), of: stored, .init(isAttachment: true))
    }
    let query = LinkQuery(by: request.by, expires: request.expires, signature: request.signature)
    let load = try await core.loads.find(request.id, query, call)
    switch load.right {
    case .nothing: throw Problem(.mediaNotFound)
    case .preview: throw Problem(.mediaNotLicensed)
    case .licensed(let files):
      guard let file = request.file ?? Self.best(of: files), files.contains(file) else {
        throw Problem(.fileNotLicensed)
      }
      return try await send(Self.name(of: file, load.stored), of: load.stored, load.style(download))
    case .everything:
      return try await send(original(for: load), of: load.stored, load.style(download))
    }
  }

  /// - Throws: ``Problem`` 404, 409.
  private func original(for load: MediaLoads.Load) async throws -> String {
    let media = load.stored.media
    guard media.link == nil else { throw Problem(.mediaNotFound) }
    if load.isByOwner || load.stored.sharesOriginal { return MediaFileName.original }
    let copy = try await core.database.read { db -> MediaFile? in
      guard media.kind != .document else { return nil }
      if media.kind == .image { return try MediaFileStore.first(MediaFileName.picture, of: media.id, in: db) }
      // A container for videos may hold nothing but a recording.
      return try MediaFileStore.find(MediaFileName.mp4, of: media.id, in: db)
        ?? MediaFileStore.find(MediaFileName.mp3, of: media.id, in: db)
    }
    guard let copy else { throw Self.missing(load.stored) }
    return copy.name
  }

  private static func best(of files: [LicensedFile]) -> LicensedFile? {
    [.wav, .mp3, .taggedMP3].first { files.contains($0) }
  }

  private static func name(of file: LicensedFile, _ stored: StoredMedia) -> String {
    switch file {
    // A phone's recording was compressed when it was made; its place and device are for its owner only.
    case .wav: stored.isInContainerOfDevices ? MediaFileName.mp3 : MediaFileName.original
    case .mp3: stored.media.contentType == "audio/mpeg" ? MediaFileName.original : MediaFileName.mp3
    case .taggedMP3: MediaFileName.preview
    case .stems: MediaFileName.stems
    }
  }

  // MARK: what is derived from it

  /// A derived file, for everyone who may know of the media item.
  private func derived(_ name: String, of id: MediaID, _ query: LinkQuery, _ call: Call) async throws -> (
    content: StoredContent, load: MediaLoads.Load
  ) {
    let load = try await core.loads.find(id, query, call)
    guard load.right != .nothing else { throw Problem(.mediaNotFound) }
    return (try await send(name, of: load.stored, load.style()), load)
  }

  private func streamFile(_ id: MediaID, _ name: String, _ query: LinkQuery, _ call: Call) async throws
    -> StoredContent
  {
    let (content, load) = try await derived(name, of: id, query, call)
    guard case .everything = load.right else { throw Problem(.mediaNotLicensed) }
    guard let text = query.text, content.mediaType == LinkedPlaylist.mediaType else { return content }
    let playlist = String(decoding: try await content.collect(upTo: Self.playlistBytes), as: UTF8.self)
    let bytes = Array(LinkedPlaylist.text(of: playlist, query: text).utf8)
    return StoredContent(
      mediaType: content.mediaType, length: bytes.count, tag: nil, disposition: content.disposition,
      source: .bytes(bytes))
  }

  // MARK: sending

  private func send(_ name: String, of stored: StoredMedia, _ style: MediaLoads.Style) async throws -> StoredContent {
    let file = try await core.database.read { db in try MediaFileStore.find(name, of: stored.id, in: db) }
    guard let file else { throw Self.missing(stored) }
    return StoredContent(
      mediaType: file.contentType, length: Int(file.bytes), tag: EntityTag(digest: file.blob.description),
      disposition: style.disposition(of: file, of: stored),
      caching: style.isPublic ? .everyone(seconds: Self.publicSeconds) : .caller(), source: try await source(of: file))
  }

  private static func missing(_ stored: StoredMedia) -> Problem {
    let isUnderWay = stored.media.state != .ready && stored.media.state != .failed
    return Problem(isUnderWay ? .mediaNotReady : .mediaNotFound, detail: "There is no such file.")
  }

  private func source(of file: MediaFile) async throws -> StoredContent.Source {
    switch try await core.blobs.content(of: file.blob) {
    case .file(let path, _): return .file(path: path)
    case .object(let blob):
      return .remote(chunks: { range in blob.read(Int64(range.lowerBound)..<Int64(range.upperBound)) })
    }
  }
}
