import BlobStorage
import Contracts
import Foundation
import Logging
import Persistence
import ServiceKit
import Synchronization
import SystemPackage
import Threads

/// Makes media of uploads whose last byte has arrived, also when the client has left, or the process was killed.
final class UploadFinisher: Sendable {
  private let uploads: UploadCore
  private let running = Mutex<[UploadID: Task<MediaID, any Error>]>([:])

  init(_ uploads: UploadCore) { self.uploads = uploads }

  /// Makes the media item, unless it exists; requests that wait for the same upload wait together.
  ///
  /// - Throws: ``Problem`` 415 for a file that is not accepted, of which nothing remains; 410 when it was canceled; 503
  ///   and 507, after which it is tried again.
  func finish(_ id: UploadID) async throws -> MediaID { try await begin(id).value }

  /// Waits some seconds for the media item. It is made also when nothing waits for it.
  ///
  /// - Returns: `nil` when it takes longer.
  func finishSoon(_ id: UploadID) async throws -> MediaID? {
    let task = begin(id)
    let (outcomes, outcome) = AsyncStream.makeStream(of: Result<MediaID, any Error>?.self)
    let timer = Task { [graceSeconds = uploads.limits.graceSeconds] in
      try? await Task.sleep(for: .seconds(graceSeconds))
      outcome.yield(nil)
    }
    defer { timer.cancel() }
    Task { outcome.yield(await task.result) }
    for await result in outcomes { return try result?.get() }
    return nil
  }

  /// Ends the making of a media item, unless that is about to succeed, and waits for its end: as long as it may read
  /// its parts, they belong to it.
  func stop(_ id: UploadID) async {
    let task = running.withLock { $0[id] }
    task?.cancel()
    _ = await task?.result
  }

  private func begin(_ id: UploadID) -> Task<MediaID, any Error> {
    running.withLock { running in
      if let task = running[id] { return task }
      let task = Task {
        defer { self.running.withLock { $0[id] = nil } }
        do { return try await Workload.shared { try await self.perform(id) } } catch is CancellationError {
          throw Problem(.uploadGone)
        }
      }
      running[id] = task
      return task
    }
  }

  /// Finishes what a crash, or a storage that was not available, has left. Whatever hinders one does not hinder others.
  func finishAll() async throws {
    let now = uploads.core.time.now()
    let ids = try await uploads.database.read { [place = uploads.files.place] db in
      try UploadStore.unfinished(in: place, at: now, limit: 100, db)
    }
    var failed = 0
    for id in ids {
      do { _ = try await finish(id) } catch {
        failed += 1
        await postpone(id)
      }
    }
    if failed > 0 { uploads.core.logger.warning("uploads not finished", metadata: ["count": "\(failed)"]) }
  }

  private func postpone(_ id: UploadID) async {
    do { try await uploads.database.write { tx in try UploadStore.postpone(id, in: tx) } } catch {
      // It is tried again at once, as are the others.
      uploads.core.logger.warning("an upload is not put off", metadata: ["upload": "\(id)", "error": "\(error)"])
    }
  }

  private func perform(_ id: UploadID) async throws -> MediaID {
    let stored = try await uploads.database.read { [uploads] db in try uploads.store.find(id, in: db) }
    guard let upload = stored else { throw Problem(.uploadGone) }
    if upload.isFinished { return upload.media }
    guard upload.place == uploads.files.place else {
      throw Problem(.unavailable, detail: "Another instance holds the upload.", retryAfter: 1)
    }
    let isAbsent = try await uploads.database.read { [uploads] db in
      try uploads.core.media.findAny(upload.media, in: db) == nil
    }
    if isAbsent {
      do { try await accept(upload) } catch let problem as Problem where problem.status < 500 {
        // Without all its bytes, or of a type that is not accepted, it never becomes a media item. Parts that are left
        // when others are gone expire.
        try await uploads.deleteUnfinished(id)
        if problem.status == 415, !upload.parts.isEmpty { try await uploads.delete(upload.parts) }
        throw problem
      }
    } else {
      try await uploads.database.write { tx in try self.finish(upload, in: tx) }
    }
    try await uploads.removeFiles(of: [id] + upload.parts)
    return upload.media
  }

  /// The senders of the upload learn of its media item for as long as they could have continued it.
  private func finish(_ upload: StoredUpload, in tx: Transaction) throws {
    try UploadStore.finish(upload, expiresAt: uploads.expiry(from: tx.now), in: tx)
  }

  private func accept(_ upload: StoredUpload) async throws {
    if upload.role == .final {
      try await uploads.joins.run(of: upload.owner) { try await acceptJoined(upload) }
    } else {
      let hash = try await self.hash(of: upload)
      let path = try await uploads.threads.run { [files = uploads.files] in try files.handOver(upload.id) }
      try await accept(upload, hash, at: path)
    }
  }

