public import SyncMerge

/// Fields of a record by name. Those that a device does not know are kept and synchronized like the others.
public struct SyncFields: Sendable, Equatable {
  public var members: [JSONValue.Member]

  public init(_ members: [JSONValue.Member] = []) { self.members = members }

  public subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }
}

extension SyncFields: Codable {
  public init(from decoder: any Decoder) throws {
    guard case .object(let members) = try JSONValue(from: decoder) else {
      throw ValueError(at: decoder.codingPath, "must be an object")
    }
    self.members = members
  }

  public func encode(to encoder: any Encoder) throws { try JSONValue.object(members).encode(to: encoder) }
}

extension SyncFields: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    members = elements.map { JSONValue.Member(name: $0.0, value: $0.1) }
  }
}

extension SyncFields: SchemaProviding {
  public static var schema: JSONSchema {
    var schema = JSONSchema()
    schema.type = "object"
    return schema
  }
  public static var example: Self { Self() }
}

/// A synchronized record.
public struct SyncRecord: Codable, Sendable, Equatable {
  /// A ``SyncCollection``, or one that a newer server has.
  public var collection: String
  public var id: String
  /// The set of a card.
  public var set: StudySetID?
  /// The version of every field that `versions` does not name. Log entries have none.
  public var version: HybridTime?
  /// Unset for deleted records.
  public var fields: SyncFields?
  /// Versions of fields that differ from `version`.
  public var versions: SyncFields?
  /// Texts that lost against another device's edit, until they are dismissed.
  public var variants: [SyncVariant]?
  public var isDeleted: Bool?
  /// The version of the last deletion or restoration.
  public var lifecycle: HybridTime?
  /// Above all other versions of the record, when an edit arrived that was older than something in it.
  public var revision: HybridTime?
  /// Whether the deletion took edits with it that the deleting device had not seen; they can be restored for 30 days.
  public var hasLostEdits: Bool?

  public init(collection: String, id: String, set: StudySetID? = nil, fields: SyncFields? = nil) {
    (self.collection, self.id, self.set, self.fields) = (collection, id, set, fields)
  }
}

/// A text that lost against another device's edit of the same text.
public struct SyncVariant: Codable, Sendable, Equatable {
  public var field: String
  public var text: String
  public var version: HybridTime

  public init(field: String, text: String, version: HybridTime) {
    (self.field, self.text, self.version) = (field, text, version)
  }
}

// MARK: - Merging

extension SyncRecord {
  /// - Parameters:
  ///   - content: What the merge made of the record.
  ///   - keepsDeleted: Whether the fields of a deleted record are included.
  public init(
    collection: String, id: String, set: StudySetID? = nil, content: MergeRecord<JSONValue>, keepsDeleted: Bool = false
  ) {
    self.init(collection: collection, id: id, set: set)
    if content.lifecycle != .zero { lifecycle = content.lifecycle }
    // Only the greatest version of a deleted record's fields is of use.
    let greatest = content.isDeleted && !keepsDeleted ? content.version : content.revision
    if greatest != .zero { revision = greatest }
    if content.isDeleted {
      isDeleted = true
      if content.hasLostEdits { hasLostEdits = true }
      guard keepsDeleted else { return }
    }
    let common = content.fields.map(\.version).max() ?? .zero
    if common != .zero { version = common }
    fields = SyncFields(content.fields.map { .init(name: $0.name, value: $0.value) })
    let others = content.fields.filter { $0.version != common }
    if !others.isEmpty {
      versions = SyncFields(others.map { .init(name: $0.name, value: .string($0.version.description)) })
    }
    if !content.variants.isEmpty {
      variants = content.variants.map { SyncVariant(field: $0.field, text: $0.text, version: $0.version) }
    }
  }

  /// The record as the merge sees it.
  public var content: MergeRecord<JSONValue> {
    let fields = (fields?.members ?? []).map { member in
      let other = versions?[member.name]?.string.flatMap { HybridTime($0) }
      return MergeRecord<JSONValue>.Field(name: member.name, value: member.value, version: other ?? version ?? .zero)
    }
    return MergeRecord(
      fields: fields,
      variants: (variants ?? []).map { .init(field: $0.field, text: $0.text, version: $0.version) },
      isDeleted: isDeleted ?? false, lifecycle: lifecycle ?? .zero, revision: revision ?? .zero,
      hasLostEdits: hasLostEdits ?? false
    )
  }
}

extension JSONValue: MergeValue {
  public init(text: String) { self = .string(text) }

  public var text: String? { string }

  /// A byte for the kind, then the content: numbers as the bits of a Double, texts in UTF-8, members sorted by name.
  public func hash(into hash: inout ContentHash) {
    switch self {
    case .null: hash.combine(byte: 0)
    case .bool(let value): hash.combine(byte: value ? 2 : 1)
    case .integer(let value): Self.hash(Double(value), into: &hash)
    case .number(let value): Self.hash(value, into: &hash)
    case .string(let value):
      hash.combine(byte: 4)
      hash.combine(value)
    case .array(let elements):
      hash.combine(byte: 5)
      for element in elements { element.hash(into: &hash) }
      hash.combine(byte: 6)
    case .object(let members):
      hash.combine(byte: 7)
      for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
        hash.combine(member.name)
        member.value.hash(into: &hash)
      }
      hash.combine(byte: 8)
    }
  }

  private static func hash(_ number: Double, into hash: inout ContentHash) {
    hash.combine(byte: 3)
    // Not -0.
    hash.combine((number == 0 ? 0 : number).bitPattern)
  }
}

extension HybridTime: Codable {
  public init(from decoder: any Decoder) throws {
    guard let time = Self(try decoder.singleValueContainer().decode(String.self)) else {
      throw ValueError(at: decoder.codingPath, "must be a version such as \(Self.example)")
    }
    self = time
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension HybridTime: SchemaProviding {
  public static var schema: JSONSchema {
    var schema = JSONSchema.string()
    schema.pattern = "^[0-9a-f]{12}-[0-9a-f]{4}-[0-9a-f]{16}$"
    return schema
  }
  public static var example: Self {
    Self(milliseconds: 0x0199_a1b2_c3d4, counter: 1, device: 0x9f8e_7d6c_5b4a_3210)
  }
}
