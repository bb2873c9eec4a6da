import Contracts

/// Compares passwords with what is kept of them.
struct PasswordCheck: Sendable {
  private let hasher: PasswordHasher
  /// Verified where there is nothing to verify, so that it takes as long.
  private let decoy: String

  enum Verdict: Equatable {
    case wrong
    case right
    /// Right, but kept by a weaker method than today's; with the hash to keep from now on.
    case rightButWeak(better: String)
  }

  init(_ hasher: PasswordHasher) async throws {
    self.hasher = hasher
    decoy = try await hasher.hash("decoy")
  }

  /// - Parameter hash: `nil` when there is no account or it has no password.
  func check(_ password: String, against hash: String?) async throws -> Verdict {
    // Nobody has chosen such a password, and the work per byte is the caller's to give.
    let text = password.utf8.count <= 1024 ? password : ""
    guard let hash, let legacy = LegacyPassword(hash) else {
      let isRight = try await hasher.verify(text, against: hash ?? decoy)
      guard let hash, isRight else { return .wrong }
      return PasswordHasher.isCurrent(hash) ? .right : .rightButWeak(better: try await hasher.hash(text))
    }
    // One Argon2id computation either way.
    if legacy.isMatched(by: text) { return .rightButWeak(better: try await hasher.hash(text)) }
    _ = try await hasher.verify(text, against: decoy)
    return .wrong
  }
}
