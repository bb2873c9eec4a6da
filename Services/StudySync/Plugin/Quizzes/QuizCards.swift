import Contracts
import Persistence
import StudyModel
import SyncMerge

/// Makes the questions of an attempt from the cards of sets.
struct QuizCards: Sendable {
  let core: StudyCore

  /// Wrong answers are taken from so many cards; more are not read.
  private static let maxPool = 2000
  private static let maxCharacters = 2000
  private static let batch = 500

  /// - Parameter only: The cards to ask; any by default.
  func questions(of quiz: Quiz, on sets: [StudySetID], seed: UInt64, only: Set<CardID>?) async throws
    -> [FrozenQuestion]
  {
    let all = try await core.database.read { db in try Self.cards(of: sets, in: db) }
    let pool = Self.sample(all, seed: seed, including: only ?? [])
    var (cards, owners): ([QuizCard], [String: StudySetID]) = ([], [:])
    for start in stride(from: 0, to: pool.count, by: Self.batch) {
      let ids = Array(pool[start..<min(start + Self.batch, pool.count)])
      let stored = try await core.database.read { db in try RecordStore.find(ids, in: db) }
      for record in stored where record.deletedAt == nil {
        let content = try core.records.open(record)
        guard let front = Self.side(content["front"]), let back = Self.side(content["back"]) else { continue }
        cards.append(QuizCard(id: record.id.rawValue, front: front, back: back))
        owners[record.id.rawValue] = StudySetID(trusted: record.space.rawValue)
      }
    }
    let generator = QuizGenerator(
      kinds: Set(quiz.kinds.compactMap { QuestionKind(rawValue: $0.rawValue) }),
      direction: QuizGenerator.Direction(rawValue: quiz.direction.rawValue) ?? .frontToBack, seed: seed)
    let questions = generator.questions(only == nil ? quiz.questionCount.value : cards.count, from: cards)
    let wanted = questions.filter { only?.contains(CardID(trusted: $0.cardID)) ?? true }
    return wanted.prefix(QuestionCount.range.upperBound).compactMap { question in
      owners[question.cardID].map { FrozenQuestion(question, of: $0) }
    }
  }

  private static func side(_ value: JSONValue?) -> String? {
    value?.string.flatMap { $0.unicodeScalars.count <= maxCharacters ? $0 : nil }
  }

  /// The cards of sets that are not deleted.
  private static func cards(of sets: [StudySetID], in db: any Connection) throws -> [RecordID] {
    let spaces = try db.values(
      """
      SELECT space_id FROM sync_records
      WHERE id IN \(list: sets) AND collection = \(SyncCollection.sets) AND deleted_at IS NULL
      """,
      as: SpaceID.self
    )
    return try db.values(
      """
      SELECT id FROM sync_records
      WHERE space_id IN \(list: spaces) AND collection = \(SyncCollection.cards) AND deleted_at IS NULL
      """
    )
  }

  /// The same cards for the same seed, whatever their order.
  private static func sample(_ cards: [RecordID], seed: UInt64, including wanted: Set<CardID>) -> [RecordID] {
    guard cards.count > maxPool else { return cards }
    let rest = cards.map { (rank: rank(of: $0.rawValue, seed), id: $0) }.sorted { $0.rank < $1.rank }.map(\.id)
    let first = rest.filter { wanted.contains(CardID(trusted: $0.rawValue)) }
    return first + rest.prefix(maxPool)
  }

  /// FNV-1a of the seed and the id.
  private static func rank(of id: String, _ seed: UInt64) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for shift in stride(from: 0, to: 64, by: 8) {
      hash = (hash ^ (seed >> UInt64(shift) & 0xFF)) &* 0x0000_0100_0000_01B3
    }
    for byte in id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return hash
  }
}
