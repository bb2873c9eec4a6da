import Foundation
import SystemPackage

/// Blobs in a folder of this machine: the file of `abcd…` is `ab/cd…`. Several processes may share the folder.
public struct LocalBlobs: BlobStorage {
  private let root: String
  private let threads = FileThreads()
  /// Large files are hashed and copied for minutes on threads that also read what is loaded.
  private let turns = StoreTurns(2)
  /// From how many bytes on a file is large.
  var largeBytes: Int64 = 64 << 20

  /// Copies from other file systems, until they are complete.
  private var unfinished: String { "\(root)/unfinished" }

  /// Opens a folder, which is created if necessary, and removes what was left unfinished by a crash.
  ///
  /// - Parameter folder: Files of the same file system are moved to it, others are copied.
  /// - Throws: ``BlobStorageError``.
  public static func open(_ folder: String) async throws -> LocalBlobs {
    let blobs = LocalBlobs(root: folder)
    try await blobs.threads.run { try blobs.prepare() }
    try await blobs.removeUnfinished(before: 0)
    return blobs
  }

  private init(root: String) { self.root = root }

  /// With all folders present and durable, storing a blob need not care about them.
  private func prepare() throws {
    do { try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true) } catch {
      throw BlobStorageError.refused("the folder cannot be created")
    }
    try BlobFile.makeFolder(unfinished)
    for prefix in Self.prefixes { try BlobFile.makeFolder("\(root)/\(prefix)") }
    for folder in [root, "\(root)/.."] { try withFolder(folder) { try BlobFile.synchronize($0) } }
  }

  private static let prefixes = (0...255).map { BlobHash.hex([UInt8($0)]) }

  private func folder(of hash: BlobHash) -> String { "\(root)/\(hash.description.prefix(2))" }
  private func path(of hash: BlobHash) -> String { "\(folder(of: hash))/\(hash.description.dropFirst(2))" }

  private func withFolder<Value>(_ path: String, _ body: (FileDescriptor) throws -> Value) throws -> Value {
    let folder = try FileDescriptor.open(path, .readOnly, options: [.directory, .closeOnExec])
    return try folder.closeAfter { try body(folder) }
  }

  // MARK: storing

  public func store(fileAt path: String, as hash: BlobHash) async throws {
    let isLarge = try await threads.run { [largeBytes] in try BlobFile.size(path) ?? 0 >= largeBytes }
    guard isLarge else { return try await storeNow(path, as: hash) }
    try await turns.run { try await storeNow(path, as: hash) }
  }

  private func storeNow(_ path: String, as hash: BlobHash) async throws {
    try await threads.run {
      let isNear = try BlobFile.fileSystem(of: path) == BlobFile.fileSystem(of: root)
      guard isNear else { return try storeCopy(of: path, as: hash) }
      let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      try file.closeAfter { try place(file, at: path, as: hash) }
    }
  }

  private func storeCopy(of path: String, as hash: BlobHash) throws {
    let (draft, file) = try makeDraft()
    try file.closeAfter {
      do {
        try BlobFile.copy(path, to: file)
        try place(file, at: draft, as: hash)
      } catch {
        _ = try? BlobFile.remove(draft)
        throw error
      }
    }
  }

  /// A file whose lock is held, so that ``removeUnfinished(before:)`` leaves it until it is closed.
  private func makeDraft() throws -> (path: String, file: FileDescriptor) {
    while true {
      let path = "\(unfinished)/\(UUID().uuidString.lowercased())"
      let file = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
      // It may have been removed between the two calls.
      if try BlobFile.lock(file), try BlobFile.size(path) != nil { return (path, file) }
      try file.close()
    }
  }

  /// Moves a file to the place of its hash. An existing file is replaced by the equal one: that mends it if it is
  /// damaged, and readers that have opened it do not notice. As others may use it, the new one is read once more.
  private func place(_ file: FileDescriptor, at path: String, as hash: BlobHash) throws {
    if try BlobFile.size(self.path(of: hash)) != nil, try BlobHash(fileAt: path) != hash {
      throw BlobStorageError.damaged
    }
    // Nothing that runs for the service changes it by mistake.
    guard fchmod(file.rawValue, 0o440) == 0 else { throw Errno(rawValue: errno) }
    try BlobFile.synchronize(file)
    try withFolder(folder(of: hash)) { folder in
      try BlobFile.rename(path, to: self.path(of: hash))
      try BlobFile.synchronize(folder)
    }
  }

  // MARK: reading

  public func size(of hash: BlobHash) async throws -> Int64? {
    try await threads.run { try BlobFile.size(path(of: hash)) }
  }

  public func content(of hash: BlobHash) async throws -> BlobContent {
    guard let bytes = try await size(of: hash) else { throw BlobStorageError.notFound }
    return .file(path: path(of: hash), bytes: bytes)
  }

  public func list(after hash: BlobHash?, limit: Int) async throws -> [StoredBlob] {
    try await threads.run {
      var found: [StoredBlob] = []
      let first = hash.map { String($0.description.prefix(2)) } ?? ""
      // Names of one folder at a time: 1/256 of all.
      for prefix in Self.prefixes where prefix >= first && found.count < limit {
        let hashes = try BlobFile.names(in: "\(root)/\(prefix)").compactMap { BlobHash(prefix + $0) }
        for next in hashes.sorted() where found.count < limit {
          if let hash, next <= hash { continue }
          // It may have been removed in the meantime.
          guard let bytes = try BlobFile.size(path(of: next)) else { continue }
          found.append(StoredBlob(hash: next, bytes: bytes))
        }
      }
      return found
    }
  }

  // MARK: removing

  public func remove(_ hash: BlobHash) async throws {
    try await threads.run { _ = try BlobFile.remove(path(of: hash)) }
  }

  @discardableResult
  public func removeUnfinished(before _: Int64) async throws -> Int {
    try await threads.run {
      try BlobFile.names(in: unfinished).count { name in
        let path = "\(unfinished)/\(name)"
        guard let file = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec) else { return false }
        return try file.closeAfter { try BlobFile.lock(file) && BlobFile.remove(path) }
      }
    }
  }
}
