import Crypto
import Foundation
import Persistence

/// A file of a backup: a head and chunks, each of which is encrypted and authenticated when there is a key.
///
/// The head is `QUINTET1`, the letter `P` (plain) or `S` (sealed), and 32 random bytes. A chunk is its length in four
/// bytes, whose highest bit marks the last one, and its content. Sealed chunks are AES-256-GCM under a key of the file
/// (HKDF-SHA256 of the backup's key, the random bytes and the file's name), with the chunk's number as nonce and its
/// length as authenticated data, so that chunks cannot be changed, reordered, cut off or brought from other files.
enum BackupFile {
  static let magic = Array("QUINTET1".utf8)
  static let saltBytes = 32
  static let headBytes = magic.count + 1 + saltBytes
  static let chunkBytes = 1 << 20
  static let lastMark: UInt32 = 1 << 31
  static let tagBytes = 16

  static func key(_ key: SymmetricKey, _ salt: [UInt8], _ name: String) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: key, salt: salt, info: Data("quintet backup \(name)".utf8), outputByteCount: 32)
  }

  static func nonce(_ number: UInt64) throws -> AES.GCM.Nonce {
    try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 4) + bytes(number))
  }

  static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// A file that is not what was written.
  struct Damaged: Error, CustomStringConvertible {
    let path: String
    let problem: String
    var description: String { "\(path) \(problem)" }
  }
}

/// Writes a file of a backup.
struct BackupFileWriter: RowOutput {
  private let path: String
  private let file: FileHandle
  private let key: SymmetricKey?
  private var buffer: [UInt8] = []
  private var chunks: UInt64 = 0

  /// - Parameter name: What the file is, which a sealed file is bound to.
  init(_ path: String, name: String, key: SymmetricKey?) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SecretFile.CannotWrite(path: path) }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let salt = SecureBytes.random(BackupFile.saltBytes)
    self.path = path
    self.key = key.map { BackupFile.key($0, salt, name) }
    try file.write(contentsOf: BackupFile.magic + [UInt8(ascii: key == nil ? "P" : "S")] + salt)
  }

  mutating func write(_ bytes: [UInt8]) throws {
    buffer += bytes
    var start = 0
    // The last chunk is written by `finish`, so one is never empty-handed.
    while buffer.count - start > BackupFile.chunkBytes {
      try writeChunk(buffer[start..<start + BackupFile.chunkBytes], isLast: false)
      start += BackupFile.chunkBytes
    }
    if start > 0 { buffer.removeFirst(start) }
  }

  mutating func finish() throws {
    try writeChunk(buffer[...], isLast: true)
    buffer = []
    try file.synchronize()
    try file.close()
  }

  private mutating func writeChunk(_ content: ArraySlice<UInt8>, isLast: Bool) throws {
    let length = BackupFile.bytes(
      UInt32(content.count + (key == nil ? 0 : BackupFile.tagBytes)) | (isLast ? BackupFile.lastMark : 0))
    var stored = Data(content)
    if let key {
      let box = try AES.GCM.seal(content, using: key, nonce: BackupFile.nonce(chunks), authenticating: length)
      stored = box.ciphertext + box.tag
    }
    try file.write(contentsOf: Data(length) + stored)
    chunks += 1
  }
}

/// Reads a file of a backup.
struct BackupFileReader: RowInput {
  private let path: String
  private let file: FileHandle
  private let key: SymmetricKey?
  private var chunk: [UInt8] = []
  private var offset = 0
  private var chunks: UInt64 = 0
  private var isAtEnd = false

  init(_ path: String, name: String, key: SymmetricKey?) throws {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw BackupFile.Damaged(path: path, problem: "is missing")
    }
    (self.path, self.file) = (path, file)
    let head = Array(try file.read(upToCount: BackupFile.headBytes) ?? Data())
    guard head.count == BackupFile.headBytes, head.starts(with: BackupFile.magic) else {
      throw BackupFile.Damaged(path: path, problem: "is not a file of a backup")
    }
    let salt = Array(head.suffix(BackupFile.saltBytes))
    switch (head[BackupFile.magic.count], key) {
    case (UInt8(ascii: "S"), let key?): self.key = BackupFile.key(key, salt, name)
    case (UInt8(ascii: "S"), nil): throw SettingError(BackupSettings.key, "is not set, but the backup is encrypted")
    // With a key, only an encrypted backup is accepted: anyone could have put another one in its place.
    case (_, _?): throw SettingError(BackupSettings.key, "is set, but the backup is not encrypted")
    case (_, nil): self.key = nil
    }
  }

  mutating func read(_ count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      guard let more = try readSome(count - bytes.count) else {
        throw BackupFile.Damaged(path: path, problem: "ends too early")
      }
      bytes += more
    }
    return bytes
  }

  /// Up to this number of bytes, at least one; `nil` at the end.
  mutating func readSome(_ maxCount: Int) throws -> ArraySlice<UInt8>? {
    while offset == chunk.count {
      guard !isAtEnd else { return nil }
      try readChunk()
    }
    let end = min(offset + maxCount, chunk.count)
    defer { offset = end }
    return chunk[offset..<end]
  }

  private mutating func readChunk() throws {
    let head = Array(try file.read(upToCount: 4) ?? Data())
    guard head.count == 4 else { throw BackupFile.Damaged(path: path, problem: "ends too early") }
    let word = head.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let length = Int(word & ~BackupFile.lastMark)
    guard length <= BackupFile.chunkBytes + BackupFile.tagBytes else {
      throw BackupFile.Damaged(path: path, problem: "is damaged")
    }
    let stored = length == 0 ? Data() : try file.read(upToCount: length) ?? Data()
    guard stored.count == length else { throw BackupFile.Damaged(path: path, problem: "ends too early") }
    if let key {
      do {
        let box = try AES.GCM.SealedBox(
          nonce: BackupFile.nonce(chunks), ciphertext: stored.dropLast(BackupFile.tagBytes),
          tag: stored.suffix(BackupFile.tagBytes))
        chunk = Array(try AES.GCM.open(box, using: key, authenticating: head))
      } catch {
        throw BackupFile.Damaged(path: path, problem: "is damaged, or was encrypted with another backup.key")
      }
    } else {
      chunk = Array(stored)
    }
    (offset, isAtEnd) = (0, word & BackupFile.lastMark != 0)
    chunks += 1
  }
}