  private func accept(_ upload: StoredUpload, _ hash: RunningHash, at path: String) async throws {
    let metadata = upload.metadata
    let file = FinishedUpload(
      id: upload.media, path: path, bytes: upload.received, hash: BlobHash(hash.digest), owner: upload.owner,
      app: upload.app, fileName: metadata?.fileName, kind: try metadata?.kind,
      visibility: try metadata?.visibility ?? .owner, title: try metadata?.title)
    try await MediaIntake(core: uploads.core).accept(file) { tx in try self.finish(upload, in: tx) }
  }

  /// - Throws: ``Problem`` 410 when bytes are missing.
  private func hash(of upload: StoredUpload) async throws -> RunningHash {
    if let known = uploads.hashes.take(upload.id, from: upload.epoch), known.bytes == upload.received { return known }
    let reader = UploadReading(length: upload.received)
    // An upload without bytes has no file yet.
    if upload.received == 0 {
      try await uploads.threads.run { [files = uploads.files] in try files.open(upload.id)?.close() }
    }
    let path = uploads.files.path(of: upload.id)
    while try await uploads.finishing.run({ try reader.read(path) { _ in } }) { try Task.checkCancellation() }
    return reader.hash
  }

  /// A joined upload's own file is empty: its lock makes one process join at a time. What is handed over becomes
  /// the content of a blob, so that it is written anew after a failure.
  private func acceptJoined(_ upload: StoredUpload) async throws {
    let (uploads, threads) = (uploads, uploads.threads)
    guard let lock = try await threads.run({ try uploads.files.open(upload.id) }) else {
      throw Problem(.unavailable, detail: "Another instance joins the upload.", retryAfter: 1)
    }
    defer { try? lock.close() }
    // It may have waited for long: others have finished it, or its owner has canceled it.
    if try await find(upload.id).isFinished { return }
    try uploads.core.limits.requireSpace(for: upload.received)
    do {
      let (path, target) = try await threads.run {
        let (path, file) = try uploads.files.createHandedOver(upload.id)
        return (path, try UploadFile(file, at: 0, hash: nil, checksum: nil))
      }
      try await accept(upload, try await join(upload, into: target), at: path)
    } catch {
      // It may take as much as all parts.
      try? await threads.run { uploads.files.removeHandedOver(upload.id) }
      throw error
    }
  }

  /// - Throws: ``Problem`` 410 when it was canceled.
  private func find(_ id: UploadID) async throws -> StoredUpload {
    try Task.checkCancellation()
    guard let upload = try await uploads.database.read({ [uploads] db in try uploads.store.find(id, in: db) }) else {
      throw Problem(.uploadGone)
    }
    return upload
  }

  /// Writes the parts one after the other, as long as it is not canceled and the disk has space.
  private func join(_ upload: StoredUpload, into target: UploadFile) async throws -> RunningHash {
    let (uploads, threads) = (uploads, uploads.finishing)
    for part in upload.parts {
      let stored = try await find(part)
      guard stored.isComplete, stored.final == upload.id, stored.owner == upload.owner, stored.place == upload.place
      else { throw Problem(.uploadGone) }
      let reader = UploadReading(length: stored.received)
      let path = uploads.files.path(of: part)
      var hasMore = true
      while hasMore {
        _ = try await find(upload.id)
        hasMore = try await threads.run {
          try reader.read(path) { bytes in
            try uploads.core.limits.requireSpace(for: Int64(bytes.count))
            _ = try target.append(bytes, at: target.end)
          }
        }
      }
    }
    guard let hash = try await threads.run({ target.close(discards: false) }), hash.bytes == upload.received else {
      throw Problem(.uploadGone)
    }
    return hash
  }
}

/// Reads a file from its start, some steps at a time, so that other uploads get their turn on the threads.
private final class UploadReading: Sendable {
  private static let stepBytes = 1 << 20
  private static let steps = 8

  private let length: Int64
  private let state = Mutex(RunningHash())

  init(length: Int64) { self.length = length }

  var hash: RunningHash { state.withLock { $0 } }

  /// - Returns: Whether there is more.
  /// - Throws: ``Problem`` 410 when the file is shorter than expected or does not exist.
  func read(_ path: String, _ take: (ArraySlice<UInt8>) throws -> Void) throws -> Bool {
    try state.withLock { hash in
      if length == 0 { return false }
      let input: FileDescriptor
      do { input = try .open(path, .readOnly) } catch Errno.noSuchFileOrDirectory { throw Problem(.uploadGone) }
      return try input.closeAfter {
        for _ in 0..<Self.steps where hash.bytes < length {
          let wanted = Int(min(Int64(Self.stepBytes), length - hash.bytes))
          let offset = hash.bytes
          let bytes = try [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            count = try input.read(fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer(buffer))
          }
          guard !bytes.isEmpty else { throw Problem(.uploadGone) }
          bytes.withUnsafeBytes { hash.update($0) }
          try take(bytes[...])
        }
        return hash.bytes < length
      }
    }
  }
}
