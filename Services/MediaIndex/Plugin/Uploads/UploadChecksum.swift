import Contracts
import Crypto
import Foundation

/// `Upload-Checksum`: an algorithm and the base64 hash of the request's body.
struct UploadChecksum: Sendable {
  enum Algorithm: String, CaseIterable, Sendable {
    case sha1, sha256, md5
  }

  let expected: [UInt8]
  private var hash: Hash

  private enum Hash: Sendable {
    case sha1(Insecure.SHA1)
    case sha256(SHA256)
    case md5(Insecure.MD5)
  }

  /// - Throws: ``Problem`` 400 for another algorithm, or a value that is not a hash of its length.
  init(_ text: String) throws(Problem) {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let algorithm = Algorithm(rawValue: String(parts[0])) else {
      throw Tus.malformed(.uploadChecksum, "must be one of \(Self.algorithms) and a base64 value")
    }
    let length: Int
    switch algorithm {
    case .sha1: (hash, length) = (.sha1(.init()), Insecure.SHA1.byteCount)
    case .sha256: (hash, length) = (.sha256(.init()), SHA256.byteCount)
    case .md5: (hash, length) = (.md5(.init()), Insecure.MD5.byteCount)
    }
    guard let value = Data(base64Encoded: String(parts[1])), value.count == length else {
      throw Tus.malformed(.uploadChecksum, "must be the base64 of \(length) bytes")
    }
    expected = Array(value)
  }

  static let algorithms = Algorithm.allCases.map(\.rawValue).joined(separator: ",")

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    switch hash {
    case .sha1(var hash):
      hash.update(bufferPointer: bytes)
      self.hash = .sha1(hash)
    case .sha256(var hash):
      hash.update(bufferPointer: bytes)
      self.hash = .sha256(hash)
    case .md5(var hash):
      hash.update(bufferPointer: bytes)
      self.hash = .md5(hash)
    }
  }

  /// Whether what was hashed is what the sender meant.
  var matches: Bool {
    switch hash {
    case .sha1(let hash): Array(hash.finalize()) == expected
    case .sha256(let hash): Array(hash.finalize()) == expected
    case .md5(let hash): Array(hash.finalize()) == expected
    }
  }
}

/// The SHA-256 of the first bytes of an upload, kept while requests of one process continue it.
struct RunningHash: Sendable {
  private(set) var bytes: Int64 = 0
  private var hash = SHA256()

  mutating func update(_ more: UnsafeRawBufferPointer) {
    hash.update(bufferPointer: more)
    bytes += Int64(more.count)
  }

  var digest: SHA256Digest { hash.finalize() }
}
