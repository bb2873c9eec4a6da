import Crypto
import Foundation
import Persistence

/// Files that belong to the databases, stored by the SHA-256 of their content, such as media.
public protocol BackedUpFiles: Sendable {
  /// All files, some at a time, in ascending order of their hashes.
  func list(after hash: String?) async throws -> [(hash: String, bytes: Int64)]

  /// Writes a file's content into a new file.
  /// - Returns: Whether it is there and its content has its hash.
  func copy(_ hash: String, to path: String) async throws -> Bool

  /// Stores a file whose content has this hash; it may be moved.
  func store(fileAt path: String, as hash: String) async throws
}

/// The files in the folder that all backups of a place share, so that each is copied once.
struct BackupBlobs {
  let folder: String
  let key: SymmetricKey?

  /// Encrypted files do not have their hashes as names, which would disclose to the holder of a file that it is in the
  /// backup.
  func path(of hash: String) -> String {
    let name =
      key.map { HMAC<SHA256>.authenticationCode(for: Data("blob \(hash)".utf8), using: $0).hexadecimal } ?? hash
    return "\(folder)/\(name.prefix(2))/\(name.dropFirst(2))"
  }

  func contains(_ hash: String) -> Bool { FileManager.default.fileExists(atPath: path(of: hash)) }

  /// Copies a file into the folder, complete and durable or not at all.
  func add(fileAt source: String, as hash: String) throws {
    let path = path(of: hash)
    try PrivateFiles.makeFolder((path as NSString).deletingLastPathComponent)
    guard let input = FileHandle(forReadingAtPath: source) else { throw SecretFile.CannotWrite(path: source) }
    let draft = "\(path).\(UUID().uuidString).new"
    do {
      var output = try BackupFileWriter(draft, name: "blob \(hash)", key: key)
      while let chunk = try input.read(upToCount: BackupFile.chunkBytes), !chunk.isEmpty {
        try output.write(Array(chunk))
      }
      try output.finish()
    } catch {
      unlink(draft)
      throw error
    }
    guard rename(draft, path) == 0 else { throw SecretFile.CannotWrite(path: path) }
  }

  /// Reads a file of the folder.
  /// - Throws: ``BackupFile/Damaged`` when it is missing or its content does not have its hash.
  func read(_ hash: String, _ body: (ArraySlice<UInt8>) throws -> Void = { _ in }) throws {
    let path = path(of: hash)
    var input = try BackupFileReader(path, name: "blob \(hash)", key: key)
    var hasher = SHA256()
    while let bytes = try input.readSome(BackupFile.chunkBytes) {
      hasher.update(data: bytes)
      try body(bytes)
    }
    guard hasher.finalize().hexadecimal == hash else { throw BackupFile.Damaged(path: path, problem: "is damaged") }
  }
}
