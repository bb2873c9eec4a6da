import Contracts
import ServiceKit
import Synchronization

/// The sessions whose tokens this gateway has verified. Their next token is looked at even while forged ones come from
/// their network: no one else knows the ID of a session, and one forgery with it makes the session unknown again.
final class KnownSessions: Sendable {
  /// The claims of a token before its signature has been checked.
  struct Claims: Decodable {
    var sid: SessionID
    /// When it expires, in seconds.
    var exp: Int64

    init?(_ token: Substring) {
      let parts = token.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
        let claims = try? WireJSON.decode(Self.self, from: payload)
      else { return nil }
      self = claims
    }
  }

  private let capacity: Int
  private let known = Mutex<[SessionID: Timestamp]>([:])

  /// - Parameter capacity: At this number, those that have not been seen for longest are forgotten.
  init(capacity: Int = 100_000) { self.capacity = capacity }

  /// Whether a token seems to be a valid one of a known session.
  func contain(_ claims: Claims?, at now: Timestamp) -> Bool {
    guard let claims, claims.exp > now.unixSeconds else { return false }
    return known.withLock { $0[claims.sid] != nil }
  }

  func add(_ session: SessionID, at now: Timestamp) {
    known.withLock { known in
      if known.count >= capacity, known[session] == nil {
        let kept = known.sorted { $0.value > $1.value }.prefix(capacity / 2)
        known = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
      }
      known[session] = now
    }
  }

  func remove(_ session: SessionID) { known.withLock { $0[session] = nil } }
}
