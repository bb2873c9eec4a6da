import Contracts
import Foundation
import Logging
import Observability
public import Persistence
import ServiceLifecycle

/// Keeps a service's audit chain: extends it, has its end noted by other services, and removes what is too old.
struct AuditUpkeep: Sendable {
  let database: any Database
  let chain: AuditChain
  let days: Double
  let time: TimeSource
  /// The services that note the chain's end.
  let noters: @Sendable () async throws -> [(name: String, client: APIClient)]
  /// Counts heads that were refused.
  let refused: Metrics.Counter

  /// How long noted heads of others are kept, in seconds.
  private static let notedSeconds = 400 * 86_400.0

  func workers(_ logger: Logger) -> [any Service] {
    [
      PeriodicTask(
        "audit.chain", per: .platform, every: .seconds(30), wokenBy: database.wakeUps.make(on: AuditChain.topic),
        logger: logger
      ) {
        while try await chain.extend() > 0 {}
        // Entries gather, so that not each of them costs a transaction.
        try await Task.sleep(for: .seconds(1))
      },
      PeriodicTask("audit.note", per: .platform, every: .seconds(60), logger: logger) { try await reportHead(logger) },
      PeriodicTask("audit.retention", per: .platform, every: .seconds(3600), logger: logger) { try await removeOld() },
    ]
  }

  /// Has the end of the chain noted elsewhere. A service that does not respond notes a later one.
  func reportHead(_ logger: Logger) async throws {
    for noter in try await noters() {
      do {
        try await report(to: noter.client)
      } catch {
        if Self.isRefusal(error) {
          refused.increment()
          logger.error("the audit chain was cut or rewritten", metadata: ["noter": "\(noter.name)"])
          continue
        }
        logger.debug("cannot have the audit chain noted", metadata: ["noter": "\(noter.name)", "error": "\(error)"])
      }
    }
  }

  /// Another instance may report at the same time, so that a refusal counts only when it is repeated.
  private func report(to noter: APIClient, attempts: Int = 3) async throws {
    let noted = try await noter.send(AuditAPI.GetHead(service: chain.service)).head
    guard let head = try await chain.head(), noted != head else { return }
    var previous: String?
    if let noted { previous = try await chain.hash(at: noted.sequence) }
    do {
      _ = try await noter.send(AuditAPI.NoteHead(head, previous: previous))
    } catch {
      guard attempts > 1, Self.isRefusal(error) else { throw error }
      try await report(to: noter, attempts: attempts - 1)
    }
  }

  private static func isRefusal(_ error: any Error) -> Bool {
    if case CallError.problem(let problem) = error { problem.is(.auditHeadRefused) } else { false }
  }

  func removeOld() async throws {
    let now = time.now()
    while try await chain.remove(before: now.advanced(bySeconds: -days * 86_400)) > 0 {}
    try await database.write { tx in
      try AuditHeadNotes.remove(before: tx.now.advanced(bySeconds: -Self.notedSeconds), in: tx)
    }
  }
}

/// For how many days the audit trails are kept.
struct AuditDays: Sendable, Equatable, CustomStringConvertible {
  var usual = 1095
  var byService: [String: Int] = [:]

  init() {}

  /// Reads `1095,orders=3650`.
  init?(_ text: String) {
    for part in text.split(separator: ",") {
      let words = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      guard let number = words.last.flatMap({ Int($0) }), (30...36_500).contains(number) else { return nil }
      if words.count == 1 { usual = number } else { byService[words[0]] = number }
    }
  }

  subscript(service: String) -> Int { byService[service] ?? usual }

  var description: String {
    ([String(usual)] + byService.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(separator: ",")
  }
}

extension Platform {
  func auditUpkeep(of service: MountedService, _ database: any Database) throws -> AuditUpkeep {
    let name = service.manifest.name
    return AuditUpkeep(
      database: database,
      chain: AuditChain(database, of: name, keys: dataKeys),
      days: Double(try settings[PlatformSettings.auditDays][name]),
      time: time,
      noters: { [upstreams] in
        // Auth, which every service knows; of auth itself, whoever receives its events.
        guard name == AuthAPI.name else { return [(AuthAPI.name, upstreams.client(of: AuthAPI.name, caller: name))] }
        return try await Outbox(database: database).subscribers().map { subscriber in
          (subscriber.name, upstreams.client(of: subscriber.name, at: subscriber.url, caller: name))
        }
      },
      refused: metrics.counter(
        "audit_heads_refused_total", help: "Ends of the audit chain that contradicted what was noted of it.",
        labels: [("service", name)])
    )
  }

  /// Has the end of every audit chain noted now, for tests whose workers do not run.
  package func noteAuditHeads() async throws {
    for service in services {
      guard let database = service.database else { continue }
      let upkeep = try auditUpkeep(of: service, database)
      while try await upkeep.chain.extend() > 0 {}
      try await upkeep.reportHead(logging.logger(service.manifest.name))
    }
  }

  /// Verifies the audit chain of every service, and compares it with what the other services have noted of it.
  public func verifyAudit() async throws -> [(service: String, verdict: AuditChain.Verdict)] {
    var verdicts: [(String, AuditChain.Verdict)] = []
    for service in services {
      guard let database = service.database else { continue }
      let name = service.manifest.name
      var notes: [AuditNote] = []
      for other in services where other.manifest.name != name {
        let heads = try await other.database?.read { try AuditHeadNotes.list(of: name, in: $0) } ?? []
        notes += heads.map { AuditNote($0, by: other.manifest.name) }
      }
      verdicts.append((name, try await AuditChain(database, of: name, keys: dataKeys).verify(against: notes)))
    }
    return verdicts
  }
}
