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
    /// ASCII.
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
  public internal(set) var fields: [Field]
  /// Sorted by version.
  public internal(set) var variants: [Variant]
  public internal(set) var isDeleted: Bool
  /// The version of the last deletion or restoration; zero when there was none.
  public internal(set) var lifecycle: HybridTime
  /// Above everything in the record, set when an edit has arrived that is older than something in it: with it,
  /// ``version`` grows with every change.
  public internal(set) var revision: HybridTime
  /// Whether the deletion took edits with it that whoever deleted had not seen.
  public internal(set) var hasLostEdits: Bool

  public init(
    fields: [Field] = [], variants: [Variant] = [], isDeleted: Bool = false, lifecycle: HybridTime = .zero,
    revision: HybridTime = .zero, hasLostEdits: Bool = false
  ) {
    self.fields = Self.isSorted(fields) ? fields : fields.sorted { Self.precedes($0.name, $1.name) }
    self.variants = variants.count < 2 ? variants : variants.sorted { $0.version < $1.version }
    (self.isDeleted, self.lifecycle, self.revision) = (isDeleted, lifecycle, revision)
    self.hasLostEdits = hasLostEdits
  }

  public subscript(name: String) -> Value? { fields.first { $0.name == name }?.value }

  /// Grows with every change; zero for a record without content. A device sends it as what it has seen.
  public var version: HybridTime {
    var greatest = max(lifecycle, revision)
    for field in fields { greatest = max(greatest, field.version) }
    return greatest
  }

  /// The greatest version in the record that a device has issued; zero when there is none.
  public func version(by device: UInt64) -> HybridTime {
    var greatest = lifecycle.device == device ? lifecycle : .zero
    for field in fields where field.version.device == device { greatest = max(greatest, field.version) }
    return greatest
  }

  /// The hash of a record without versions: an entry of a log.
  ///
  /// - Parameter fields: Sorted by name.
  public static func hash(ofEntry fields: [(name: String, value: Value)], collection: String, id: String) -> UInt64 {
    var hash = ContentHash()
    hash.combine(collection)
    hash.combine(id)
    hash.combine(HybridTime.zero)
    hash.combine(byte: 0)
    for (name, value) in fields {
      hash.combine(name)
      hash.combine(HybridTime.zero)
      value.hash(into: &hash)
    }
    return hash.value
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
      // Not the beginning of a name.
      hash.combine(byte: 0xfe)
      hash.combine(variant.field)
      hash.combine(variant.version)
      hash.combine(variant.text)
    }
    return hash.value
  }

  /// Removes the content of a deleted record, when it can no longer be restored.
  public mutating func clearDeleted() {
    guard isDeleted else { return }
    // A later edit must not get a version that was used before.
    revision = version
    (fields, variants, hasLostEdits) = ([], [], false)
  }

  /// Removes fields of a deleted record, so that it is without them when it is restored.
  public mutating func clearDeleted(fields names: Set<String>) {
    guard isDeleted, fields.contains(where: { names.contains($0.name) }) else { return }
    revision = version
    fields.removeAll { names.contains($0.name) }
  }

  /// Takes note of an edit that was lost with this deleted record though it is not in it, such as one of a card of a
  /// deleted set.
  public mutating func noteLostEdit() {
    guard isDeleted, !hasLostEdits else { return }
    revision = version.next(device: 0)
    hasLostEdits = true
  }

  private static func isSorted(_ fields: [Field]) -> Bool {
    for index in fields.indices.dropFirst() where !precedes(fields[index - 1].name, fields[index].name) { return false }
    return true
  }

  static func precedes(_ one: String, _ other: String) -> Bool { one.utf8.lexicographicallyPrecedes(other.utf8) }
}
