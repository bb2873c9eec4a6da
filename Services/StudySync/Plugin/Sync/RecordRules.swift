import Contracts
import SyncMerge

/// The rules for the fields of records. Unknown fields are kept as they are.
enum RecordRules {
  /// Records of a collection in one space that are not deleted, such as the cards of a set.
  static let maxRecords: Int = 100_000
  /// Records of a space, with those that were deleted and are not removed yet.
  static let maxRows: Int = 200_000
  /// Fields of a record after all merges, also such as the server does not know.
  static let maxFields = 128
  /// Bytes of a record after all merges, with its variants.
  static let maxBytes = 256 << 10
  static let maxVariants = 20

  /// Whether what is left of a deleted record can be used.
  static func isRestorable(_ content: MergeRecord<JSONValue>, _ collection: SyncCollection) -> Bool {
    collection == .sets ? content["title"] != nil : !content.fields.isEmpty
  }

  /// Refuses a change with which a record would become too large.
  static func checkGrowth(from before: MergeRecord<JSONValue>, to after: MergeRecord<JSONValue>) throws(SyncRejection) {
    guard after.fields.count <= max(maxFields, before.fields.count) else {
      throw SyncRejection("too-large", field: "fields", "The record can have \(maxFields) fields.")
    }
    guard after.variants.count <= max(maxVariants, before.variants.count) else {
      throw SyncRejection("too-many-variants", field: "fields", "Choose among the variants of the record first.")
    }
    let size = size(of: after)
    guard size <= maxBytes || size <= self.size(of: before) else {
      throw SyncRejection("too-large", field: "fields", "The record can have \(maxBytes) bytes.")
    }
  }

  private static func size(of content: MergeRecord<JSONValue>) -> Int {
    content.fields.reduce(0) { $0 + $1.name.utf8.count + size(of: $1.value) }
      + content.variants.reduce(0) { $0 + $1.text.utf8.count }
  }

  private static func size(of value: JSONValue) -> Int {
    switch value {
    case .null, .bool, .integer, .number: 8
    case .string(let text): text.utf8.count
    case .array(let elements): elements.reduce(8) { $0 + size(of: $1) }
    case .object(let members): members.reduce(8) { $0 + $1.name.utf8.count + size(of: $1.value) }
    }
  }

  /// - Throws: ``SyncRejection``.
  static func check(_ fields: SyncFields, of collection: SyncCollection) throws(SyncRejection) {
    try FieldReader.checkSize(of: fields)
    if collection == .workouts { try WorkoutRules.check(fields) }
    for member in fields.members {
      guard let violation = violation(by: member.value, in: member.name, of: collection) else { continue }
      throw SyncRejection("invalid-value", field: "fields.\(member.name)", violation)
    }
  }

  private static func violation(by value: JSONValue, in field: String, of collection: SyncCollection) -> String? {
    switch (collection, field) {
    case (.sets, "title"): text(value, 1...200)
    case (.sets, "description"): text(value, 0...5000)
    case (.cards, "front"), (.cards, "back"): text(value, 0...20_000)
    case (.cards, "position"): position(value)
    case (.cards, "tags"), (.sets, "tags"): tags(value)
    case (.cards, "attachments"): attachments(value)
    case (.studySettings, _): SchedulerRules.violation(by: value, in: field)
    case (.workouts, "note"): text(value, 0...5000)
    case (.workouts, _): WorkoutRules.violation(by: value, in: field)
    default: nil
    }
  }

  private static func text(_ value: JSONValue, _ length: ClosedRange<Int>) -> String? {
    guard let text = value.string else { return "must be a string" }
    guard length.contains(text.unicodeScalars.count) else {
      return "must have \(length.lowerBound) to \(length.upperBound) characters"
    }
    let isControl = text.unicodeScalars.contains {
      $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
    }
    return isControl ? "must not contain control characters other than line feeds and tabs" : nil
  }

  private static func position(_ value: JSONValue) -> String? {
    guard let text = value.string, (1...200).contains(text.utf8.count),
      text.utf8.allSatisfy({ (33...126).contains($0) })
    else { return "must be 1 to 200 ASCII characters without spaces" }
    return nil
  }

  private static func tags(_ value: JSONValue) -> String? {
    guard case .array(let tags) = value, tags.count <= 50,
      tags.allSatisfy({ text($0, 1...60) == nil })
    else { return "must be at most 50 texts of 1 to 60 characters" }
    return nil
  }

  private static func attachments(_ value: JSONValue) -> String? {
    guard case .array(let attachments) = value, attachments.count <= 20,
      attachments.allSatisfy({ $0["media"]?.string.flatMap { MediaID($0) } != nil })
    else { return "must be at most 20 objects with the id of a media item" }
    return nil
  }
}
