public import Contracts
public import ServiceKit
import Synchronization

/// The public names of users, requested from auth once per page and cached for a minute.
public final class PublicNames: Sendable {
  private struct Known {
    var name: PublicName
    var until: Timestamp
  }

  /// The names of several users.
  public struct Found: Sendable {
    /// The available names; those of unknown users are missing.
    public var names: [UserID: PublicName]
    /// Whether auth could not be asked for all of them: some are missing or may have changed.
    public var isStale: Bool

    public subscript(user: UserID) -> PublicName? { names[user] }
  }

  private let auth: APIClient
  private let time: TimeSource
  private let state = Mutex(State())

  private struct State {
    var known: [UserID: Known] = [:]
    /// Counts what was forgotten: an answer that was under way meanwhile may be outdated.
    var changes = 0
  }

  private static let seconds = 60.0
  private static let maxCount = 10_000

  public init(_ environment: ServiceEnvironment) {
    auth = environment.client(of: AuthAPI.self)
    time = environment.time
  }

  /// The names of users. When auth cannot be reached, the latest known ones are used and the others are left out, so
  /// that the page can still be returned.
  public func of(_ users: [UserID]) async -> Found {
    let now = time.now()
    let wanted = Set(users)
    var names: [UserID: PublicName] = [:]
    let (unknown, changes) = state.withLock { state in
      let unknown = wanted.filter { user in
        guard let entry = state.known[user] else { return true }
        names[user] = entry.name
        return entry.until <= now
      }
      return (unknown, state.changes)
    }
    guard !unknown.isEmpty else { return Found(names: names, isStale: false) }
    guard let answer = try? await auth.send(AuthAPI.GetPublicNames(users: Array(unknown))) else {
      return Found(names: names, isStale: true)
    }
    for user in unknown { names[user] = nil }
    for name in answer.items { names[name.id] = name }
    state.withLock { state in
      if state.known.count + answer.items.count > Self.maxCount { state.known = [:] }
      for user in unknown { state.known[user] = nil }
      let until = state.changes == changes ? now.advanced(bySeconds: Self.seconds) : now
      for name in answer.items { state.known[name.id] = Known(name: name, until: until) }
    }
    return Found(names: names, isStale: false)
  }

  /// The user with a username; always asked, because names change hands.
  ///
  /// - Returns: `nil` when there is no such user.
  /// - Throws: ``Problem`` 503 when auth cannot be reached.
  public func find(_ username: Username) async throws -> PublicName? {
    guard let answer = try? await auth.send(AuthAPI.GetPublicNames(users: [], usernames: [username])) else {
      throw Problem(.unavailable, retryAfter: 2)
    }
    return answer.items.first
  }

  /// Forgets the name of a deleted user. May be called again.
  public func remove(_ user: UserID) {
    state.withLock { state in
      state.changes += 1
      state.known[user] = nil
    }
  }

  /// Asks for a user's name again before it is used the next time.
  public func forget(_ user: UserID) {
    state.withLock { state in
      state.changes += 1
      state.known[user]?.until = Timestamp(microseconds: 0)
    }
  }
}
