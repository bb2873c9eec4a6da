public import Contracts

extension AuditChain {
  /// The result of ``verify(against:)``.
  public struct Verdict: Sendable, Equatable {
    /// How many links were valid, from the first one that is kept to the first flaw.
    public var links: Int64 = 0
    /// How many entries were removed because of their age.
    public var removed: Int64 = 0
    /// The hash of the last valid link.
    public var head = ""
    /// How many noted heads agree with the chain.
    public var agreeing = 0
    /// The first flaw; `nil` when the chain is intact.
    public var flaw: Flaw?

    public init() {}
  }

  /// A flaw of a chain.
  public enum Flaw: Sendable, Equatable, CustomStringConvertible {
    /// An entry was altered, removed or moved.
    case broken(at: Int64)
    /// The key of an entry is not in the key ring, so that it cannot be verified.
    case unknownKey(String, at: Int64)
    /// The mark of where the removed part ended was not made with the keys.
    case forgedBase
    /// The end is missing: another service has noted a later head.
    case cut(noted: Int64, by: String)
    /// Another service has noted another hash for an entry: the chain was rewritten.
    case rewritten(at: Int64, notedBy: String)
    /// A noted head was not signed with the keys.
    case forgedNote(at: Int64, by: String)

    public var description: String {
      switch self {
      case .broken(let entry): "broken at entry \(entry)"
      case .unknownKey(let name, let entry): "the key \(name) of entry \(entry) is not in data.keys"
      case .forgedBase: "the mark of the removed entries is not authentic"
      case .cut(let entry, let noter): "the end is missing: \(noter) has noted entry \(entry)"
      case .rewritten(let entry, let noter): "rewritten: \(noter) has noted another hash of entry \(entry)"
      case .forgedNote(let entry, let noter): "what \(noter) has noted of entry \(entry) is not authentic"
      }
    }
  }

  /// Verifies the chain from its beginning, after appending all pending entries, and compares it with what other services
  /// have noted of it.
  public func verify(against notes: [AuditNote] = []) async throws -> Verdict {
    while try await extend() > 0 {}
    var verdict = Verdict()
    guard try await startsAuthentically(&verdict) else { return verdict }
    var noted: [Int64: [AuditNote]] = [:]
    for note in notes {
      guard isAuthentic(note.head) else {
        verdict.flaw = .forgedNote(at: note.head.sequence, by: note.noter)
        return verdict
      }
      noted[note.head.sequence, default: []].append(note)
    }
    compare(&verdict, noted[verdict.removed] ?? [], at: verdict.removed)
    while verdict.flaw == nil {
      let after = verdict.removed + verdict.links
      let batch = try await database.read { db in
        try db.all(
          "SELECT \(AuditTrail.columns) FROM audit WHERE sequence > \(after) ORDER BY sequence LIMIT \(Self.batch)"
        ) { try? AuditTrail.decode($0) }
      }
      if batch.isEmpty { break }
      for record in batch where verdict.flaw == nil {
        take(record, &verdict)
        let position = verdict.removed + verdict.links
        if verdict.flaw == nil { compare(&verdict, noted[position] ?? [], at: position) }
      }
    }
    let end = verdict.removed + verdict.links
    if verdict.flaw == nil, let missing = notes.filter({ $0.head.sequence > end }).max(by: { $0.isBefore($1) }) {
      verdict.flaw = .cut(noted: missing.head.sequence, by: missing.noter)
    }
    return verdict
  }

  /// Takes the end of the removed part as the start.
  private func startsAuthentically(_ verdict: inout Verdict) async throws -> Bool {
    guard let base = try await database.read({ try AuditBase.find(in: $0) }) else { return true }
    guard let code = try? code(of: "base", base.sequence, base.hash, key: base.key), Self.areEqual(code, base.code)
    else {
      verdict.flaw = .forgedBase
      return false
    }
    (verdict.removed, verdict.head) = (base.sequence, base.hash)
    return true
  }

  /// Checks the next link.
  private func take(_ record: AuditRecord?, _ verdict: inout Verdict) {
    let next = verdict.removed + verdict.links + 1
    guard let record, record.sequence == next, let key = record.key, let stored = record.hash else {
      return verdict.flaw = .broken(at: next)
    }
    do {
      let hash = try hash(of: record, key: key, as: next, after: verdict.head)
      guard Self.areEqual(hash, stored) else { return verdict.flaw = .broken(at: next) }
      verdict.links += 1
      verdict.head = stored
    } catch {
      verdict.flaw = .unknownKey(key, at: next)
    }
  }

  private func compare(_ verdict: inout Verdict, _ notes: [AuditNote], at sequence: Int64) {
    for note in notes {
      guard Self.areEqual(note.head.hash, verdict.head) else {
        return verdict.flaw = .rewritten(at: sequence, notedBy: note.noter)
      }
      verdict.agreeing += 1
    }
  }
}

/// A head that another service has noted.
public struct AuditNote: Sendable, Equatable {
  public var head: AuditHead
  /// The service that has noted it.
  public var noter: String

  public init(_ head: AuditHead, by noter: String) { (self.head, self.noter) = (head, noter) }

  func isBefore(_ other: AuditNote) -> Bool { head.sequence < other.head.sequence }
}
