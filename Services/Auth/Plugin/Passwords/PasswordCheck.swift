import Contracts

/// Verifies passwords against their stored hashes.
struct PasswordCheck: Sendable {
  private let hasher: PasswordHasher
  /// Verified when there is no stored hash, so that the timing is the same.
  private let decoy: String

  enum Verdict: Equatable {
    case wrong
    case right
    /// Correct, but stored with a weaker method than the current one; carries the hash to store instead.
    case needsRehash(better: String)
  }

  init(_ hasher: PasswordHasher) async throws {
    self.hasher = hasher
    decoy = try await hasher.hash("decoy")
  }

  /// - Parameter hash: `nil` when there is no account or it has no password.
  func check(_ password: String, against hash: String?) async throws -> Verdict {
    // Valid passwords are never longer, and the caller must not control the cost of hashing.
    let text = password.utf8.count <= 1024 ? password : ""
    guard let hash, let legacy = LegacyPassword(hash) else {
      let isRight = try await hasher.verify(text, against: hash ?? decoy)
      guard let hash, isRight else { return .wrong }
      return hasher.isCurrent(hash) ? .right : .needsRehash(better: try await hasher.hash(text))
    }
    // One Argon2id computation either way.
    if legacy.isMatched(by: text) { return .needsRehash(better: try await hasher.hash(text)) }
    _ = try await hasher.verify(text, against: decoy)
    return .wrong
  }
}
