import Contracts

/// Reads the fields of an operation; what is left over is kept as it is.
struct FieldReader {
  private let fields: SyncFields
  private var names: [String] = []

  static let maxFields = 64
  static let maxBytes = 64 << 10
  /// Entries of a log are kept for good.
  static let maxEntryBytes = 16 << 10

  init(_ fields: SyncFields) { self.fields = fields }

  /// A time in whole milliseconds, which is what devices receive.
  mutating func time(_ name: String) throws(SyncRejection) -> Timestamp {
    guard let text = try value(name, isRequired: true)?.string, let time = Timestamp(text) else {
      throw invalid(name, "must be a time such as \(Timestamp.example)")
    }
    return Timestamp(clamping: time.milliseconds)
  }

  mutating func integer(_ name: String, _ range: ClosedRange<Int64>) throws(SyncRejection) -> Int64 {
    guard case .integer(let value)? = try value(name, isRequired: true), range.contains(value) else {
      throw invalid(name, "must be from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  mutating func id<Subject>(_ name: String, isRequired: Bool) throws(SyncRejection) -> ID<Subject>? {
    guard let value = try value(name, isRequired: isRequired) else { return nil }
    guard let id = value.string.flatMap({ ID<Subject>($0) }) else { throw invalid(name, "must be a UUID") }
    return id
  }

  mutating func word<Word: WireEnum>(_ name: String) throws(SyncRejection) -> Word {
    guard let word = try value(name, isRequired: true)?.string.flatMap({ Word(rawValue: $0) }) else {
      throw invalid(name, "must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return word
  }

  /// The fields that were not read.
  func rest() throws(SyncRejection) -> [JSONValue.Member] {
    try Self.checkSize(of: fields, maxBytes: Self.maxEntryBytes)
    return fields.members.filter { !names.contains($0.name) }
  }

  private mutating func value(_ name: String, isRequired: Bool) throws(SyncRejection) -> JSONValue? {
    names.append(name)
    guard let value = fields[name], value != .null else {
      if isRequired { throw invalid(name, "is required") }
      return nil
    }
    return value
  }

  private func invalid(_ name: String, _ message: String) -> SyncRejection {
    SyncRejection("invalid-value", field: "fields.\(name)", message)
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Bounds what is kept without being understood.
  static func checkSize(of fields: SyncFields, maxBytes: Int = maxBytes) throws(SyncRejection) {
    guard fields.members.count <= maxFields else {
      throw SyncRejection("too-large", field: "fields", "must be at most \(maxFields) fields")
    }
    for (index, member) in fields.members.enumerated() {
      guard !fields.members[..<index].contains(where: { $0.name == member.name }) else {
        throw SyncRejection("invalid-value", field: "fields", "must not repeat names")
      }
      guard (1...64).contains(member.name.utf8.count), member.name.utf8.allSatisfy(isOfName) else {
        throw SyncRejection(
          "invalid-value", field: "fields", "must have names of 1 to 64 ASCII letters, digits and underscores")
      }
    }
    guard JSONValue.object(fields.members).maxEncodedBytes > maxBytes else { return }
    let bytes = (try? WireJSON.encode(fields).count) ?? .max
    guard bytes <= maxBytes else {
      throw SyncRejection("too-large", field: "fields", "must have at most \(maxBytes) bytes")
    }
  }
}

extension JSONValue {
  /// The maximum number of bytes that its JSON text can have, without encoding it.
  fileprivate var maxEncodedBytes: Int {
    switch self {
    case .null, .bool: 5
    case .integer, .number: 32
    // A control character becomes six.
    case .string(let text): 2 + 6 * text.utf8.count
    case .array(let elements): 2 + elements.reduce(0) { $0 + $1.maxEncodedBytes + 1 }
    case .object(let members):
      2 + members.reduce(0) { $0 + 6 * $1.name.utf8.count + $1.value.maxEncodedBytes + 4 }
    }
  }
}
