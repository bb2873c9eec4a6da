import Contracts
import Persistence
import ServiceKit

/// Creates uploads within the limits of their user.
struct UploadCreation: Sendable {
  let uploads: UploadCore
  let user: UserCaller
  let metadata: UploadMetadata?
  let concat: String?

  /// - Throws: ``Problem`` 403, 413, 429, 507; for parts 404, 409, 410.
  func create(_ new: NewUpload) async throws -> StoredUpload {
    try Items.checkVisibility(metadata?.visibility, for: user)
    switch new {
    case .whole, .partial: try uploads.core.environment.switches.require(.uploads)
    // It was begun with its parts.
    case .final: break
    }
    switch new {
    case .whole(let length?), .partial(let length?):
      try checkSize(length)
      try uploads.core.limits.requireSpace(for: length)
    case .whole, .partial, .final: try uploads.core.limits.requireSpace()
    }
    let (id, media): (UploadID, MediaID) = (uploads.newID(), uploads.core.ids.make())
    return try await uploads.database.write { tx in
      var upload = StoredUpload(
        id: id, media: media, owner: user.id, app: user.app, metadata: metadata, concat: concat,
        place: uploads.files.place, createdAt: tx.now, expiresAt: uploads.expiry(from: tx.now))
      switch new {
      case .whole(let length): upload.length = length
      case .partial(let length): (upload.role, upload.length) = (.partial, length)
      case .final(let parts):
        (upload.role, upload.parts) = (.final, parts)
        let length = try self.length(of: parts, in: tx)
        (upload.length, upload.received) = (length, length)
        // The parts stay until they are joined.
        try uploads.core.limits.requireSpace(for: length)
        // So there are at most as many joined uploads as parts, and they take at most as much: both are limited.
        try UploadStore.reserve(parts, for: id, in: tx)
      }
      try uploads.core.limits.requireRoom(for: user.id, in: tx)
      try StorageUseStore.note(user, in: tx)
      if upload.role != .final { try checkUsage(adding: upload.length ?? 0, in: tx) }
      try uploads.store.insert(upload, in: tx)
      return upload
    }
  }

  private func checkSize(_ length: Int64) throws {
    guard length <= uploads.limits.maxBytes else {
      throw Problem(.uploadTooLarge, detail: "At most \(uploads.limits.maxBytes) bytes are accepted.")
    }
  }

  private func checkUsage(adding length: Int64, in tx: Transaction) throws {
    let usage = try uploads.store.usage(of: user.id, in: tx)
    guard usage.open < uploads.limits.maxOpen else { throw Problem(.tooManyUploads) }
    let quota = uploads.limits.quota(of: user)
    guard usage.bytes <= quota, length <= quota - usage.bytes else {
      throw Problem(.storageQuotaExceeded, detail: "At most \(quota) bytes can be stored.")
    }
  }

  private func length(of parts: [UploadID], in tx: Transaction) throws -> Int64 {
    var sum: Int64 = 0
    for id in parts {
      let part = try uploads.store.get(id, of: user.id, at: tx.now, in: tx)
      guard part.role == .partial else { throw Tus.malformed(.uploadConcat, "names an upload that is not partial") }
      guard part.isComplete else { throw Problem(.uploadIncomplete) }
      if let final = part.final, try uploads.store.find(final, in: tx) != nil { throw Problem(.uploadPartTaken) }
      guard part.place == uploads.files.place else {
        throw Problem(.unavailable, detail: "Another instance holds a part.", retryAfter: 1)
      }
      sum += part.received
      try checkSize(sum)
    }
    return sum
  }
}
