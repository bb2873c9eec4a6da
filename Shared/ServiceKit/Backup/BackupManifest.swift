import Contracts
import Crypto
import Foundation
import Persistence

/// The content of a backup; without it, which is written last, a folder is no backup.
struct BackupManifest: Codable, Sendable {
  static let format = 1
  static let file = "manifest"

  struct Blob: Codable, Sendable {
    let hash: String
    let bytes: Int64
  }

  var format = Self.format
  let madeAt: Timestamp
  /// The summaries by the services' names.
  var databases: [String: DatabaseSummary] = [:]
  /// SHA-256 of the files of the backup, as they are stored, by their names.
  var files: [String: String] = [:]
  /// Key files of the data folder.
  var keyFiles: [String] = []
  var blobs: [Blob] = []

  static func rows(of service: String) -> String { "\(service).rows" }

  func write(in folder: String, key: SymmetricKey?) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let bytes = Array(try encoder.encode(self))
    let path = "\(folder)/\(Self.file)"
    var writer = try BackupFileWriter("\(path).new", name: Self.file, key: key)
    // Its own hash, for backups without a key.
    try writer.write(Array(SHA256.hash(data: bytes)) + bytes)
    try writer.finish()
    guard rename("\(path).new", path) == 0 else { throw SecretFile.CannotWrite(path: path) }
  }

  static func read(in folder: String, key: SymmetricKey?) throws -> BackupManifest {
    let path = "\(folder)/\(file)"
    let content = try BackupFile.content(path, name: file, key: key)
    let bytes = content.dropFirst(SHA256.byteCount)
    guard content.prefix(SHA256.byteCount).elementsEqual(SHA256.hash(data: bytes)) else {
      throw BackupFile.Damaged(path: path, problem: "is damaged")
    }
    guard let manifest = try? JSONDecoder().decode(BackupManifest.self, from: Data(bytes)), manifest.format == format
    else { throw BackupFile.Damaged(path: path, problem: "is of a later version") }
    return manifest
  }
}

extension BackupFile {
  static func content(_ path: String, name: String, key: SymmetricKey?) throws -> [UInt8] {
    var reader = try BackupFileReader(path, name: name, key: key)
    var bytes: [UInt8] = []
    while let more = try reader.readSome(chunkBytes) { bytes += more }
    return bytes
  }

  /// The SHA-256 of a file as it is stored.
  static func hash(_ path: String) throws -> String {
    guard let file = FileHandle(forReadingAtPath: path) else { throw Damaged(path: path, problem: "is missing") }
    var hasher = SHA256()
    while let chunk = try file.read(upToCount: chunkBytes), !chunk.isEmpty { hasher.update(data: chunk) }
    return hasher.finalize().hexadecimal
  }
}
