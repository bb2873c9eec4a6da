import Contracts
import HTTPServing
import Persistence
import ServiceKit
import ServiceLifecycle
import StudyFiles
import SyncMerge

/// Imports cards from files.
struct Imports: Feature {
  private static let defaultTitle = "Imported cards"

  private let core: StudyCore
  private let threads: FileThreads

  init(_ core: StudyCore, _ threads: FileThreads) { (self.core, self.threads) = (core, threads) }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ImportCards.self) { request, call in try await importFile(request, call) }
  }

  var workers: [any Service] { [threads] }

  private func importFile(_ request: StudyAPI.ImportCards, _ call: Call) async throws -> StudyImport {
    let user = try call.user.id
    guard let file = call.file, file.bytes > 0 else {
      throw Problem(.invalidRequest, errors: [.init(location: "body", message: "is required")])
    }
    let known = try await core.database.read { db -> StudyImport? in try db.storedResponse(to: call.idempotencyKey) }
    if let known { return known }
    return try await threads.withFile(of: call.user) {
      do {
        return try await run(request, file, user, call.idempotencyKey)
      } catch let error as StudyFileError {
        throw Problem(error)
      }
    }
  }

  private func run(
    _ request: StudyAPI.ImportCards, _ file: BodyFile, _ user: UserID, _ key: IdempotentRequest?
  ) async throws -> StudyImport {
    let ids = ImportIDs(key, core.keys)
    var report: StudyImport
    if let set = request.set {
      report = try await add(file, to: set, by: user, ids)
    } else {
      report = try await make(request.title, of: file, for: user, ids)
    }
    if request.schedule == true, let set = report.set {
      report.reviews = try await addReviews(from: file, to: set, of: user, ids)
    }
    guard let key else { return report }
    let complete = report
    return try await core.database.write { tx in
      if let known: StudyImport = try tx.storedResponse(to: key) { return known }
      // Names of media files may be personal: they are not stored with the key.
      var kept = complete
      kept.skipped = kept.skipped.map { part in
        var part = part
        part.entry = part.entry.map { _ in "" }
        return part
      }
      try tx.keep(kept, for: key)
      return complete
    }
  }

  // MARK: cards

  /// Makes a new set, or finds the one that an interrupted import with the same key has made.
  private func make(_ title: SetTitle?, of file: BodyFile, for user: UserID, _ ids: ImportIDs) async throws
    -> StudyImport
  {
    let set = ids.set
    let isMade = try await core.database.read { db in
      try SpaceStore.role(of: user, in: set.space, db) != nil
    }
    if isMade { return try await read(file, into: set) { _ in } }
    let filling = SetFilling(core: core, user: user, set: set)
    try await filling.begin()
    do {
      var positions = Positions(after: nil)
      var fileTitle: String?
      var report = try await read(file, into: set, title: &fileTitle) { cards in
        try await filling.add(positions.place(cards, ids))
      }
      guard report.imported > 0 else {
        await filling.cancel()
        report.set = nil
        return report
      }
      let name = title?.rawValue ?? fileTitle.flatMap { try? SetTitle(validating: String($0.prefix(200))) }?.rawValue
      let fields = [JSONValue.Member(name: "title", value: .string(name ?? Self.defaultTitle))]
      try await core.database.write { tx in try filling.finish(fields, in: tx) }
      return report
    } catch {
      await filling.cancel()
      throw error
    }
  }

  /// Adds cards to a set in steps, after the whole file has been read once: a damaged one changes nothing.
  private func add(_ file: BodyFile, to set: StudySetID, by user: UserID, _ ids: ImportIDs) async throws
    -> StudyImport
  {
    try await core.database.write { [core] tx in
      try core.write(as: user, in: tx) { _ = try $0.requireSet(set, .editor) }
    }
    var known = 0
    let count = try await read(file, into: set) { cards in
      // Made by an interrupted import with the same key.
      let made = cards.map { ids.card($0.ordinal) }
      known += try await core.database.read { db in try RecordStore.count(made, in: db) }
    }.imported
    let (last, used) = try await core.database.read { db in
      let used = try SpaceStore.find(set.space, in: db)?.checksums[.cards].count ?? 0
      return (try CardOrder.last(of: set, in: db), used)
    }
    guard used + count - known <= RecordRules.maxRecords else {
      throw Problem(.tooManyCards, detail: "A set can have \(RecordRules.maxRecords) cards.")
    }
    var positions = Positions(after: last)
    return try await read(file, into: set) { cards in
      let placed = positions.place(cards, ids)
      try await core.database.write { [core] tx in
        try core.write(as: user, in: tx) { writer in
          _ = try writer.requireSet(set, .editor)
          try Problem.of { try writer.add(placed, to: set) }
        }
      }
    }
  }

  /// Gives new cards their ids and their positions at the end of a set.
  private struct Positions {
    private var last: String?

    init(after last: String?) { self.last = last }

    mutating func place(_ cards: [ImportedCard], _ ids: ImportIDs) -> [SetFilling.Card] {
      cards.map { card in
        last = FractionalIndex.between(last, nil) ?? last
        let position = last.map { [JSONValue.Member(name: "position", value: .string($0))] } ?? []
        return SetFilling.Card(id: ids.card(card.ordinal), fields: card.fields + position)
      }
    }
  }

  // MARK: reading

  private func read(
    _ file: BodyFile, into set: StudySetID, _ body: ([ImportedCard]) async throws -> Void
  ) async throws -> StudyImport {
    var title: String?
    return try await read(file, into: set, title: &title, body)
  }

  /// Reads a file from its beginning to its end.
  private func read(
    _ file: BodyFile, into set: StudySetID, title: inout String?,
    _ body: ([ImportedCard]) async throws -> Void
  ) async throws -> StudyImport {
    let reader = try await open(file)
    var report = StudyImport(set: set, format: reader.format)
    var skipped = SkippedParts()
    var isLast = false
    while !isLast {
      try Task.checkCancellation()
      let batch = try await threads.run { try reader.next() }
      isLast = batch.isLast
      for skip in batch.skips { skipped.add(skip) }
      report.imported += batch.cards.count
      report.duplicates += batch.duplicates
      if !batch.cards.isEmpty { try await body(batch.cards) }
    }
    report.mediaNotImported = try await threads.run { try reader.mediaCount() }
    (report.skippedCount, report.skipped) = (skipped.count, skipped.parts)
    title = reader.title
    return report
  }

  private func open(_ file: BodyFile) async throws -> ImportReader {
    let folder = try core.environment.temporaryFiles.makeFolder()
    return try await threads.run { try ImportReader(file.file.path, folder: folder, size: file.bytes) }
  }

  // MARK: reviews

  /// Adds the reviews in the file to the user's log.
  ///
  /// - Returns: How many there are.
  private func addReviews(from file: BodyFile, to set: StudySetID, of user: UserID, _ ids: ImportIDs) async throws
    -> Int
  {
    var count = 0
    _ = try await read(file, into: set) { cards in
      let now = core.time.now()
      let entries = try cards.flatMap { card in
        try card.reviews.enumerated().compactMap { number, review in
          try Self.entry(review, ids.review(number, ofCard: card.ordinal), ids.card(card.ordinal), set, now)
        }
      }
      for start in stride(from: 0, to: entries.count, by: SetFilling.batch) {
        let part = Array(entries[start..<min(start + SetFilling.batch, entries.count)])
        try await core.database.write { [core] tx in try Self.append(part, to: set, by: user, core, in: tx) }
      }
      count += entries.count
    }
    return count
  }

  /// - Throws: ``Problem`` when the user does not see the set any more: an account may be deleted during an import.
  static func append(
    _ reviews: [LogEntry], to set: StudySetID, by user: UserID, _ core: StudyCore, in tx: Transaction
  ) throws {
    try core.write(as: user, in: tx) { writer in
      _ = try writer.requireSet(set, .viewer)
      try writer.lookUp(entries: reviews.map(\.id))
      for review in reviews { _ = try writer.append(review) }
    }
  }

  /// - Returns: `nil` for what is no answer, or not of the past.
  private static func entry(
    _ review: StudyFileReview, _ id: RecordID, _ card: RecordID, _ set: StudySetID, _ now: Timestamp
  ) throws -> LogEntry? {
    guard (1...4).contains(review.rating), let at = Timestamp(milliseconds: review.time),
      at > Timestamp(microseconds: 0), at <= now
    else { return nil }
    return try LogEntry(
      id, .reviews,
      [
        "at": .string(at.description), "milliseconds": .integer(Int64(min(max(review.duration, 0), 86_400_000))),
        "utcOffsetMinutes": 0, "set": .string(set.rawValue), "card": .string(card.rawValue),
        "rating": .integer(Int64(review.rating)),
      ])
  }
}
