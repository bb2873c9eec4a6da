/// A change of a record that a device wants.
public struct MergeChange<Value: MergeValue>: Sendable {
  public enum Action: Sendable, Equatable { case put, delete, restore }

  public struct Field: Sendable {
    public var name: String
    public var value: Value
    /// The text that was edited; unset for what is not merged as text.
    public var base: String?

    public init(name: String, value: Value, base: String? = nil) {
      (self.name, self.value, self.base) = (name, value, base)
    }
  }

  public var action: Action
  public var version: HybridTime
  /// The version of the record that the device knew from the server, without its own edits that the server has not
  /// confirmed; zero when it knew none.
  public var seen: HybridTime
  public var fields: [Field]
  /// Versions of the variants that the user has dismissed.
  public var dismissed: [HybridTime]

  public init(
    _ action: Action, version: HybridTime, seen: HybridTime = .zero, fields: [Field] = [],
    dismissed: [HybridTime] = []
  ) {
    (self.action, self.version, self.seen) = (action, version, seen)
    (self.fields, self.dismissed) = (fields, dismissed)
  }
}

/// A field whose concurrent edits are merged as text.
public struct MergedText: Sendable, Equatable {
  public var field: String
  /// In Unicode scalars; a merge does not make longer texts.
  public var maxLength: Int

  public init(_ field: String, maxLength: Int) { (self.field, self.maxLength) = (field, maxLength) }
}

/// The budget for merges of texts; beyond it, concurrent edits of a text are kept side by side.
public struct MergeBudget: Sendable {
  public static let unlimited = MergeBudget(bytes: .max)
  /// The bytes of all texts that are compared.
  public private(set) var bytes: Int

  public init(bytes: Int) { self.bytes = bytes }

  mutating func take(_ texts: String...) -> Bool {
    let cost = texts.reduce(0) { $0 + $1.utf8.count }
    guard cost <= bytes else { return false }
    bytes -= cost
    return true
  }
}

/// The outcome of a change.
public enum MergeOutcome: Sendable, Equatable {
  /// The record is what the device has.
  case applied
  /// Another device's values won, texts were merged, or there is more in the record that the device did not know.
  case merged
  /// Two edits of a text could not be merged: one is the text, the other a variant.
  case textConflict
  /// The record is deleted. The edit is in it when it is restored.
  case deleted
  /// The record was deleted together with edits that the device had not seen.
  case deletedUnseenEdits
}

extension MergeRecord {
  /// Applies a change. The result does not depend on the device on which it is computed.
  ///
  /// - Parameter mergedTexts: Fields whose concurrent edits are merged as text; of all others, the last writer wins.
  public mutating func apply(_ change: MergeChange<Value>, mergedTexts: [MergedText] = []) -> MergeOutcome {
    var texts = MergeBudget.unlimited
    return apply(change, mergedTexts: mergedTexts, within: &texts)
  }

  /// Applies a change as far as merges of texts are within a budget.
  public mutating func apply(
    _ change: MergeChange<Value>, mergedTexts: [MergedText], within texts: inout MergeBudget
  ) -> MergeOutcome {
    let before = self
    let isUnseen = before.hasUnseen(by: change)
    var outcome: MergeOutcome
    switch change.action {
    case .put: outcome = put(change, mergedTexts, &texts)
    case .delete: outcome = delete(change, isUnseen)
    case .restore: outcome = restore(change)
    }
    if outcome == .applied, isUnseen { outcome = .merged }
    if self != before, version <= before.version { revision = before.version.next(device: 0) }
    return outcome
  }

  /// Whether the record has something of others that the author of a change did not know.
  private func hasUnseen(by change: MergeChange<Value>) -> Bool {
    func isUnseen(_ version: HybridTime) -> Bool {
      version > change.seen && version.device != change.version.device
    }
    return revision > change.seen || isUnseen(lifecycle) || fields.contains { isUnseen($0.version) }
      || variants.contains { isUnseen($0.version) }
  }

