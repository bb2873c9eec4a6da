/// A value of a field. The merge compares values and, for texts, reads them; everything else about them is opaque.
public protocol MergeValue: Equatable, Sendable {
  init(text: String)
  /// The text, when it is one.
  var text: String? { get }
  func hash(into hash: inout ContentHash)
}

/// A synchronized record: fields with a version each, of which the last writer wins, and texts that could not be merged.
public struct MergeRecord<Value: MergeValue>: Equatable, Sendable {
  public struct Field: Equatable, Sendable {
    public var name: String
    public var value: Value
    public var version: HybridTime

    public init(name: String, value: Value, version: HybridTime) {
      (self.name, self.value, self.version) = (name, value, version)
    }
  }

  /// A text that lost against another device's edit of the same text, kept until someone dismisses it.
  public struct Variant: Equatable, Sendable {
    public var field: String
    public var text: String
    public var version: HybridTime

    public init(field: String, text: String, version: HybridTime) {
      (self.field, self.text, self.version) = (field, text, version)
    }
  }

  /// Sorted by name.
  public private(set) var fields: [Field]
  /// Sorted by version.
  public private(set) var variants: [Variant]
  public private(set) var isDeleted: Bool
  /// The version of the last deletion or restoration; zero when there was none.
  public private(set) var lifecycle: HybridTime
  /// Whether the deletion took edits with it that whoever deleted had not seen.
  public private(set) var hasLostEdits: Bool

  public init(
    fields: [Field] = [], variants: [Variant] = [], isDeleted: Bool = false, lifecycle: HybridTime = .zero,
    hasLostEdits: Bool = false
  ) {
    self.fields = fields.sorted { $0.name < $1.name }
    self.variants = variants.sorted { $0.version < $1.version }
    (self.isDeleted, self.lifecycle, self.hasLostEdits) = (isDeleted, lifecycle, hasLostEdits)
  }

  public subscript(name: String) -> Value? { fields.first { $0.name == name }?.value }

  /// The greatest version of the record; zero for one without content.
  public var version: HybridTime {
    var greatest = lifecycle
    for field in fields { greatest = max(greatest, field.version) }
    return greatest
  }

  /// The greatest version that a device has given to what is in the record; zero when there is none.
  public func lastVersion(of device: UInt64) -> HybridTime {
    var greatest = lifecycle.device == device ? lifecycle : .zero
    for field in fields where field.version.device == device { greatest = max(greatest, field.version) }
    return greatest
  }

  /// The hash of what is visible of the record: of a deleted one, only that it is deleted.
  public func hash(collection: String, id: String) -> UInt64 {
    var hash = ContentHash()
    hash.combine(collection)
    hash.combine(id)
    hash.combine(lifecycle)
    if isDeleted {
      hash.combine(byte: 1)
      return hash.value
    }
    hash.combine(byte: 0)
    for field in fields {
      hash.combine(field.name)
      hash.combine(field.version)
      field.value.hash(into: &hash)
    }
    for variant in variants {
      hash.combine(variant.field)
      hash.combine(variant.version)
      hash.combine(variant.text)
    }
    return hash.value
  }

  /// Removes the content of a deleted record, when it can no longer be restored.
  public mutating func clearDeleted() {
    guard isDeleted else { return }
    (fields, variants, hasLostEdits) = ([], [], false)
  }
}

// MARK: - Merging

/// What a device wants to change in a record.
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
  /// The version of the record that the device knew; zero when it knew none.
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

/// What became of a change.
public enum MergeOutcome: Sendable, Equatable {
  /// The record has the values of the change.
  case applied
  /// Another device's values won, or texts were merged: the record is not what the device has.
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
  /// - Parameter mergedTexts: The names of fields whose concurrent edits are merged as text.
  public mutating func apply(_ change: MergeChange<Value>, mergedTexts: [String] = []) -> MergeOutcome {
    switch change.action {
    case .put: put(change, mergedTexts)
    case .delete: delete(change)
    case .restore: restore(change)
    }
  }

  private mutating func put(_ change: MergeChange<Value>, _ mergedTexts: [String]) -> MergeOutcome {
    var outcome = MergeOutcome.applied
    variants.removeAll { change.dismissed.contains($0.version) }
    for wanted in change.fields {
      let new = Field(name: wanted.name, value: wanted.value, version: change.version)
      guard let index = fields.firstIndex(where: { $0.name == wanted.name }) else {
        insert(new)
        continue
      }
      let current = fields[index]
      if mergedTexts.contains(wanted.name), let base = wanted.base, let currentText = current.value.text,
        let newText = wanted.value.text, currentText != base, currentText != newText, current.version != change.version
      {
        // Both were edited since the base.
        let text = TextMerge.merge(base: base, currentText, newText)
        let greater = max(current.version, change.version)
        if let text {
          fields[index] = Field(name: wanted.name, value: Value(text: text), version: greater.next(device: 0))
          if outcome == .applied { outcome = .merged }
        } else {
          let (winner, loser) = change.version > current.version ? (new, current) : (current, new)
          fields[index] = winner
          if let text = loser.value.text {
            add(Variant(field: wanted.name, text: text, version: loser.version))
          }
          outcome = .textConflict
        }
      } else if change.version > current.version {
        fields[index] = new
      } else if current.value != wanted.value, outcome == .applied {
        outcome = .merged
      }
    }
    if isDeleted {
      hasLostEdits = hasLostEdits || change.version > lifecycle || change.seen < lifecycle
      return .deleted
    }
    return outcome
  }

  private mutating func delete(_ change: MergeChange<Value>) -> MergeOutcome {
    if isDeleted {
      lifecycle = max(lifecycle, change.version)
      return .applied
    }
    // Someone has restored the record since.
    guard change.version > lifecycle else { return .merged }
    let isUnseen = fields.contains { $0.version > change.seen && $0.version.device != change.version.device }
    (isDeleted, lifecycle, hasLostEdits) = (true, change.version, isUnseen)
    return isUnseen ? .deletedUnseenEdits : .applied
  }

  private mutating func restore(_ change: MergeChange<Value>) -> MergeOutcome {
    guard change.version > lifecycle else { return isDeleted ? .merged : .applied }
    (isDeleted, lifecycle, hasLostEdits) = (false, change.version, false)
    return .applied
  }

  private mutating func insert(_ field: Field) {
    fields.insert(field, at: fields.firstIndex { $0.name > field.name } ?? fields.count)
  }

  private mutating func add(_ variant: Variant) {
    guard !variants.contains(variant) else { return }
    variants.insert(variant, at: variants.firstIndex { $0.version > variant.version } ?? variants.count)
  }
}
