import CArgon2
import Contracts
import Observability
import ServiceKit
import ServiceLifecycle
import Threads

/// Argon2id as PHC strings. Hashing takes tens of milliseconds of CPU time, so it runs on dedicated threads, one per core,
/// with a short queue.
struct PasswordHasher: Service {
  /// The parameters that decide how long a computation takes.
  struct Cost: Sendable {
    var iterations: UInt32
    var kibibytes: UInt32

    /// The first recommendation of OWASP, with one lane.
    static let standard = Cost(iterations: 2, kibibytes: 19_456)
    /// For tests, which hash thousands of passwords.
    static let least = Cost(iterations: 1, kibibytes: 8)
  }

  private static let lanes: UInt32 = 1
  private static let saltBytes = 16
  private static let tagBytes = 32
  /// Further callers would wait for seconds; they are asked to retry later instead.
  private static let queueLength = 64

  private let threads = WorkThreads(
    named: "argon2", waiting: queueLength,
    refusal: Problem(.overloaded, detail: "Too many concurrent sign-ins.", retryAfter: 2))
  private let computations: Metrics.Counter
  private let cost: Cost

  init(_ metrics: Metrics, cost: Cost = .standard) {
    self.cost = cost
    computations = metrics.counter("password_hashes_total", help: "Argon2id computations.")
    metrics.gauge("password_queue_depth", help: "Passwords waiting to be hashed.") { [threads] in Double(threads.depth)
    }
  }

  /// The PHC string of a password, with a new salt.
  /// - Throws: ``Problem`` 503 when the queue is full.
  func hash(_ password: String) async throws -> String {
    let salt = SecureBytes.random(Self.saltBytes)
    return try await onThread { [cost] in try Self.hash(password, salt: salt, cost) }
  }

  /// Whether a PHC string was created with the current parameters.
  func isCurrent(_ hash: String) -> Bool {
    hash.hasPrefix("$argon2id$v=19$m=\(cost.kibibytes),t=\(cost.iterations),p=\(Self.lanes)$")
  }

  /// Whether the password matches the PHC string; compares in constant time.
  /// - Throws: ``Problem`` 503 when the queue is full.
  func verify(_ password: String, against hash: String) async throws -> Bool {
    try await onThread {
      let bytes = Array(password.utf8)
      return argon2id_verify(hash, bytes, bytes.count) == ARGON2_OK.rawValue
    }
  }

  private static func hash(_ password: String, salt: [UInt8], _ cost: Cost) throws -> String {
    let bytes = Array(password.utf8)
    let length = argon2_encodedlen(
      cost.iterations,
      cost.kibibytes,
      lanes,
      UInt32(saltBytes),
      UInt32(tagBytes),
      Argon2_id
    )
    var encoded = [CChar](repeating: 0, count: length)
    let code = argon2id_hash_encoded(
      cost.iterations,
      cost.kibibytes,
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
