import Foundation
import SyncMerge
import Testing

/// The vectors in `Tests/Fixtures/Vectors/sync.json`, which the merge in JavaScript reads as well
/// (`Tests/Web/unit/letustudy_sync_test.js`).
struct MergeVectorTests {
  private struct Vectors: Decodable {
    struct Text: Decodable {
      let base, one, other: String
      let merged: String?
    }

    struct Step: Decodable {
      struct Change: Decodable {
        let action, version, seen: String
        let fields: [String: VectorValue]
        let base: [String: String]
        let dismissed: [String]
      }

      struct Record: Decodable {
        struct Field: Decodable {
          let value: VectorValue
          let version: String
        }

        struct Variant: Decodable {
          let field, text, version: String
        }

        let fields: [String: Field]
        let variants: [Variant]
        let isDeleted, hasLostEdits: Bool
        let lifecycle, revision: String
      }

      let change: Change
      let outcome, hash: String
      let record: Record
    }

    struct Clock: Decodable {
      let now, deviceTime: UInt64
      let operations: [[String]]
    }

    let texts: [Text]
    let histories: [[Step]]
    let clocks: [Clock]
  }

  private static func vectors() throws -> Vectors {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../Fixtures/Vectors/sync.json")
    return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
  }

  /// An empty text is no version.
  private static func time(_ text: String) throws -> HybridTime {
    text.isEmpty ? .zero : try #require(HybridTime(text))
  }

  @Test func textsAreMergedAsInTheVectors() throws {
    for text in try Self.vectors().texts {
      #expect(TextMerge.merge(base: text.base, text.one, text.other) == text.merged)
    }
  }

  @Test func historiesAreMergedAsInTheVectors() throws {
    let rules = [MergedText("front", maxLength: 120), MergedText("back", maxLength: 40)]
    for history in try Self.vectors().histories {
      var record = MergeRecord<VectorValue>()
      for step in history {
        let outcome = record.apply(try Self.change(step.change), mergedTexts: rules)
        let expected = MergeRecord(
          fields: try step.record.fields.map { .init(name: $0, value: $1.value, version: try Self.time($1.version)) },
          variants: try step.record.variants.map {
            .init(field: $0.field, text: $0.text, version: try Self.time($0.version))
          }, isDeleted: step.record.isDeleted, lifecycle: try Self.time(step.record.lifecycle),
          revision: try Self.time(step.record.revision), hasLostEdits: step.record.hasLostEdits)
        #expect(record == expected)
        #expect("\(outcome)" == step.outcome)
        let hash = record.hash(collection: "cards", id: "01890a5d-ac96-774b-bcce-b302099a8057")
        #expect(hash == UInt64(step.hash, radix: 16))
      }
    }
  }

  @Test func clocksAreCorrectedAsInTheVectors() throws {
    for clock in try Self.vectors().clocks {
      var correction = ClockCorrection(now: clock.now, deviceTime: clock.deviceTime)
      for operation in clock.operations {
        let corrected = correction.correct(try Self.time(operation[0]), seen: try Self.time(operation[1]))
        #expect(corrected.description == operation[2])
      }
    }
  }

  private static func change(_ change: Vectors.Step.Change) throws -> MergeChange<VectorValue> {
    let action: MergeChange<VectorValue>.Action =
      switch change.action {
      case "delete": .delete
      case "restore": .restore
      default: .put
      }
    return MergeChange(
      action, version: try time(change.version), seen: try time(change.seen),
      fields: change.fields.sorted { $0.key < $1.key }.map { .init(name: $0, value: $1, base: change.base[$0]) },
      dismissed: try change.dismissed.map(time))
  }
}

/// A value as in JSON, hashed as docs/sync.md says.
private enum VectorValue: MergeValue, Decodable {
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([String])

  init(text: String) { self = .string(text) }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let text = try? value.decode(String.self) {
      self = .string(text)
    } else if let list = try? value.decode([String].self) {
      self = .array(list)
    } else if let flag = try? value.decode(Bool.self) {
      self = .bool(flag)
    } else {
      self = .number(try value.decode(Double.self))
    }
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }

  func hash(into hash: inout ContentHash) {
    switch self {
    case .bool(let value): hash.combine(byte: value ? 2 : 1)
    case .number(let value):
      hash.combine(byte: 3)
      hash.combine(value.bitPattern)
    case .string(let text): Self.combine(text, into: &hash)
    case .array(let list):
      hash.combine(byte: 5)
      for text in list { Self.combine(text, into: &hash) }
      hash.combine(byte: 6)
    }
  }

  private static func combine(_ text: String, into hash: inout ContentHash) {
    hash.combine(byte: 4)
    hash.combine(text)
  }
}
