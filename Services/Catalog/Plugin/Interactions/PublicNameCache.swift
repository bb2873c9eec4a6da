import Contracts
import ServiceKit
import Synchronization

/// The public names of users, requested from auth once per page and cached for a minute.
final class PublicNameCache: Sendable {
  private struct Known {
    var name: PublicName
    var until: Timestamp
  }

  private let auth: APIClient
  private let time: TimeSource
  private let known = Mutex<[UserID: Known]>([:])

  private static let seconds = 60.0
  private static let maxCount = 10_000

  init(_ environment: ServiceEnvironment) {
    auth = environment.client(of: AuthAPI.self)
    time = environment.time
  }

  /// The available names. When auth cannot be reached, names are left out, so that the page can still be returned.
  func of(_ users: [UserID]) async -> [UserID: PublicName] {
    let now = time.now()
    var names = known.withLock { known in
      Dictionary(
        users.compactMap { user in known[user].flatMap { $0.until > now ? (user, $0.name) : nil } }
      ) { first, _ in first }
    }
    let unknown = Set(users).subtracting(names.keys)
    guard !unknown.isEmpty,
      let answer = try? await auth.send(AuthAPI.GetPublicNames(users: Array(unknown)))
    else { return names }
    for name in answer.items { names[name.id] = name }
    known.withLock { known in
      if known.count + answer.items.count > Self.maxCount { known = [:] }
      for name in answer.items { known[name.id] = Known(name: name, until: now.advanced(bySeconds: Self.seconds)) }
    }
    return names
  }
}
