public import Contracts
import GRDB
import StudyModel

/// A card with what follows from the user's reviews of it, those that have not been sent included.
public struct LocalSchedule: Sendable, Equatable {
  public var card: LocalCard
  public var schedule: CardSchedule
}

extension StudyClient {
  /// The schedule of a card, as the server makes it from the same reviews; `nil` when the device has no such card.
  public func schedule(of card: CardID) async throws -> CardSchedule? {
    try await read { tx in
      let key = RecordKey(collection: SyncCollection.cards.rawValue, id: card.rawValue)
      guard let view = try tx.find(key).flatMap({ LocalRecord($0) }), !view.isDeleted, let set = view.set else {
        return nil
      }
      let reviews = try tx.reviews("card_id = ?", card.rawValue)[card.rawValue] ?? []
      return CardSchedule(try tx.scheduler().replay(reviews, cardID: card.rawValue), card: card, set: set)
    }
  }

  /// The cards of a set that are due: those in learning by their times, then the others, the most overdue in relation to
  /// their intervals first. Cards that were never reviewed are not among them; see ``unseenCards(in:limit:)``.
  ///
  /// - Parameter time: By the server's clock; ``currentTime()`` by default.
  public func due(in set: StudySetID, at time: Timestamp? = nil) async throws -> [LocalSchedule] {
    try await read { tx in
      let now = (time ?? tx.state.corrected(tx.now)).scheduleMilliseconds
      let scheduler = try tx.scheduler()
      // The reviews are found by the cards of the set: a card's reviews may name the set that it was studied in.
      let reviews = try tx.reviews(
        "card_id IN (SELECT id FROM records WHERE set_id = ? AND collection = 'cards' AND is_visible = 1)",
        set.rawValue)
      let due = reviews.map { scheduler.replay($1, cardID: $0) }.filter { ($0.due ?? .max) <= now }
      return try due.map { (memory: $0, overdue: Self.overdue($0, at: now)) }.sorted { one, other in
        if one.overdue != other.overdue { return one.overdue > other.overdue }
        let dues = (one.memory.due ?? 0, other.memory.due ?? 0)
        return dues.0 != dues.1 ? dues.0 < dues.1 : one.memory.cardID < other.memory.cardID
      }.compactMap { memory, _ in
        let key = RecordKey(collection: SyncCollection.cards.rawValue, id: memory.cardID)
        guard let record = try tx.find(key).flatMap({ LocalRecord($0) }) else { return nil }
        let card = LocalCard(record: record)
        return LocalSchedule(card: card, schedule: CardSchedule(memory, card: card.id, set: set))
      }
    }
  }

  /// The cards of a set that the user has not reviewed, in their order. How many a day is the app's choice, by the
  /// setting `newCardsPerDay`.
  public func unseenCards(in set: StudySetID, limit: Int = 20) async throws -> [LocalCard] {
    try await read { tx in
      try tx.db.rows(
        """
        SELECT \(RecordTable.columns) FROM records AS c
        WHERE set_id = ? AND collection = 'cards' AND is_visible = 1 AND NOT EXISTS
          (SELECT 1 FROM records AS r WHERE r.card_id = c.id AND r.collection = 'reviews' AND r.is_visible = 1)
        ORDER BY position, id LIMIT ?
        """, [set.rawValue, limit]
      ).compactMap { LocalRecord(try RecordTable.decode($0)).map { LocalCard(record: $0) } }
    }
  }

  /// Cards in learning come before all others.
  private static func overdue(_ memory: CardMemory, at now: Int64) -> Double {
    guard memory.state == .review, let due = memory.due, let last = memory.lastReview else { return .infinity }
    return Double(now - due) / Double(max(due - last, 1))
  }
}

extension DeviceTransaction {
  /// Reviews by the ids of their cards.
  fileprivate func reviews(_ condition: String, _ value: String) throws -> [String: [CardReview]] {
    var reviews: [String: [CardReview]] = [:]
    let rows = try Row.fetchCursor(
      db.cachedStatement(
        sql: """
          SELECT \(RecordTable.columns) FROM records
          WHERE \(condition) AND collection = 'reviews' AND is_visible = 1
          """), arguments: [value])
    while let row = try rows.next() {
      guard let record = LocalRecord(try RecordTable.decode(row)), let card = record["card"]?.string,
        let at = record["at"]?.string.flatMap({ Timestamp($0) }), case .integer(let number)? = record["rating"],
        let rating = ReviewRating(rawValue: Int(number))
      else { continue }
      reviews[card, default: []].append(
        CardReview(id: record.id, reviewedAt: at.scheduleMilliseconds, rating: rating))
    }
    return reviews
  }

  /// The user's scheduler. A setting that is unset, or that only a newer app understands, has its default, as on the
  /// server.
  fileprivate func scheduler() throws -> Scheduler {
    let key = RecordKey(collection: SyncCollection.studySettings.rawValue, id: state.user.rawValue)
    let settings = try find(key).flatMap { LocalRecord($0) }.flatMap { $0.isDeleted ? nil : $0 }
    let isFuzzed = if case .bool(let value)? = settings?["fuzz"] { value } else { true }
    let maximum: Int? = if case .integer(let days)? = settings?["maximumInterval"] { Int(days) } else { nil }
    let custom = try? Scheduler(
      weights: Self.weights(settings?["weights"]), desiredRetention: Self.number(settings?["desiredRetention"]) ?? 0.9,
      learningSteps: Self.steps(settings?["learningSteps"]) ?? Scheduler.defaultLearningSteps,
      relearningSteps: Self.steps(settings?["relearningSteps"]) ?? Scheduler.defaultRelearningSteps,
      maximumInterval: maximum ?? Scheduler.maxInterval, fuzz: isFuzzed)
    return custom ?? Scheduler(weights: .default)
  }

  private static func weights(_ value: JSONValue?) -> FSRSWeights {
    guard let value, value["algorithm"]?.string == "fsrs",
      value["version"] == .integer(Int64(FSRSWeights.algorithmVersion))
    else { return .default }
    return (try? FSRSWeights((value["w"]?.elements ?? []).map { number($0) ?? .nan })) ?? .default
  }

  private static func steps(_ value: JSONValue?) -> [Int64]? {
    guard case .array(let steps)? = value else { return nil }
    return steps.map { if case .integer(let seconds) = $0 { seconds } else { 0 } }
  }

  private static func number(_ value: JSONValue?) -> Double? {
    switch value {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
}

extension CardSchedule {
  fileprivate init(_ memory: CardMemory, card: CardID, set: StudySetID) {
    let stage: CardStage =
      switch memory.state {
      case .new: .new
      case .learning: .learning
      case .review: .review
      case .relearning: .relearning
      }
    self.init(
      card: card, set: set, stage: stage, step: memory.step, stability: memory.stability,
      difficulty: memory.difficulty, due: memory.due.flatMap { Timestamp(milliseconds: $0) },
      lastReview: memory.lastReview.flatMap { Timestamp(milliseconds: $0) }, reviews: memory.reps,
      lapses: memory.lapses)
  }
}

extension Timestamp {
  /// Milliseconds since 1970, rounded down.
  fileprivate var scheduleMilliseconds: Int64 {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
