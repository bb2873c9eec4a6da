import Contracts
import Observability
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

struct AuthUnitTests {
  private func session(generation: Int64) -> Session {
    Session(
      id: IDGenerator().make(),
      userID: IDGenerator().make(),
      app: .web,
      tokenKey: [UInt8](repeating: 7, count: 32),
      generation: generation,
      rotatedAt: Timestamp(microseconds: 0),
      createdAt: Timestamp(microseconds: 0),
      revokedAt: nil,
      usedAt: Timestamp(microseconds: 0),
      provedAt: Timestamp(microseconds: 0),
      methods: [.password]
    )
  }

  @Test(arguments: [
    (5, 5, 0.0, RefreshDecision.rotate), (5, 4, 10.0, .repeatSuccessor), (5, 4, 10.1, .revoke), (5, 3, 0.0, .revoke),
    (5, 6, 0.0, .refuse), (5, 5, 99.0, .rotate), (5, 5, 101.0, .refuse), (5, 4, 101.0, .refuse),
  ])
  func decides(current: Int64, presented: Int64, seconds: Double, decision: RefreshDecision) {
    let limits = SessionLimits(reuseSeconds: 10, idleSeconds: 100, absoluteSeconds: 1000)
    let now = Timestamp(microseconds: 0).advanced(bySeconds: seconds)
    #expect(RefreshDecision.of(presented, for: session(generation: current), at: now, limits) == decision)
  }

  @Test func reuseWindowOfZeroForgivesNothing() {
    let limits = SessionLimits(reuseSeconds: 0, idleSeconds: 100, absoluteSeconds: 1000)
    #expect(RefreshDecision.of(4, for: session(generation: 5), at: Timestamp(microseconds: 0), limits) == .revoke)
  }

  @Test func endedSessionsRefuse() {
    var ended = session(generation: 1)
    ended.revokedAt = Timestamp(microseconds: 0)
    let limits = SessionLimits(reuseSeconds: 10, idleSeconds: 100, absoluteSeconds: 1000)
    #expect(RefreshDecision.of(1, for: ended, at: Timestamp(microseconds: 0), limits) == .refuse)
  }

  @Test func refreshTokensProveThemselves() throws {
    let session = session(generation: 258)
    let text = session.refreshToken.text(key: session.tokenKey)
    #expect(text == session.refreshToken.text(key: session.tokenKey))
    let read = try #require(RefreshToken.Unverified(text))
    #expect(read.token == session.refreshToken)
    #expect(read.isVerified(by: session.tokenKey))
    #expect(!read.isVerified(by: [UInt8](repeating: 8, count: 32)))
    // Changing any single character makes the token malformed or its MAC invalid.
    for index in text.indices {
      var forged = text
      forged.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
      if let unproved = RefreshToken.Unverified(forged) { #expect(!unproved.isVerified(by: session.tokenKey)) }
    }
  }

  @Test func passwordsAreArgon2id() async throws {
    let hasher = PasswordHasher(Metrics())
    let hash = try await hasher.hash("correct horse")
    #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
    #expect(try await hasher.hash("correct horse") != hash)
    #expect(try await hasher.verify("correct horse", against: hash))
    #expect(try await !hasher.verify("correct horsf", against: hash))
    #expect(try await !hasher.verify("correct horse", against: "not a hash"))
  }

  @Test func fullHashingQueueSaysComeBack() async throws {
    let hasher = PasswordHasher(Metrics())
    // Many more than the queue has room for, of which it may hash some while the others arrive.
    let outcomes = try await concurrently(0..<1000) { _ in
      do {
        _ = try await hasher.hash("correct horse")
        return 200
      } catch let problem as Problem { return problem.retryAfter == nil ? 0 : problem.status }
    }.counts
    #expect(Set(outcomes.keys) == [200, 503])
    #expect(outcomes[200, default: 0] >= 64)
  }
}
