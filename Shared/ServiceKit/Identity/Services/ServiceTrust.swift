import Contracts
import Crypto
import Foundation
import Logging
import Synchronization

/// The public keys of the services that may call. A key is known for one service only: what it signs in the name of
/// another one is refused.
///
/// The keys of a service are those of its setting, otherwise those of its file in the folder of public keys, otherwise
/// those that it publishes at its configured URL. Services without any of them are unknown.
final class ServiceTrust: Sendable {
  /// The sources of the keys of services.
  struct Sources: Sendable {
    /// Keys that an operator has distributed; `nil` when there are none for the service.
    var pinned: @Sendable (_ service: String) throws -> [ServicePublicKey]? = { _ in nil }
    /// Asks the service itself; `nil` when its URL is not configured.
    var published: @Sendable (_ service: String) async throws -> Published? = { _ in nil }
  }

  /// The keys that the instances of a service publish.
  struct Published: Sendable {
    var keys: [ServicePublicKey]
    /// Whether every instance has answered; otherwise, keys that are missing may be those of another one.
    var isComplete: Bool
  }

  private struct Caller {
    var keys: [String: P256.Signing.PublicKey] = [:]
    var askedAt: Timestamp?
    var refresh: Task<Bool, any Error>?
  }

  /// Seconds between two regular readings of the keys of all known callers.
  static let interval = 10.0
  /// The minimum interval between readings that unknown keys cause, for each service, in seconds.
  private static let minInterval = 1.0
  /// Bounds what names of services in tokens, which are not verified yet, can store.
  private static let maxCallers = 256
  static let maxKeys = 32

  private let sources: Sources
  private let logger: Logger
  private let callers = Mutex<[String: Caller]>([:])
  private let reported = Mutex<Set<String>>([])

  init(_ sources: Sources, logger: Logger) { (self.sources, self.logger) = (sources, logger) }

  /// The key of a service; asks for its keys when this one is unknown.
  /// - Throws: ``Problem`` 401 when the service has no such key; 503 when its keys cannot be read.
  func key(_ keyID: String, of service: String, at now: Timestamp) async throws -> P256.Signing.PublicKey {
    if let key = known(keyID, of: service) { return key }
    guard Self.isName(service) else { throw Problem(.tokenInvalid) }
    let refresh = callers.withLock { callers -> Task<Bool, any Error>? in
      let caller = callers[service] ?? Caller()
      if let running = caller.refresh { return running }
      if let last = caller.askedAt, abs(now.seconds(since: last)) < Self.minInterval { return nil }
      guard callers[service] != nil || callers.count < Self.maxCallers else { return nil }
      let task = Task { try await self.read(service) }
      callers[service, default: Caller()].refresh = task
      callers[service]?.askedAt = now
      return task
    }
    guard let refresh else { throw Problem(.tokenInvalid) }
    let isKnown: Bool
    do {
      isKnown = try await refresh.value
    } catch {
      warn(about: service, "has keys that cannot be read: \(error)")
      throw Problem(.unavailable, detail: "The keys of the calling service are unavailable.", retryAfter: 1)
    }
    guard isKnown else {
      warn(about: service, "is not known: neither its public keys nor its URL are set")
      throw Problem(.tokenInvalid, detail: "The calling service is not known.")
    }
    guard let key = known(keyID, of: service) else { throw Problem(.tokenInvalid) }
    return key
  }

  func known(_ keyID: String, of service: String) -> P256.Signing.PublicKey? {
    callers.withLock { $0[service]?.keys[keyID] }
  }

  /// Reads the keys of all services that have called, so that new ones are known before they sign, and those that are
  /// no longer published end.
  func refreshAll() async {
    let services = callers.withLock { callers in callers.filter { !$0.value.keys.isEmpty }.map(\.key) }
    await withTaskGroup(of: Void.self) { group in
      for service in services {
        group.addTask {
          do { _ = try await self.read(service) } catch {
            self.warn(about: service, "has keys that cannot be read again: \(error)")
          }
        }
      }
    }
  }

  /// - Returns: Whether the service is known at all.
  private func read(_ service: String) async throws -> Bool {
    var isRead = false
    defer {
      callers.withLock { callers in
        callers[service]?.refresh = nil
        // It may be asked again at once. Not later than the reading ends: until then, nothing is known of its keys.
        if !isRead { callers[service]?.askedAt = nil }
      }
    }
    let published: Published
    if let pinned = try sources.pinned(service) {
      published = Published(keys: pinned, isComplete: true)
    } else if let answer = try await sources.published(service) {
      published = answer
    } else {
      // Names that mean nothing take no place.
      callers.withLock { $0[service] = nil }
      return false
    }
    isRead = true
    let keys = Dictionary(published.keys.prefix(Self.maxKeys).map { ($0.id, $0.key) }) { first, _ in first }
    callers.withLock { callers in
      let before = callers[service]?.keys ?? [:]
      let all = published.isComplete ? keys : before.merging(keys) { $1 }
      callers[service, default: Caller()].keys = all.count <= Self.maxKeys ? all : keys
    }
    _ = reported.withLock { $0.remove(service) }
    return true
  }

  /// The names of services in settings and URLs.
  static func isName(_ text: String) -> Bool {
    (1...40).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "-")
      }
  }

  /// Once until it passes; bounded, because anyone can name a service.
  private func warn(about service: String, _ problem: String) {
    let isNew = reported.withLock { $0.count < Self.maxCallers && $0.insert(service).inserted }
    if isNew { logger.warning("a calling service \(problem)", metadata: ["service": "\(service)"]) }
  }
}
