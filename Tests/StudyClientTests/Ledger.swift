import Contracts
import SyncMerge
import Synchronization

/// The edits that the server has accepted, by its first results: the truth that every device must arrive at.
final class Ledger: Sendable {
  struct FieldKey: Hashable {
    var collection: String
    var record: String
    var field: String
  }

  struct Edit: Equatable {
    var version: HybridTime
    var value: JSONValue
  }

  private struct State {
    var accepted: Set<String> = []
    var rejected: Set<String> = []
    var edits: [FieldKey: [Edit]] = [:]
    var log: Set<String> = []
  }

  private let state = Mutex(State())

  func note(_ request: StudyAPI.Sync, _ response: SyncResponse) {
    let operations = (request.operations ?? []).compactMap { if case .valid(let value) = $0 { value } else { nil } }
    let results = Dictionary(response.results.map { ($0.operation, $0) }) { first, _ in first }
    state.withLock { state in
      for operation in operations {
        guard let result = results[operation.id] else { continue }
        switch result.status {
        case .rejected: state.rejected.insert(operation.id)
        case .duplicate: break
        case .applied, .merged: Self.accept(operation, result, &state)
        }
      }
    }
  }

  private static func accept(_ operation: SyncOperation, _ result: SyncResult, _ state: inout State) {
    guard state.accepted.insert(operation.id).inserted else { return }
    if SyncCollection(rawValue: operation.collection)?.isLog == true {
      state.log.insert(operation.record)
      return
    }
    for field in operation.fields?.members ?? [] {
      let key = FieldKey(collection: operation.collection, record: operation.record, field: field.name)
      state.edits[key, default: []].append(Edit(version: result.version ?? operation.version, value: field.value))
    }
  }

  var acceptedCount: Int { state.withLock { $0.accepted.count } }
  var rejected: Set<String> { state.withLock { $0.rejected } }

  /// The violations in a device's content: a field that does not have the value of its greatest version, a word that
  /// someone has written and that is in no text, an entry of a log that is missing.
  func violations(in content: DeviceContent) -> [String] {
    var violations: [String] = []
    let state = state.withLock { $0 }
    let records = Dictionary(content.records.map { ("\($0.collection)/\($0.id)", $0) }) { first, _ in first }
    for (key, edits) in state.edits {
      guard let record = records["\(key.collection)/\(key.record)"] else {
        violations.append("\(key.collection)/\(key.record) is missing")
        continue
      }
      let isText =
        SyncCollection(rawValue: key.collection)?.mergedTexts.contains(where: { $0.field == key.field }) ?? false
      let value = record.fields.first { $0.name == key.field }?.value
      if isText {
        let kept = Self.words(value).union(
          record.variants.filter { $0.field == key.field }.flatMap { Self.words(.string($0.text)) })
        for edit in edits {
          let lost = Self.words(edit.value).subtracting(kept)
          if !lost.isEmpty { violations.append("\(key.field) of \(key.record) has lost \(lost.sorted())") }
        }
      } else if let last = edits.max(by: { $0.version < $1.version }), last.value != value {
        violations.append("\(key.field) of \(key.record) is not that of \(last.version)")
      }
    }
    for entry in state.log where !content.records.contains(where: { $0.id == entry }) {
      violations.append("the entry \(entry) is missing")
    }
    return violations.sorted()
  }

  private static func words(_ value: JSONValue?) -> Set<String> {
    Set((value?.string ?? "").split(separator: " ").map(String.init))
  }
}
