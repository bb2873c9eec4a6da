import Contracts
import Logging
import ServiceKit
import Synchronization

/// The hosts to whom a user is connected, as matching reports it; kept for half a minute. Without matching, no one is
/// connected.
final class HostRelations: Sendable {
  private struct Pair: Hashable {
    var viewer: UserID
    var host: UserID
  }

  private static let seconds = 30.0
  private static let maxCount = 20_000
  /// Users that one request to matching can name.
  private static let maxAsked = 100

  private let environment: ServiceEnvironment
  private let known = Mutex<[Pair: (isConnected: Bool, until: Timestamp)]>([:])

  init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// The hosts to whom the viewer is connected.
  /// - Throws: ``Problem`` 503 when matching does not respond.
  func connected(_ viewer: UserID, to hosts: Set<UserID>) async throws -> Set<UserID> {
    guard environment.upstreams.find(MatchingAPI.name) != nil else { return [] }
    let now = environment.time.now()
    var connected: Set<UserID> = []
    let unknown = known.withLock { known in
      hosts.filter { host in
        guard let entry = known[Pair(viewer: viewer, host: host)], entry.until > now else { return true }
        if entry.isConnected { connected.insert(host) }
        return false
      }
    }
    let asked = Array(unknown)
    for start in stride(from: 0, to: asked.count, by: Self.maxAsked) {
      let some = Array(asked[start..<min(start + Self.maxAsked, asked.count)])
      let found = try await ask(viewer, some)
      connected.formUnion(found)
      let until = now.advanced(bySeconds: Self.seconds)
      known.withLock { known in
        if known.count + some.count > Self.maxCount { known = [:] }
        for host in some { known[Pair(viewer: viewer, host: host)] = (found.contains(host), until) }
      }
    }
    return connected
  }

  private func ask(_ viewer: UserID, _ hosts: [UserID]) async throws -> Set<UserID> {
    do {
      let request = MatchingAPI.CheckRelations(user: viewer, others: UserList(hosts))
      let answer = try await environment.client(of: MatchingAPI.self).send(request)
      return Set(answer.items.filter { $0.isConnected == true && !$0.isBlocked }.map(\.userID))
    } catch {
      environment.logger.warning("connections could not be checked", metadata: ["error": "\(error)"])
      throw Problem(.unavailable, retryAfter: 5)
    }
  }
}
