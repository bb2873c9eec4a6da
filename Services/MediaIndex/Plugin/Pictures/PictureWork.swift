import Contracts
import Foundation
import MediaFiles
import Persistence

import struct SystemPackage.FileDescriptor

/// The processing of a picture: everything that others see is made anew, from the part that its owner has chosen, and
/// without metadata.
struct PictureWork: Sendable {
  let core: MediaCore
  let processor: PictureProcessor

  /// The files of a picture, stored and not named yet.
  struct Made: Sendable {
    var files: [MediaFile]
    var blobs: [AnnouncedBlob]
    var properties: MediaProperties
    var sourceWidth: Int
    var sourceHeight: Int
  }

  /// - Parameters:
  ///   - path: The uploaded file.
  ///   - folder: An empty folder, which the caller removes.
  /// - Throws: ``MediaFiles/MediaFileError``; ``Problem`` from the storage.
  func make(_ media: MediaID, from path: String, in folder: String) async throws -> Made {
    let crop = try await core.database.read { db in try PictureStore.find(media, in: db)?.crop }
    let info = try await processor.inspect(path, in: folder)
    let derived = try await processor.derive(from: path, info, edit: crop?.edit ?? PictureEdit(), in: folder)
    try await core.requireQuota(for: derived.files.map(\.path), of: media)
    var (files, blobs): ([MediaFile], [AnnouncedBlob]) = ([], [])
    for file in derived.files {
      let name = file.nominalWidth.map { MediaFileName.thumbnail($0, file.format) } ?? MediaFileName.whole(file.format)
      let (hash, bytes) = try await FileDescriptor.hashed(file.path)
      blobs.append(try await core.blobs.store(fileAt: file.path, as: hash))
      files.append(MediaFile(name: name, blob: hash, bytes: bytes, contentType: file.format.contentType))
    }
    return Made(
      files: files,
      blobs: blobs,
      properties: MediaProperties(
        width: derived.width, height: derived.height, thumbHash: Data(derived.thumbHash).base64EncodedString()),
      sourceWidth: info.width, sourceHeight: info.height)
  }

  /// Names the files, in the transaction that completes the job, and ends the names of earlier ones.
  func publish(_ made: Made, of media: MediaID, in tx: Transaction) throws {
    let names = Set(made.files.map(\.name))
    let stale = MediaFileName.pictures.filter { !names.contains($0) }
    try MediaFileStore.delete(stale, of: media, in: tx)
    try MediaFileStore.put(made.files, of: media, in: tx)
    try PictureStore.insert(media, width: made.sourceWidth, height: made.sourceHeight, in: tx)
  }
}

extension MediaFileName {
  static func thumbnail(_ width: Int, _ format: DerivedPicture.Format) -> String {
    "thumbnail-\(width).\(suffix(of: format.contentType))"
  }

  fileprivate static func whole(_ format: DerivedPicture.Format) -> String {
    picture + suffix(of: format.contentType)
  }

  fileprivate static let pictures =
    DerivedPicture.Format.allCases.map(whole)
    + PictureProcessor.widths.flatMap { [thumbnail($0, .webp), thumbnail($0, .jpeg)] }
}
