import Contracts
import HTTPTypes
import Persistence
import ServiceKit

/// Makes a request the only one that writes an upload, whoever wrote before.
struct UploadTakeover: Sendable {
  /// How long to wait for the writer of another process, in rounds of 50 ms: it looks every half second.
  private static let rounds = 20

  let uploads: UploadCore

  struct Claim: Sendable {
    var upload: StoredUpload
    /// The offset at which it ends at the latest.
    var limit: Int64
    /// `nil` when there is nothing to write.
    var epoch: Int64?
  }

  /// - Parameters:
  ///   - length: The length of the upload, which is accepted while it is unknown.
  ///   - bodyBytes: The length of what is going to be appended, if it is declared.
  /// - Throws: ``Problem`` 403, 404, 409 with the offset, 410, 413, 507.
  func claim(_ id: UploadID, at offset: Int64, length: Int64?, bodyBytes: Int?, by user: UserCaller) async throws
    -> Claim
  {
    try await uploads.database.write { [uploads] tx in
      var upload = try uploads.store.get(id, of: user.id, at: tx.now, in: tx)
      guard upload.role != .final else { throw Problem(.uploadIsFinal) }
      guard upload.received == offset else { throw Self.mismatch(upload) }
      if let length {
        guard upload.length == nil || upload.length == length, length >= upload.received else {
          throw Tus.malformed(.uploadLength, "is not the length of the upload")
        }
        upload.length = length
      }
      let limit = try limit(of: upload, user, bodyBytes, in: tx)
      guard upload.received <= limit, Int64(bodyBytes ?? 0) <= limit - upload.received else {
        throw Problem(.uploadTooLarge, detail: "The upload can have at most \(limit) bytes.")
      }
      upload.reserved = limit
      if upload.isFinished { return Claim(upload: upload, limit: limit, epoch: nil) }
      guard upload.place == uploads.files.place else {
        throw Problem(.unavailable, detail: "Another instance holds the upload.", retryAfter: 1)
      }
      if !upload.isComplete {
        let stated = length.map { $0 - upload.received } ?? 0
        try uploads.core.limits.requireSpace(for: max(stated, Int64(bodyBytes ?? 0)))
      }
      upload.expiresAt = uploads.expiry(from: tx.now)
      // The content of a complete one may be that of a blob already.
      let writer = upload.isComplete ? nil : uploads.process
      let epoch = try UploadStore.claim(
        upload, for: writer, length: upload.length, expiresAt: upload.expiresAt, in: tx)
      return Claim(upload: upload, limit: limit, epoch: writer == nil ? nil : epoch)
    }
  }

  /// The bytes that a request may append to an upload of unknown length count until it ends: the declared length of its
  /// body, or all that is left.
  private func limit(of upload: StoredUpload, _ user: UserCaller, _ bodyBytes: Int?, in tx: Transaction) throws -> Int64
  {
    if upload.isFinished { return upload.received }
    // A known length has been counted when the upload was created.
    guard let stored = try uploads.store.find(upload.id, in: tx), stored.length == nil else {
      return upload.length ?? upload.received
    }
    let others = try uploads.store.usage(of: user.id, in: tx).bytes - stored.reserved
    let maximum = min(uploads.limits.maxBytes, max(upload.received, uploads.limits.quota(of: user) - others))
    if let length = upload.length {
      guard length <= maximum else {
        throw Problem(length > uploads.limits.maxBytes ? .uploadTooLarge : .storageQuotaExceeded)
      }
      return length
    }
    guard let bodyBytes else { return maximum }
    return min(maximum, upload.received + Int64(bodyBytes))
  }

  private static func mismatch(_ upload: StoredUpload) -> Problem {
    var problem = Problem(.uploadOffsetMismatch, detail: "The upload has \(upload.received) bytes.")
      .with(header: HTTPField.Name.uploadOffset.rawName, String(upload.received))
    if upload.isFinished {
      problem = problem.with(header: HTTPField.Name.uploadMedia.rawName, upload.media.rawValue)
    }
    return problem
  }

  /// Ends the request that writes an upload, in this process or another one, so that the offset stands still. A process
  /// that does not respond has died, or finds out at its next record.
  func stopWriter(of id: UploadID) async throws {
    await uploads.active.stop(id)
    let (store, process) = (uploads.store, uploads.process)
    func isWrittenElsewhere() async throws -> Bool {
      let writer = try await uploads.database.read { db in try store.find(id, in: db)?.writer }
      return writer != nil && writer != process
    }
    guard try await isWrittenElsewhere() else { return }
    try await uploads.database.write { tx in try UploadStore.supersede(id, in: tx) }
    for _ in 0..<Self.rounds {
      try await Task.sleep(for: .milliseconds(50))
      guard try await isWrittenElsewhere() else { return }
    }
    try await uploads.database.write { tx in try UploadStore.abandon(id, in: tx) }
  }
}
