import Contracts
import Persistence
import ServiceKit

/// Answers to cards through the plain endpoint, which end up in the same log as those of devices.
struct Reviews: Feature {
  private let core: StudyCore

  init(_ core: StudyCore) { self.core = core }

  func register(in routes: inout Routes) { routes.on(StudyAPI.AddReviews.self, add) }

  private func add(_ request: StudyAPI.AddReviews, _ call: Call) async throws -> ReviewedCards {
    let user = try call.user.id
    try NewEntry.requireCount(request.reviews.count, at: "body.reviews")
    let entries = try request.reviews.enumerated().map { index, review in
      try NewEntry(
        review.id, .reviews, at: review.at,
        [
          ("set", .string(review.set.rawValue)), ("card", .string(review.card.rawValue)),
          ("rating", .integer(Int64(review.rating.value))), ("milliseconds", .integer(review.milliseconds)),
          ("utcOffsetMinutes", .integer(Int64(review.utcOffsetMinutes.value))),
        ], "body.reviews[\(index)]", core)
    }
    var cards: [CardID: StudySetID] = [:]
    for review in request.reviews { cards[review.card] = review.set }
    let sets = Dictionary(request.reviews.map { ($0.card, Set([$0.set])) }) { $0.union($1) }
    guard sets.allSatisfy({ $0.value.count == 1 }) else { throw Problem(.notFound) }
    return try await core.database.write { [core, cards] tx in
      try tx.idempotent(call.idempotencyKey) {
        try core.write(as: user, in: tx) { writer in
          try Self.requireCards(cards, writer)
          try NewEntry.append(entries, SchedulerSettings.of(user, core.records, in: tx), writer)
        }
        let states = try CardStateStore.find(Array(cards.keys), of: user, in: tx)
        return ReviewedCards(
          ids: entries.map(\.id.rawValue),
          schedules: states.values.map(\.schedule).sorted { $0.card.rawValue < $1.card.rawValue })
      }
    }
  }

  /// - Throws: ``Problem`` 404 unless the user sees the cards' sets and the cards are there.
  private static func requireCards(_ cards: [CardID: StudySetID], _ writer: SpaceWriter) throws {
    try VisibleSets.require(Set(cards.values), for: writer)
    let stored = try RecordStore.find(cards.keys.map { RecordID(trusted: $0.rawValue) }, in: writer.tx)
    let found = stored.filter { record in
      record.collection == .cards && record.deletedAt == nil
        && cards[CardID(trusted: record.id.rawValue)]?.space == record.space
    }
    guard found.count == cards.count else { throw Problem(.notFound) }
  }
}