  private mutating func put(
    _ change: MergeChange<Value>, _ mergedTexts: [MergedText], _ texts: inout MergeBudget
  ) -> MergeOutcome {
    var outcome = MergeOutcome.applied
    variants.removeAll { change.dismissed.contains($0.version) }
    let before = (fields: fields, variants: variants)
    for wanted in change.fields {
      let new = Field(name: wanted.name, value: wanted.value, version: change.version)
      guard let index = fields.firstIndex(where: { $0.name == wanted.name }) else {
        fields.insert(
          new, at: fields.firstIndex { Self.precedes(wanted.name, $0.name) } ?? fields.count)
        continue
      }
      let text = mergedTexts.first { $0.field == wanted.name }
      switch text.map({ mergeText(wanted, change, $0, at: index, &texts) }) ?? setLater(new, at: index) {
      case .textConflict: outcome = .textConflict
      case .merged where outcome == .applied: outcome = .merged
      default: break
      }
    }
    guard isDeleted else { return outcome }
    // An edit that a device has made and then deleted itself is not lost.
    let isOwn = change.version < lifecycle && change.version.device == lifecycle.device
    if before != (fields, variants), !isOwn { hasLostEdits = true }
    return .deleted
  }

  /// The last writer wins.
  private mutating func setLater(_ new: Field, at index: Int) -> MergeOutcome {
    let current = fields[index]
    if new.version < current.version { return .merged }
    if new.version == current.version {
      // Not of a correct device; the greater value wins, so that the order of arrival does not matter.
      if new.value == current.value { return .applied }
      guard Self.hash(new.value) > Self.hash(current.value) else { return .merged }
    }
    fields[index] = new
    return .applied
  }

  private mutating func mergeText(
    _ wanted: MergeChange<Value>.Field, _ change: MergeChange<Value>, _ rule: MergedText, at index: Int,
    _ texts: inout MergeBudget
  ) -> MergeOutcome {
    let new = Field(name: wanted.name, value: wanted.value, version: change.version)
    let current = fields[index]
    guard let currentText = current.value.text, let newText = new.value.text, currentText != newText,
      current.version != new.version
    else { return setLater(new, at: index) }
    if let base = wanted.base {
      if currentText == base, new.version > current.version { return setLater(new, at: index) }
      // A text that became a variant in the meantime is replaced by an edit of it. It is no base of the current text: a
      // merge would take for removed what only the variant has.
      let count = variants.count
      variants.removeAll { $0.field == wanted.name && $0.text == base && $0.version < change.version }
      if variants.count == count, texts.take(base, currentText, newText),
        let text = TextMerge.merge(base: base, currentText, newText), !text.isEmpty,
        text.unicodeScalars.count <= rule.maxLength
      {
        fields[index] = Field(
          name: wanted.name, value: Value(text: text), version: max(current.version, new.version).next(device: 0))
        return .merged
      }
    } else if current.version.device == change.version.device || max(current.version, revision) <= change.seen {
      return setLater(new, at: index)
    }
    let (winner, loser) = new.version > current.version ? (new, current) : (current, new)
    fields[index] = winner
    if let text = loser.value.text { add(Variant(field: wanted.name, text: text, version: loser.version)) }
    return .textConflict
  }

  private mutating func delete(_ change: MergeChange<Value>, _ isUnseen: Bool) -> MergeOutcome {
    if isDeleted {
      lifecycle = max(lifecycle, change.version)
      return .applied
    }
    // Someone has restored the record since.
    guard change.version > lifecycle else { return .merged }
    (isDeleted, lifecycle, hasLostEdits) = (true, change.version, isUnseen)
    return isUnseen ? .deletedUnseenEdits : .applied
  }

  private mutating func restore(_ change: MergeChange<Value>) -> MergeOutcome {
    guard change.version > lifecycle else { return .merged }
    (isDeleted, lifecycle, hasLostEdits) = (false, change.version, false)
    return .applied
  }

  private mutating func add(_ variant: Variant) {
    guard !variants.contains(variant) else { return }
    variants.insert(variant, at: variants.firstIndex { $0.version > variant.version } ?? variants.count)
  }

  private static func hash(_ value: Value) -> UInt64 {
    var hash = ContentHash()
    value.hash(into: &hash)
    return hash.value
  }
}
