import Contracts
import Events
import HTTPServing
import HTTPTypes
import HummingbirdCore
import NATSClient
import Persistence
import Synchronization

/// The readiness of a service: checks its database and, if configured, the services it calls.
final class Health: Sendable {
  struct Check: Sendable {
    let name: String
    /// A warning that is worth knowing although the check has not failed.
    var warning: @Sendable () -> String? = { nil }
    let run: @Sendable () async throws -> Void
  }

  /// The reason why a check has failed, for the line of its result.
  struct Reason: Error {
    let text: String
  }

  private struct Cached {
    var at: Timestamp?
    /// The failures by the check's name.
    var failures: [String: String] = [:]
  }

  /// How long a result is cached, in seconds, so that frequent probes are cheap.
  static let freshness = 1.0

  private let checks: [Check]
  private let time: TimeSource
  private let cached = Mutex(Cached())
  private let isStopping = Atomic<Bool>(false)

  init(checks: [Check], time: TimeSource) {
    self.checks = checks
    self.time = time
  }

  /// Reports the service as not ready from now on.
  func drain() { isStopping.store(true, ordering: .releasing) }

  /// Whether the process is about to stop.
  var isDraining: Bool { isStopping.load(ordering: .acquiring) }

  /// The failed checks with their lines; empty when ready.
  private func failures() async -> [String: String] {
    if isDraining { return ["draining": "draining failed"] }
    let now = time.now()
    if let known = cached.withLock({ cached in
      cached.at.flatMap { now.seconds(since: $0) < Self.freshness ? cached.failures : nil }
    }) {
      return known
    }
    var failures: [String: String] = [:]
    for check in checks {
      do { try await check.run() } catch let reason as Reason {
        failures[check.name] = "\(check.name) failed: \(reason.text)"
      } catch {
        failures[check.name] = "\(check.name) failed"
      }
    }
    cached.withLock { [failures] in $0 = Cached(at: now, failures: failures) }
    return failures
  }

  /// The response of `/readyz`: 200 or 503, with one line per check.
  func readiness() async -> Response {
    let (isReady, lines) = await report()
    return .text(
      isReady ? .ok : .serviceUnavailable, (lines.isEmpty ? ["ok"] : lines).joined(separator: "\n") + "\n")
  }

  /// Whether the service is ready, with one line per check.
  func report() async -> (isReady: Bool, lines: [String]) {
    let failures = await failures()
    var lines = checks.map { check in
      if let failure = failures[check.name] { return "[-] \(failure)" }
      return check.warning().map { "[!] \(check.name): \($0)" } ?? "[+] \(check.name) ok"
    }
    if let draining = failures["draining"] { lines.append("[-] \(draining)") }
    return (failures.isEmpty, lines)
  }
}

extension Health.Check {
  static func database(_ database: any Database) -> Health.Check {
    Health.Check(name: "database") {
      do {
        try await Workload.$current.withValue(.health) {
          _ = try await database.read { db in try db.first("SELECT 1") { _ in } }
        }
      } catch let error as DatabaseError where error.kind == .unavailable {
        // Not the error's details, because anyone may read them here.
        throw Health.Reason(text: "no server that accepts writes can be reached")
      }
    }
  }

  /// Without the list of ended sessions, no token can be accepted. Once it has been read, a process stays ready while
  /// auth is away, because only administration needs a newer one.
  static func endedSessions(_ feed: RevocationFeed) -> Health.Check {
    Health.Check(name: "ended-sessions", warning: { feed.warning }) {
      do { try await feed.requireFirstRead() } catch {
        throw Health.Reason(text: "auth has not answered since the start, so it is unknown which sessions have ended")
      }
    }
  }

  /// Checks whether a called service is alive, not whether it is ready: mutual readiness checks can deadlock.
  static func service(_ name: String, _ upstreams: Upstreams) -> Health.Check {
    Health.Check(name: name) {
      let transport = UpstreamTransport(name: name, upstreams: upstreams)
      let request = WireRequest(method: .get, target: "/livez", headers: [], body: nil, isRepeatable: true, seconds: 1)
      let response = try await transport.send(request, headers: [])
      guard response.status == 200 else { throw CallError.unknown("status \(response.status)") }
    }
  }
}

extension Health.Check {
  /// Requests are answered while NATS is away: events wait in the outbox.
  static func bus(_ bus: EventBus) -> Health.Check {
    Health.Check(
      name: "bus",
      warning: {
        bus.client.state == .connected ? nil : "NATS cannot be reached: events wait until it is there again"
      }
    ) {}
  }
}
