import BlobStorage
import Contracts
import Persistence
import ServiceKit

import struct SystemPackage.FileDescriptor

/// A file of which the last byte has arrived.
struct FinishedUpload: Sendable {
  /// The media item that it becomes, chosen when the upload began: taking it in again then changes nothing.
  var id: MediaID
  /// A complete file on this machine, on the disk; it may be moved away.
  var path: String
  var bytes: Int64
  var hash: BlobHash
  var owner: UserID
  var app: ClientApp
  /// The name that the uploader's device gave it; only kept, never believed.
  var fileName: String?
  /// The kind that the uploader expects; a file of another kind is refused.
  var kind: MediaKind?
  var visibility = MediaVisibility.owner
  var title: ShortText?
}

/// The processing of a new media item; `DurableJobs` of the kind ``kind`` run it.
struct ProcessMedia: Codable, Sendable {
  static let kind = "process-media"

  var media: MediaID
  /// How often a program has ended unexpectedly.
  var toolFailures: Int?
}

/// Makes media of finished uploads.
struct MediaIntake: Sendable {
  let core: MediaCore

  /// Stores a file and adds its media item in the state `uploaded`, with the job that processes it.
  ///
  /// - Parameter commit: What else is written in the transaction, such as the end of the upload; not called when the
  ///   media item exists already.
  /// - Throws: ``Problem`` 415 for a file of an unknown or another type than wanted, 507 and 503 from the storage.
  @discardableResult
  func accept(
    _ file: FinishedUpload, committing commit: @escaping @Sendable (Transaction) throws -> Void = { _ in }
  ) async throws -> MediaID {
    let type = try Self.type(of: file)
    let stored = try await core.blobs.store(fileAt: file.path, as: file.hash)
    try await core.blobs.name([stored]) { [core] tx in
      guard try core.media.findAny(file.id, in: tx) == nil else { return false }
      let original = MediaFile(
        name: MediaFileName.original, blob: file.hash, bytes: file.bytes, contentType: type.name)
      try core.media.insert(Self.medium(file, type, at: tx.now), in: tx)
      try MediaFileStore.put([original], of: file.id, in: tx)
      try core.processing.add(file.id, type.kind, of: file.owner, in: tx)
      try commit(tx)
      return true
    }
    return file.id
  }

  /// The job that processes a media item; its deletion cancels it.
  static func job(of media: MediaID) -> String { "\(ProcessMedia.kind):\(media)" }

  /// The type of a complete file by its content.
  ///
  /// - Throws: ``Problem`` 415.
  static func type(of file: FinishedUpload) throws -> ContentType {
    let input = try FileDescriptor.open(file.path, .readOnly)
    let head = try input.closeAfter {
      try [UInt8](unsafeUninitializedCapacity: ContentType.headBytes) { buffer, count in
        while count < ContentType.headBytes {
          let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
          let read = try input.read(into: rest)
          if read == 0 { break }
          count += read
        }
      }
    }
    guard let type = ContentType(of: head, bytes: file.bytes) else { throw Problem(.mediaTypeUnsupported) }
    guard file.kind == nil || file.kind == type.kind else {
      throw Problem(.mediaTypeUnsupported, detail: "The file is of the type \(type.name).")
    }
    return type
  }

  private static func medium(_ file: FinishedUpload, _ type: ContentType, at now: Timestamp) -> StoredMedia {
    let media = Media(
      id: file.id, owner: file.owner, kind: type.kind, state: .uploaded, visibility: file.visibility,
      contentType: type.name, bytes: file.bytes, sha256: file.hash.description, title: file.title, createdAt: now,
      version: 1)
    return StoredMedia(media: media, app: file.app, fileName: file.fileName)
  }
}
