import Contracts
import Persistence
import StudyModel

/// The memory states of cards that result from users' reviews. Cards that were never reviewed have no row.
enum CardStateStore {
  struct DueTotals: Sendable {
    /// All that were ever reviewed.
    var reviewed = 0
    var learning = 0
    var review = 0
    var laterToday = 0
  }

  private static let columns: SQL = """
    s.card_id, s.set_id, s.state, s.step, s.stability, s.difficulty, s.due, s.last_review, s.last_id, s.reps, s.lapses,
    s.scheduler, s.revision
    """

  // MARK: reading

  static func find(_ cards: [CardID], of user: UserID, in db: any Connection) throws -> [CardID: StoredCardState] {
    guard !cards.isEmpty else { return [:] }
    let states = try db.all(
      "SELECT \(columns) FROM card_states s WHERE s.user_id = \(user) AND s.card_id IN \(list: cards)", decode)
    return Dictionary(states.map { ($0.card, $0) }) { first, _ in first }
  }

  /// The states of a user's cards that were counted with other settings, in the order of their cards.
  static func outdated(_ scheduler: Int64, of user: UserID, after card: CardID?, limit: Int, in db: any Connection)
    throws -> [StoredCardState]
  {
    let condition = SQL.and(
      "s.user_id = \(user)", "s.scheduler <> \(scheduler)", card.map { "s.card_id > \($0)" })
    return try db.all(
      "SELECT \(columns) FROM card_states s WHERE \(condition) ORDER BY s.card_id LIMIT \(limit)", decode)
  }

  /// The due cards of a set, the longest due first. Cards that were deleted or are not the set's are left out.
  static func due(in set: StudySetID, of user: UserID, until time: Timestamp, limit: Int, _ db: any Connection) throws
    -> [StoredCardState]
  {
    try db.all(
      """
      SELECT \(columns) FROM card_states s JOIN sync_records r ON r.id = s.card_id
      WHERE s.user_id = \(user) AND s.set_id = \(set) AND s.due <= \(time) AND r.space_id = \(set.space)
        AND r.collection = \(SyncCollection.cards) AND r.deleted_at IS NULL
      ORDER BY s.due LIMIT \(limit)
      """, decode)
  }

  /// The cards of sets that users have reviewed.
  static func list(of users: [UserID], in sets: [StudySetID], _ db: any Connection) throws
    -> [(user: UserID, state: StoredCardState)]
  {
    guard !users.isEmpty, !sets.isEmpty else { return [] }
    return try db.all(
      """
      SELECT s.user_id, \(columns) FROM card_states s JOIN sync_records r ON r.id = s.card_id
      WHERE s.user_id IN \(list: users) AND s.set_id IN \(list: sets) AND r.space_id = s.set_id
        AND r.collection = \(SyncCollection.cards) AND r.deleted_at IS NULL
      """
    ) { row in (try row["user_id"], try decode(row)) }
  }

  /// How a user's reviewed cards of sets are due.
  ///
  /// - Parameter end: The end of the local day.
  static func counts(
    of user: UserID, in sets: [StudySetID], at now: Timestamp, until end: Timestamp, _ db: any Connection
  )
    throws -> [StudySetID: DueTotals]
  {
    guard !sets.isEmpty else { return [:] }
    let review = CardState.review.rawValue
    let rows = try db.all(
      """
      SELECT s.set_id, COUNT(*) AS reviewed,
        SUM(CASE WHEN s.due <= \(now) AND s.state <> \(review) THEN 1 ELSE 0 END) AS learning,
        SUM(CASE WHEN s.due <= \(now) AND s.state = \(review) THEN 1 ELSE 0 END) AS review,
        SUM(CASE WHEN s.due > \(now) AND s.due <= \(end) THEN 1 ELSE 0 END) AS later
      FROM card_states s JOIN sync_records r ON r.id = s.card_id
      WHERE s.user_id = \(user) AND s.set_id IN \(list: sets) AND r.space_id = s.set_id
        AND r.collection = \(SyncCollection.cards) AND r.deleted_at IS NULL
      GROUP BY s.set_id
      """
    ) { row -> (set: StudySetID, totals: DueTotals) in
      let set: StudySetID = try row["set_id"]
      return (
        set,
        DueTotals(
          reviewed: try row["reviewed"], learning: try row["learning"], review: try row["review"],
          laterToday: try row["later"])
      )
    }
    return Dictionary(rows.map { ($0.set, $0.totals) }) { first, _ in first }
  }

