import Contracts
import HTTPServing
import Persistence
import ServiceKit
import SystemPackage
import Threads

/// Appends the body of one request to an upload. What has been recorded is on the disk; a request that breaks off, or a
/// process that is killed, loses at most the last step. With a checksum, all of the body counts or nothing.
struct UploadReceiver: Sendable {
  /// How long to wait for the writer of another process, in rounds of 20 ms: it looks every half second.
  private static let lockRounds = 100

  let uploads: UploadCore
  let turn: ActiveUploads.Turn
  /// The upload as it was when this process became its writer.
  let upload: StoredUpload
  let epoch: Int64
  /// The offset at which the upload ends at the latest.
  let limit: Int64
  let checksum: UploadChecksum?

  /// - Returns: How many bytes the upload has.
  /// - Throws: ``Problem`` 409 when superseded, 413 when the body is too long, 460, 507; 400 when the connection was
  ///   cut.
  func receive(_ body: StreamedBody) async throws -> Int64 {
    defer { withExtendedLifetime(turn) {} }
    do {
      let file: UploadFile
      do { file = try await open() } catch {
        try await release()
        throw error
      }
      let outcome = await receive(body, into: file)
      let hash = try await uploads.threads.run { file.close(discards: outcome.discards) }
      if let hash { uploads.hashes.put(hash, for: upload.id, from: epoch) }
      try await release()
      if let failure = outcome.failure { throw failure }
      return outcome.end
    } catch is CancellationError {
      throw turn.reason
    }
  }

  private struct Outcome: Sendable {
    var end: Int64
    var failure: (any Error)?
    /// Whether nothing of the body counts.
    var discards = false
  }

  /// Database and threads do not stop for a canceled request: what has arrived is recorded.
  private func receive(_ body: StreamedBody, into file: UploadFile) async -> Outcome {
    var steps = UploadSteps(self, file)
    var outcome = Outcome(end: upload.received)
    do {
      try await read(body, into: &steps)
    } catch {
      outcome.failure = error
    }
    do { outcome.end = try await steps.finish() } catch {
      outcome.failure = outcome.failure ?? error
      outcome.end = steps.recorded
    }
    guard checksum != nil else { return outcome }
    guard outcome.failure == nil, file.matchesChecksum else {
      let failure = outcome.failure ?? Problem(.uploadChecksumMismatch)
      return Outcome(end: upload.received, failure: failure, discards: true)
    }
    do { try await record(outcome.end) } catch { outcome.failure = error }
    return outcome
  }

  private func read(_ body: StreamedBody, into steps: inout UploadSteps) async throws {
    var reader = body.makeReader()
    while try await reader.append(to: &steps.bytes) {
      guard steps.end <= limit else {
        steps.bytes = []
        throw Problem(.uploadTooLarge, detail: "The body exceeds the length of the upload.")
      }
      // The last step waits for the end of the body: more would make it invalid.
      if steps.bytes.count >= steps.maxBytes, steps.end < limit { try await steps.begin() }
    }
  }

  /// - Throws: ``Problem`` 409 when another writer has taken over.
  func open() async throws -> UploadFile {
    let (uploads, upload, checksum) = (uploads, upload, checksum)
    for _ in 0..<Self.lockRounds {
      guard let descriptor = try await uploads.threads.run({ try uploads.files.open(upload.id) }) else {
        try await Task.sleep(for: .milliseconds(20))
        continue
      }
      // While it waited for the lock, another writer may have completed the file, which then belongs to a blob.
      do { try await checkIsCurrent() } catch {
        try? descriptor.close()
        throw error
      }
      let hash = uploads.hashes.take(upload.id, from: upload.epoch)
      return try await uploads.threads.run {
        try UploadFile(descriptor, at: upload.received, hash: hash, checksum: checksum)
      }
    }
    throw Problem(.unavailable, detail: "Another instance still writes the upload.", retryAfter: 1)
  }

  /// - Throws: ``Problem`` 409 when another writer has taken over, 410 when the upload was canceled.
  func record(_ end: Int64) async throws {
    let isCurrent = try await uploads.database.write { [uploads, id = upload.id, epoch] tx in
      try UploadStore.record(end, of: id, in: epoch, expiresAt: uploads.expiry(from: tx.now), tx)
    }
    if !isCurrent { throw Problem(.uploadSuperseded) }
  }

  private func checkIsCurrent() async throws {
    let stored = try await uploads.database.read { [id = upload.id] db in
      try UploadStore.epochs(of: [id], in: db)
    }
    if stored[upload.id] != epoch { throw Problem(.uploadSuperseded) }
  }

  private func release() async throws {
    try await uploads.database.write { [id = upload.id, process = uploads.process] tx in
      try UploadStore.release(id, by: process, in: tx)
    }
  }
}

/// Writes and records bytes while the next ones arrive.
struct UploadSteps {
  private static let manyRequests = 64

  /// The most bytes between two records: less when so many requests come at once that their bytes would take much
  /// memory.
  let maxBytes: Int
  /// The bytes that have arrived and are not being written.
  var bytes: [UInt8] = []
  /// The end of what has been recorded, as far as is known.
  private(set) var recorded: Int64
  private let receiver: UploadReceiver
  private let file: UploadFile
  private var begun: Int64
  private var running: Task<Int64, any Error>?
  /// The reason why a step has failed. Later bytes must not take the place of the failed ones.
  private var failure: (any Error)?

  init(_ receiver: UploadReceiver, _ file: UploadFile) {
    (self.receiver, self.file) = (receiver, file)
    maxBytes = receiver.uploads.active.count > Self.manyRequests ? 1 << 18 : 1 << 20
    (recorded, begun) = (receiver.upload.received, receiver.upload.received)
    bytes.reserveCapacity(maxBytes + 65_536)
  }

  /// The end of what has arrived.
  var end: Int64 { begun + Int64(bytes.count) }

  /// Begins to write what has arrived; waits for the step before.
  mutating func begin() async throws {
    try await wait()
    let (step, start) = (bytes, begun)
    begun = end
    bytes = []
    bytes.reserveCapacity(maxBytes + 65_536)
    running = Task { [receiver, file, maxBytes] in
      try await Self.write(step, at: start, to: file, for: receiver, maxBytes)
    }
  }

  /// Writes what has arrived, and waits until it is recorded.
  mutating func finish() async throws -> Int64 {
    if bytes.isEmpty { try await wait() } else { try await begin() }
    try await wait()
    return begun
  }

  private mutating func wait() async throws {
    if let failure { throw failure }
    guard let step = running else { return }
    running = nil
    do { recorded = try await step.value } catch {
      failure = error
      throw error
    }
  }

  private static func write(
    _ bytes: [UInt8], at start: Int64, to file: UploadFile, for receiver: UploadReceiver, _ maxBytes: Int
  ) async throws -> Int64 {
    var rest = bytes[...]
    var end = start
    while !rest.isEmpty {
      let (step, offset) = (rest.prefix(maxBytes), end)
      rest = rest.dropFirst(step.count)
      end = try await receiver.uploads.threads.run { [limits = receiver.uploads.core.limits] in
        // Others have been writing since this upload was created.
        try limits.requireSpace(for: Int64(step.count))
        return try file.append(step, at: offset)
      }
      if receiver.checksum == nil { try await receiver.record(end) }
    }
    return end
  }
}
