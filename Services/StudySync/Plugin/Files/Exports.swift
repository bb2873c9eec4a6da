import Contracts
import HTTPServing
import Persistence
import ServiceKit
import StudyFiles
import StudyModel
import SyncMerge
import struct SystemPackage.Errno

/// Exports sets to files.
struct Exports: Feature {
  private static let batch = 200

  private let core: StudyCore
  private let threads: FileThreads

  init(_ core: StudyCore, _ threads: FileThreads) { (self.core, self.threads) = (core, threads) }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ExportSet.self) { request, call in try await export(request, for: call.user) }
  }

  private func export(_ request: StudyAPI.ExportSet, for caller: UserCaller) async throws -> Content {
    let user = caller.id
    let row = try await core.database.read { db in try SetReader.get(request.id, for: user, in: db) }
    let content = try core.records.open(row.record)
    let (title, description) = (content["title"]?.string ?? "", content["description"]?.string ?? "")
    let hasSchedule = request.schedule == true && [.apkg, .json].contains(request.format)
    return try await threads.withFile(of: caller) {
      let files = core.environment.temporaryFiles
      // The file outlives this call: it exists until it has been sent.
      let file = try files.make(holding: try threads.exported.take(caller, for: "exported"))
      let (folder, now) = (try files.makeFolder(), core.time.now().milliseconds)
      do {
        let writer = try await threads.run {
          try ExportWriter(
            request.format, title: title, description: description, now: now, file: file, folder: folder)
        }
        try await writeCards(of: request.id, schedulesOf: hasSchedule ? user : nil, to: writer)
        try await threads.run { try writer.finish() }
      } catch let error as StudyFileError {
        throw Problem(exporting: error)
      }
      return Content(mediaType: request.format.mediaType, file: file, name: "\(title).\(request.format.rawValue)")
    }
  }

  /// Cards with what is known of their schedules.
  private struct CardPage: Sendable {
    var cards: [StoredRecord]
    var states: [CardID: StoredCardState] = [:]
    var reviews: [CardID: [LoggedReview]] = [:]
  }

  /// Page by page, so that memory is bounded.
  private func writeCards(of set: StudySetID, schedulesOf user: UserID?, to writer: ExportWriter) async throws {
    var after: (position: String, id: RecordID)?
    while true {
      try Task.checkCancellation()
      let start = after
      let page = try await core.database.read { db in
        var page = CardPage(
          cards: try RecordStore.page(.cards, of: set.space, after: start, limit: Self.batch, in: db))
        if let user {
          let ids = page.cards.map { CardID(trusted: $0.id.rawValue) }
          page.states = try CardStateStore.find(ids, of: user, in: db)
          page.reviews = try ReviewLog.reviews(of: ids, of: user, in: db)
        }
        return page
      }
      guard let last = page.cards.last else { return }
      after = (last.position, last.id)
      try await threads.run { [records = core.records] in
        try writer.write(try page.cards.map { try Self.card($0, in: page, records) })
      }
    }
  }

  private static func card(_ stored: StoredRecord, in page: CardPage, _ records: RecordStore) throws -> StudyFileCard {
    let content = try records.open(stored)
    let card = records.card(stored, content)
    let schedule = page.states[card.id].map { state in
      StudyFileSchedule(state.memory, page.reviews[card.id] ?? [])
    }
    return StudyFileCard(
      card, deck: content["deck"]?.string, sourceID: content["sourceID"]?.string, schedule: schedule)
  }
}

extension Problem {
  /// The reason why a set cannot be exported.
  init(exporting error: StudyFileError) {
    switch error {
    case .inputOutput: self = Problem(ofStorage: error) ?? Problem(.internalError)
    default:
      self.init(
        .invalidRequest, errors: [.init(location: "query.format", message: "cannot carry the set: \(error.code)")])
    }
  }

  /// - Returns: `nil` when there is room for files.
  init?(ofStorage error: StudyFileError) {
    // SQLite does not say which number the operating system gave.
    let full: Set<Int32> = [0, Errno.noSpace.rawValue, Errno.diskQuotaExceeded.rawValue]
    guard case .inputOutput(let number) = error, full.contains(number) else { return nil }
    self.init(.storageFull)
  }
}

extension StudyFileSchedule {
  init(_ memory: CardMemory, _ reviews: [LoggedReview]) {
    let phase: Phase =
      switch memory.state {
      case .new: .new
      case .learning: .learning
      case .review: .review
      case .relearning: .relearning
      }
    self.init(
      phase: phase, dueAt: memory.due, intervalDays: memory.intervalDays, repetitions: memory.reps,
      lapses: memory.lapses, stability: memory.stability, difficulty: memory.difficulty,
      reviews: reviews.map { logged in
        StudyFileReview(time: logged.review.reviewedAt, rating: logged.review.rating.rawValue)
      })
  }
}
