import Contracts
import Persistence

/// An entry of the log that comes from a plain endpoint.
struct NewEntry: Sendable {
  let id: RecordID
  let collection: SyncCollection
  let fields: SyncFields
  /// Whether the server has chosen the time, so that a repetition has another.
  let isTimed: Bool
  /// Its location in the request, such as `body.reviews[0]`.
  let location: String

  static let maxCount = 500
  /// How far a caller's clock may be ahead, in seconds.
  private static let tolerance = 60.0

  /// - Throws: ``Problem`` 422 for an id that is no UUID, or a time in the future.
  init(
    _ id: String?, _ collection: SyncCollection, at: Timestamp?, _ fields: [(String, JSONValue?)], _ location: String,
    _ core: StudyCore
  ) throws {
    let now = core.time.now()
    if let at, at > now.advanced(bySeconds: Self.tolerance) {
      throw Self.problem(at: "\(location).at", "must not be in the future")
    }
    if let id {
      guard let id = RecordID(id) else { throw Self.problem(at: "\(location).id", "must be a UUID") }
      self.id = id
    } else {
      self.id = core.ids.make()
    }
    (self.collection, self.location, isTimed) = (collection, location, at == nil)
    self.fields = SyncFields(
      JSONValue.object([("at", .string((at ?? now).description))] + fields).members)
  }

  static func requireCount(_ count: Int, at location: String) throws(Problem) {
    guard (1...maxCount).contains(count) else { throw problem(at: location, "must have 1 to \(maxCount) elements") }
  }

  /// Appends entries to the log of the writer's user. Those that are there already are not appended again.
  static func append(_ entries: [NewEntry], _ settings: SchedulerSettings, _ writer: SpaceWriter) throws {
    for new in entries {
      let entry = try new.entry(settings)
      if try writer.append(entry) { continue }
      guard let stored = try LogStore.find(entry.id, of: writer.user, in: writer.tx) else {
        throw Problem(.entryIDInUse)
      }
      var known = try writer.core.log.open(stored)
      if new.isTimed { known.at = entry.at }
      guard Self.withoutDay(known) == Self.withoutDay(entry) else { throw Problem(.entryIDInUse) }
    }
  }

  /// The day depends on the settings, which may have changed before an entry is sent again.
  private static func withoutDay(_ entry: LogEntry) -> LogEntry {
    var entry = entry
    entry.day = 0
    entry.details.removeAll { $0.name == "rolloverHour" }
    return entry
  }

  private func entry(_ settings: SchedulerSettings) throws -> LogEntry {
    var fields = fields
    if Int64(settings.rolloverHour) != LogEntry.defaultRolloverHour {
      fields.members.append(.init(name: "rolloverHour", value: .integer(Int64(settings.rolloverHour))))
    }
    do { return try LogEntry(id, collection, fields) } catch {
      let field = error.field?.split(separator: ".").last.map { ".\($0)" } ?? ""
      throw Self.problem(at: location + field, error.message)
    }
  }

  private static func problem(at location: String, _ message: String) -> Problem {
    Problem(.invalidRequest, errors: [.init(location: location, message: message)])
  }
}
