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
  /// The maximum size of an attempt; one at longer texts has fewer questions.
  private static let maxBytes = 2_000_000

  /// - Parameter only: The cards to ask; any by default.
  func questions(of quiz: Quiz, on sets: [StudySetID], seed: UInt64, only: Set<CardID>?) async throws
    -> [FrozenQuestion]
  {
    let pool = try await core.database.read { db in try Self.sample(of: sets, seed: seed, including: only ?? [], in: db)
    }
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
    let frozen = wanted.prefix(QuestionCount.range.upperBound).compactMap { question in
      owners[question.cardID].map { FrozenQuestion(question, of: $0) }
    }
    var bytes = 0
    return Array(
      frozen.prefix { question in
        bytes += question.bytes
        return bytes <= Self.maxBytes
      })
  }

  private static func side(_ value: JSONValue?) -> String? {
    value?.string.flatMap { $0.unicodeScalars.count <= maxCharacters ? $0 : nil }
  }

  /// Cards of sets, without deleted ones: the same for the same seed. The random ends of their ids order them.
  private static func sample(
    of sets: [StudySetID], seed: UInt64, including wanted: Set<CardID>, in db: any Connection
  ) throws -> [RecordID] {
    let spaces = try db.values(
      """
      SELECT space_id FROM sync_records
      WHERE id IN \(list: sets) AND collection = \(SyncCollection.sets) AND deleted_at IS NULL
      """,
      as: SpaceID.self
    )
    let cards: SQL = """
      SELECT id FROM sync_records
      WHERE space_id IN \(list: spaces) AND collection = \(SyncCollection.cards) AND deleted_at IS NULL
      """
    let first = try db.values(
      "\(cards) AND id IN \(list: wanted.map(\.rawValue).sorted()) ORDER BY id", as: RecordID.self)
    let digits = String(mixed(seed), radix: 16)
    let start = String(repeating: "0", count: 16 - digits.count) + digits
    let known = Set(first)
    let rest = try db.values(
      """
      \(cards) ORDER BY CASE WHEN substr(id, 25) < \(String(start.prefix(12))) THEN 1 ELSE 0 END, substr(id, 25), id
      LIMIT \(maxPool)
      """,
      as: RecordID.self
    )
    return first + rest.filter { !known.contains($0) }
  }

  /// Seeds that follow each other begin at positions that do not.
  private static func mixed(_ seed: UInt64) -> UInt64 {
    var value = seed &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
