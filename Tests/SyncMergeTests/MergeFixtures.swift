import SyncMerge

enum TestValue: MergeValue {
  case number(Int)
  case string(String)

  init(text: String) { self = .string(text) }

  var text: String? { if case .string(let text) = self { text } else { nil } }

  func hash(into hash: inout ContentHash) {
    switch self {
    case .number(let number):
      hash.combine(byte: 1)
      hash.combine(UInt64(number))
    case .string(let text):
      hash.combine(byte: 2)
      hash.combine(text)
    }
  }
}

typealias TestRecord = MergeRecord<TestValue>
typealias TestChange = MergeChange<TestValue>

let texts = [MergedText("text", maxLength: 20_000)]

func at(_ milliseconds: UInt64, _ device: UInt64 = 1, counter: UInt16 = 0) -> HybridTime {
  HybridTime(milliseconds: milliseconds, counter: counter, device: device)
}

extension MergeChange<TestValue> {
  static func put(
    _ name: String, _ value: TestValue, at version: HybridTime, seen: HybridTime = .zero, base: String? = nil,
    dismissed: [HybridTime] = []
  ) -> Self {
    Self(
      .put, version: version, seen: seen, fields: [.init(name: name, value: value, base: base)], dismissed: dismissed)
  }

  static func delete(at version: HybridTime, seen: HybridTime = .zero) -> Self {
    Self(.delete, version: version, seen: seen)
  }

  static func restore(at version: HybridTime, seen: HybridTime = .zero) -> Self {
    Self(.restore, version: version, seen: seen)
  }
}

extension MergeRecord<TestValue> {
  var hash: UInt64 { hash(collection: "cards", id: "1") }

  /// Applies a change of the text.
  mutating func edit(_ base: String?, _ text: String, at version: HybridTime, seen: HybridTime = .zero) -> MergeOutcome
  {
    apply(.put("text", .string(text), at: version, seen: seen, base: base), mergedTexts: texts)
  }
}
