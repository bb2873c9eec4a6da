import Contracts
import Persistence
import ServiceKit
import Threads

/// The dependencies that the parts of uploads share.
struct UploadCore: Sendable {
  let core: MediaCore
  let store: UploadStore
  let files: UploadFiles
  let limits: UploadLimits
  let threads = WorkThreads(4, named: "uploads", waiting: 1024)
  /// Whole files are read and joined on threads of their own, so that no request waits for them.
  let finishing = WorkThreads(2, named: "finish-uploads", waiting: 1024)
  let joins = UploadJoins()
  let hashes = UploadHashes()
  let active = ActiveUploads()
  /// Names this process as a writer.
  let process: String

  init(_ core: MediaCore) throws {
    let environment = core.environment
    self.core = core
    store = UploadStore(keys: environment.dataKeys)
    files = try UploadFiles(dataFolder: environment.dataFolder, ids: core.ids)
    limits = try UploadLimits(environment.settings)
    process = core.ids.text()
  }

  var database: any Database { core.database }

  func expiry(from now: Timestamp) -> Timestamp { now.advanced(bySeconds: limits.expirySeconds) }

  /// Not guessable, also by those who know when it was made: 122 random bits (RFC 9562 §5.4).
  func newID() -> UploadID {
    var bytes = SecureBytes.random(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.hexadecimal
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text += "-" }
      text.append(digit)
    }
    return UploadID(trusted: text)
  }

  /// An upload of the user.
  ///
  /// - Throws: ``Problem`` 404, 410.
  func get(_ id: UploadID, of user: UserID) async throws -> StoredUpload {
    let now = core.time.now()
    return try await database.read { [store] db in try store.get(id, of: user, at: now, in: db) }
  }

  /// Removes uploads and their bytes.
  func delete(_ ids: [UploadID]) async throws {
    try await database.write { tx in try UploadStore.delete(ids, in: tx) }
    try await removeFiles(of: ids)
  }

  /// Removes an upload that has not become its media item, and its bytes. One that was canceled while its media item
  /// was made may have files again, and one that has become its media item needs none.
  func deleteUnfinished(_ id: UploadID) async throws {
    try await database.write { tx in try UploadStore.deleteUnfinished(id, in: tx) }
    try await removeFiles(of: [id])
  }

  func removeFiles(of ids: [UploadID]) async throws {
    for id in ids { hashes.forget(id) }
    try await threads.run { [files] in files.remove(ids) }
  }
}
