import CArgon2
import Contracts
import ServiceKit
import ServiceLifecycle

/// Argon2id with the parameters that OWASP recommends first (m=19456 KiB, t=2, p=1), as PHC strings. Hashing takes tens
/// of milliseconds of CPU time, so it runs on dedicated threads, one per core, with a short queue.
struct PasswordHasher: Service {
  private static let iterations: UInt32 = 2
  private static let kibibytes: UInt32 = 19_456
  private static let lanes: UInt32 = 1
  private static let saltBytes = 16
  private static let tagBytes = 32
  /// Further callers would wait for seconds; they are asked to retry later instead.
  private static let queueLength = 64

  private let threads = WorkThreads(
    named: "argon2", waiting: queueLength,
    refusal: Problem(.overloaded, detail: "Too many concurrent sign-ins.", retryAfter: 2))
  private let computations: Metrics.Counter

  init(_ metrics: Metrics) {
    computations = metrics.counter("password_hashes_total", help: "Argon2id computations.")
    metrics.gauge("password_queue_depth", help: "Passwords waiting to be hashed.") { [threads] in Double(threads.depth)
    }
  }

  /// The PHC string of a password, with a new salt.
  /// - Throws: ``Problem`` 503 when the queue is full.
  func hash(_ password: String) async throws -> String {
    let salt = SecureBytes.random(Self.saltBytes)
    return try await onThread { try Self.hash(password, salt: salt) }
  }

  /// Whether a PHC string was created with the current parameters.
  static func isCurrent(_ hash: String) -> Bool {
    hash.hasPrefix("$argon2id$v=19$m=\(kibibytes),t=\(iterations),p=\(lanes)$")
  }

  /// Whether the password matches the PHC string; compares in constant time.
  /// - Throws: ``Problem`` 503 when the queue is full.
  func verify(_ password: String, against hash: String) async throws -> Bool {
    try await onThread {
      let bytes = Array(password.utf8)
      return argon2id_verify(hash, bytes, bytes.count) == ARGON2_OK.rawValue
    }
  }

  private static func hash(_ password: String, salt: [UInt8]) throws -> String {
    let bytes = Array(password.utf8)
    let length = argon2_encodedlen(
      iterations,
      kibibytes,
      lanes,
      UInt32(saltBytes),
      UInt32(tagBytes),
      Argon2_id
    )
    var encoded = [CChar](repeating: 0, count: length)
    let code = argon2id_hash_encoded(
      iterations,
      kibibytes,
      lanes,
      bytes,
      bytes.count,
      salt,
      salt.count,
      tagBytes,
      &encoded,
      encoded.count
    )
    guard code == ARGON2_OK.rawValue else { throw HashingFailed(code: code) }
    return String(decoding: encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private struct HashingFailed: Error {
    let code: Int32
  }

  private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await threads.run {
      computations.increment()
      return try body()
    }
  }

  func run() async throws { try await threads.run() }
}