  static func page(of user: UserID, after card: CardID?, limit: Int, in db: any Connection) throws -> [StoredCardState]
  {
    let condition = SQL.and("s.user_id = \(user)", card.map { "s.card_id > \($0)" })
    return try db.all(
      "SELECT \(columns) FROM card_states s WHERE \(condition) ORDER BY s.card_id LIMIT \(limit)", decode)
  }

  private static func decode(_ row: Row) throws -> StoredCardState {
    let (card, set): (CardID, StudySetID) = (try row["card_id"], try row["set_id"])
    let stage: Int = try row["state"]
    let (step, stability, difficulty): (Int?, Double?, Double?) =
      (try row["step"], try row["stability"], try row["difficulty"])
    let (due, lastReview): (Timestamp, Timestamp) = (try row["due"], try row["last_review"])
    let lastID: String = try row["last_id"]
    let (reps, lapses): (Int, Int) = (try row["reps"], try row["lapses"])
    let memory = CardMemory(
      cardID: card.rawValue, state: CardState(rawValue: stage) ?? .new, step: step, stability: stability,
      difficulty: difficulty, due: due.milliseconds, lastReview: lastReview.milliseconds, reps: reps, lapses: lapses)
    return StoredCardState(
      card: card, set: set, storedSet: set, memory: memory, lastID: lastID, scheduler: try row["scheduler"],
      revision: try row["revision"])
  }

  // MARK: writing

  static func put(_ states: [StoredCardState], of user: UserID, in tx: Transaction) throws {
    let sorted = states.sorted { $0.card.rawValue < $1.card.rawValue }
    let (start, update): (StaticString, StaticString) = (
      """
      INSERT INTO card_states
        (user_id, card_id, set_id, state, step, stability, difficulty, due, last_review, last_id, reps, lapses,
         scheduler, revision)
      VALUES
      """,
      """
      ON CONFLICT (user_id, card_id) DO UPDATE SET state = excluded.state, step = excluded.step,
        stability = excluded.stability, difficulty = excluded.difficulty, due = excluded.due,
        last_review = excluded.last_review, last_id = excluded.last_id, reps = excluded.reps,
        lapses = excluded.lapses, scheduler = excluded.scheduler, revision = excluded.revision
      """
    )
    try tx.execute(start, rows: sorted.map { row($0, of: user) }, update)
    // Apart, because a statement that may change a column changes its index, also where the value stays the same.
    for state in sorted where state.isMoved {
      try tx.execute("UPDATE card_states SET set_id = \(state.set) WHERE user_id = \(user) AND card_id = \(state.card)")
    }
  }

  private static func row(_ state: StoredCardState, of user: UserID) -> [SQLValue] {
    let memory = state.memory
    return [
      user.sqlValue, state.card.sqlValue, state.set.sqlValue, memory.state.rawValue.sqlValue, memory.step.sqlValue,
      memory.stability.sqlValue, memory.difficulty.sqlValue, Timestamp(clamping: memory.due ?? 0).sqlValue,
      Timestamp(clamping: memory.lastReview ?? 0).sqlValue, state.lastID.sqlValue, memory.reps.sqlValue,
      memory.lapses.sqlValue, state.scheduler.sqlValue, state.revision.sqlValue,
    ]
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM card_states WHERE user_id = \(user)")
  }
}
