import Contracts
import Persistence
import ServiceKit
import StudyModel
import TestKit
import Testing

@testable import StudySyncService

/// A user with a set of cards on a device.
struct Learner: Sendable {
  let user: TestUser
  var device: RawDevice
  let set: StudySetID
  let cards: [CardID]

  var client: APIClient { user.client }

  /// An answer to one of the cards.
  mutating func review(
    _ rating: Int, of card: Int = 0, at: Timestamp, milliseconds: Int64 = 1000, offset: Int = 0
  ) -> SyncOperation {
    device.review(cards[card], of: set, rating, at: at, milliseconds: milliseconds, offset: offset)
  }
}

extension RawDevice {
  mutating func review(
    _ card: CardID, of set: StudySetID, _ rating: Int, at: Timestamp, milliseconds: Int64 = 1000, offset: Int = 0
  ) -> SyncOperation {
    operation(
      .reviews, newID(),
      [
        "at": .string(at.description), "milliseconds": .integer(milliseconds),
        "utcOffsetMinutes": .integer(Int64(offset)), "set": .string(set.rawValue), "card": .string(card.rawValue),
        "rating": .integer(Int64(rating)),
      ])
  }

  mutating func session(
    _ function: StudyFunction, of set: StudySetID? = nil, at: Timestamp, milliseconds: Int64, offset: Int = 0
  ) -> SyncOperation {
    var fields: SyncFields = [
      "at": .string(at.description), "milliseconds": .integer(milliseconds),
      "utcOffsetMinutes": .integer(Int64(offset)), "function": .string(function.rawValue),
    ]
    if let set { fields.members.append(.init(name: "set", value: .string(set.rawValue))) }
    return operation(.studySessions, newID(), fields)
  }

  mutating func quiz(
    of set: StudySetID, at: Timestamp, correct: Int64, incorrect: Int64, milliseconds: Int64 = 60_000
  ) -> SyncOperation {
    operation(
      .quizResults, newID(),
      [
        "at": .string(at.description), "milliseconds": .integer(milliseconds), "utcOffsetMinutes": 0,
        "set": .string(set.rawValue), "correct": .integer(correct), "incorrect": .integer(incorrect),
      ])
  }

  mutating func settings(_ fields: SyncFields) -> SyncOperation {
    operation(.studySettings, user.id.rawValue, fields)
  }

  /// Sends operations in requests that are not too large.
  mutating func send(_ operations: [SyncOperation]) async throws {
    for start in stride(from: 0, to: operations.count, by: 1000) {
      let results = try await sync(Array(operations[start..<min(start + 1000, operations.count)])).results
      #expect(results.allSatisfy { $0.status == .applied })
    }
  }
}

extension StudyHost {
  var now: Timestamp { test.time.source.now() }

  func ago(days: Double = 0, hours: Double = 0, seconds: Double = 0) -> Timestamp {
    now.advanced(bySeconds: -(days * 86_400 + hours * 3600 + seconds))
  }

  func learner(_ name: String, cards: Int = 1, device number: UInt64 = 1) async throws -> Learner {
    var device = device(number, of: try await user(name))
    let (set, cards) = try await device.makeSet(cards: cards, title: "Latin of \(name)")
    return Learner(user: device.user, device: device, set: set, cards: cards)
  }

  var database: any Database { get throws { try test.database(of: StudyAPI.self) } }

  func states(of user: TestUser) async throws -> [CardID: StoredCardState] {
    let states = try await database.read { db in
      try CardStateStore.page(of: user.id, after: nil, limit: .max, in: db)
    }
    return Dictionary(uniqueKeysWithValues: states.map { ($0.card, $0) })
  }

  /// The state that follows from the whole log of a card.
  func replayed(_ card: CardID, of user: TestUser, _ scheduler: Scheduler = Scheduler(weights: .default)) async throws
    -> CardMemory
  {
    let log = try await database.read { db in
      try ReviewLog.reviews(of: card, of: user.id, after: nil, limit: .max, in: db)
    }
    return scheduler.replay(log.map(\.review), cardID: card.rawValue)
  }

  /// Runs background work until none is due.
  func runJobs(_ name: String) async throws {
    while try await test.plugin(StudySyncPlugin.self).runOnce(name) > 0 {}
  }

  func days(of user: TestUser) async throws -> [StudyDayStore.Day] {
    try await database.read { db in try StudyDayStore.list(of: user.id, from: .min, through: .max, in: db) }
  }

  func rebuildStatistics(of user: TestUser) async throws {
    let features = try test.plugin(StudySyncPlugin.self).features
    try await #require(features.compactMap { $0 as? Statistics }.first).rebuild(for: user.id)
  }

  /// Lets a user read a set, as sharing does.
  func share(_ set: StudySetID, with user: TestUser, _ role: SpaceRole = .viewer) async throws {
    try await database.write { tx in
      try SpaceStore.grant(role, to: user.id, in: set.space, source: "test", tx)
    }
  }
}

extension RawDevice {
  mutating func makeSet(cards count: Int, title: String) async throws -> (StudySetID, [CardID]) {
    let set = StudySetID(trusted: newID())
    let cards = (0..<count).map { _ in CardID(trusted: newID()) }
    var operations = [operation(.sets, set.rawValue, ["title": .string(title)])]
    for (index, card) in cards.enumerated() {
      let position = String(repeating: "0", count: 6 - String(index).count) + String(index)
      operations.append(
        operation(
          .cards, card.rawValue, set: set,
          ["front": .string("front \(index)"), "back": .string("back \(index)"), "position": .string(position)]))
    }
    try await send(operations)
    return (set, cards)
  }
}
