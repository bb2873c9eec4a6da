import Contracts
import SyncMerge

/// An entry of a user's log: a review, a session or a quiz. Entries never change.
struct LogEntry: Sendable, Equatable {
  var id: RecordID
  var collection: SyncCollection
  /// When it happened.
  var at: Timestamp
  /// The local day on which it happened, in days since 1970; later travel does not change it.
  var day: Int64
  var utcOffsetMinutes: Int
  /// How long it took.
  var milliseconds: Int64
  var set: StudySetID?
  var card: CardID?
  /// 1 again, 2 hard, 3 good, 4 easy.
  var rating: Int?
  var function: StudyFunction?
  /// The other fields, such as the answers of a quiz.
  var details: [JSONValue.Member]

  /// The hour at which a study day begins, unless the entry has another.
  static let defaultRolloverHour: Int64 = 4

  /// - Parameter clock: Corrects the time of a device whose clock is wrong.
  /// - Throws: ``SyncRejection``.
  init(
    _ id: RecordID, _ collection: SyncCollection, _ fields: SyncFields, _ clock: ClockCorrection? = nil
  ) throws(SyncRejection) {
    (self.id, self.collection) = (id, collection)
    var reader = FieldReader(fields)
    at = Self.corrected(try reader.time("at"), clock)
    milliseconds = try reader.integer("milliseconds", 0...86_400_000)
    utcOffsetMinutes = Int(try reader.integer("utcOffsetMinutes", -1080...1080))
    set = try reader.id("set", isRequired: collection == .reviews)
    switch collection {
    case .reviews:
      card = try reader.id("card", isRequired: true)
      rating = Int(try reader.integer("rating", 1...4))
      function = .review
    case .studySessions: function = try reader.word("function")
    default: function = .quiz
    }
    details = try reader.rest()
    let rollover = fields["rolloverHour"].flatMap { if case .integer(let hour) = $0 { hour } else { nil } }
    guard (0...23).contains(rollover ?? 0) else {
      throw SyncRejection("invalid-value", field: "fields.rolloverHour", "must be from 0 to 23")
    }
    day = Self.day(of: at, utcOffsetMinutes, rollover ?? Self.defaultRolloverHour)
  }

  private static func corrected(_ at: Timestamp, _ clock: ClockCorrection?) -> Timestamp {
    guard let clock, clock.isWrong(at.hybridMilliseconds) else { return at }
    return Timestamp(milliseconds: Int64(clock.correct(at.hybridMilliseconds))) ?? at
  }

  /// Whether it is what a device has sent.
  func isEqual(to sent: SyncFields) -> Bool { Self.isEqual(fields, to: sent) }

  fileprivate static func isEqual(_ own: SyncFields, to sent: SyncFields) -> Bool {
    guard own.members.count == sent.members.count else { return false }
    for member in own.members where sent[member.name] != member.value { return false }
    return true
  }

  /// Whether it is the same entry, sent again: a corrected time depends on when it arrives.
  func isSame(as other: LogEntry) -> Bool {
    var copy = other
    (copy.at, copy.day) = (at, day)
    return self == copy
  }

  /// An entry as it was stored.
  init(
    id: RecordID, collection: SyncCollection, at: Timestamp, day: Int64, utcOffsetMinutes: Int, milliseconds: Int64,
    set: StudySetID?, card: CardID?, rating: Int?, function: StudyFunction?, details: [JSONValue.Member]
  ) {
    (self.id, self.collection, self.at, self.day) = (id, collection, at, day)
    (self.utcOffsetMinutes, self.milliseconds) = (utcOffsetMinutes, milliseconds)
    (self.set, self.card, self.rating, self.function) = (set, card, rating, function)
    self.details = details
  }

  /// The fields in their canonical form, sorted by name as long as there are no details.
  var fields: SyncFields {
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONValue.Member(name: name, value: value)) }
    }
    add("at", .string(at.description))
    add("card", card.map { .string($0.rawValue) })
    if collection == .studySessions { add("function", function.map { .string($0.rawValue) }) }
    add("milliseconds", .integer(milliseconds))
    add("rating", rating.map { .integer(Int64($0)) })
    add("set", set.map { .string($0.rawValue) })
    add("utcOffsetMinutes", .integer(Int64(utcOffsetMinutes)))
    return SyncFields(members + details)
  }

  /// The entry as devices receive it.
  var wire: SyncRecord { SyncRecord(collection: collection.rawValue, id: id.rawValue, fields: fields) }

  var hash: UInt64 { hash(fields) }

  fileprivate func hash(_ fields: SyncFields) -> UInt64 {
    var values = fields.members.map { (name: $0.name, value: $0.value) }
    if !details.isEmpty { values.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
    return MergeRecord.hash(ofEntry: values, collection: collection.rawValue, id: id.rawValue)
  }

  private static func day(of at: Timestamp, _ utcOffsetMinutes: Int, _ rolloverHour: Int64) -> Int64 {
    let local = at.unixSeconds + Int64(utcOffsetMinutes) * 60 - rolloverHour * 3600
    return local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
  }
}

/// An entry that a device has sent, read before the transaction that appends it. A class, because copies of so many
/// texts would cost as much as reading them.
final class SentEntry: Sendable {
  let entry: LogEntry
  let hash: UInt64
  /// The result of the operation when the entry is new.
  let result: SyncResult

  /// - Throws: ``SyncRejection``.
  init(_ operation: SyncOperation, _ collection: SyncCollection, _ clock: ClockCorrection) throws(SyncRejection) {
    guard let id = RecordID(operation.record) else {
      throw SyncRejection("invalid-value", field: "record", "must be a UUID")
    }
    guard operation.action == .put else {
      throw SyncRejection("immutable", field: "action", "must be put: entries of a log never change")
    }
    let sent = operation.fields ?? SyncFields()
    entry = try LogEntry(id, collection, sent, clock)
    guard operation.version.device != 0 else {
      throw SyncRejection("invalid-value", field: "version", "must have a device other than 0")
    }
    guard RecordID(operation.id) != nil else {
      throw SyncRejection("invalid-value", field: "id", "must be a UUID")
    }
    let fields = entry.fields
    hash = entry.hash(fields)
    result =
      LogEntry.isEqual(fields, to: sent)
      ? SyncResult(operation.id, .applied) : SyncResult(operation.id, .merged, record: entry.wire)
  }
}
