import BlobStorage
import Contracts
import Logging
import MediaFiles
import Persistence
import ServiceKit
import SystemPackage

/// The job of a new media item: examines its file, makes what apps need, and names all of that in one transaction. It
/// may end anywhere and run again.
struct MediaProcessing: Sendable {
  let core: MediaCore
  let derivation: MediaDerivation
  let folders: ProcessingFolders

  /// Temporary failures, such as a storage that does not respond, are retried for about two days.
  static let attempts = 60

  typealias Outcome = DurableJobs<ProcessMedia>.Outcome

  func run(_ work: ProcessMedia, _ job: Job) async throws -> Outcome {
    let (media, original) = try await core.database.read { [core] db in
      (
        try core.media.findAny(work.media, in: db)?.media,
        try MediaFileStore.find(MediaFileName.original, of: work.media, in: db)
      )
    }
    guard let media, let original, media.state != .ready, media.state != .failed else { return .done }
    do {
      let content = try await folders.with(job) { folder in
        try await advance(media.id, to: .probing, job)
        // The derived files would not fit, however small.
        if media.kind != .document { try await core.requireQuota(for: 1, of: media.id) }
        let source = try await core.blobs.content(of: original.blob)
        if case .object(let blob) = source { try core.limits.requireSpace(for: blob.bytes) }
        let path = try await folders.path(of: source, in: folder)
        let derived = try await derivation.derive(
          media, from: path, in: folder, found: { try await advance(media.id, to: .processing, job) },
          progress: ProcessingProgress(media.id, core))
        try await core.requireQuota(for: derived.files.map(\.path), of: media.id)
        return (derived, stored: try await store(derived.files))
      }
      try await finish(media.id, content.0, content.stored, job)
    } catch {
      if Task.isCancelled { throw error }
      if let failures = ToolFailures.next(after: work.toolFailures, error) {
        try await tryAgain(media, after: failures, error, job)
        return .done
      }
      // A storage that is full stays so for a while: the work is repeated after growing delays.
      guard let failure = ToolFailures.failure(of: error, isLast: job.attempt >= Self.attempts) else { throw error }
      try await fail(media.id, failure, error, job)
    }
    return .done
  }

  private struct Stored {
    var files: [MediaFile] = []
    var blobs: [AnnouncedBlob] = []
  }

  /// Stores files as blobs, which nothing names yet.
  private func store(_ files: [DerivedFile]) async throws -> Stored {
    var stored = Stored()
    for file in files {
      let (hash, bytes) = try await FileDescriptor.hashed(file.path)
      stored.blobs.append(try await core.blobs.store(fileAt: file.path, as: hash))
      stored.files.append(MediaFile(name: file.name, blob: hash, bytes: bytes, contentType: file.contentType))
    }
    return stored
  }

  // MARK: states

  /// - Throws: `CancellationError` when the job belongs to another run, whose states this one must not change.
  private func advance(_ id: MediaID, to state: MediaState, _ job: Job) async throws {
    try await core.database.write { [core] tx in
      guard try job.isClaimed(in: tx) else { throw CancellationError() }
      guard let stored = try core.media.advance(id, to: state, in: tx) else { return }
      try MediaTopic.changed(stored, in: tx)
    }
  }

  private func finish(_ id: MediaID, _ content: DerivedContent, _ stored: Stored, _ job: Job) async throws {
    let (files, blobs) = (stored.files, stored.blobs + (content.picture?.blobs ?? []))
    try await core.blobs.name(blobs) { [core, derivation] tx in
      guard try job.complete(in: tx),
        let medium = try core.media.advance(id, to: .ready, content.properties, in: tx)
      else { return false }
      // Another job of the owner may have stored something since.
      let made = files + (content.picture?.files ?? [])
      try core.limits.requireQuota(for: made.reduce(0) { $0 + $1.bytes }, of: medium.media.owner, in: tx)
      try MediaFileStore.put(files, of: id, in: tx)
      if let picture = content.picture { try derivation.pictures.publish(picture, of: id, in: tx) }
      try MediaTopic.changed(medium, in: tx)
      return true
    }
  }

  private func tryAgain(_ media: Media, after failures: Int, _ error: any Error, _ job: Job) async throws {
    core.logger.warning("a program failed", metadata: ["media": "\(media.id)", "error": "\(error)"])
    try await core.database.write { [core] tx in
      guard try job.isClaimed(in: tx) else { return }
      try core.processing.add(
        media.id, media.kind, of: media.owner, after: failures, dueIn: ToolFailures.delay, in: tx)
    }
  }

  private func fail(_ id: MediaID, _ failure: MediaFailure, _ error: any Error, _ job: Job) async throws {
    core.logger.warning(
      "a media item cannot be processed",
      metadata: ["media": "\(id)", "failure": "\(failure.rawValue)", "error": "\(error)"])
    try await core.database.write { [core] tx in
      guard try job.complete(in: tx) else { return }
      // A picture that could not be cropped stays as it was published.
      let isPublished = try PictureStore.find(id, in: tx) != nil
      guard let stored = try core.media.advance(id, to: isPublished ? .ready : .failed, failure: failure, in: tx) else {
        return
      }
      try MediaTopic.changed(stored, in: tx)
    }
  }
}
