import Contracts
import Persistence

/// Totals of users' days, by function and set.
enum StudyDayStore {
  /// The totals of a function on a day; of all sets, unless a list asks for one.
  struct Day: Sendable, Equatable {
    var day: Int64
    var function: StudyFunction
    var total: StudyTotals.Total
  }

  // MARK: reading

  static func list(
    of user: UserID, from first: Int64, through last: Int64, set: StudySetID? = nil, in db: any Connection
  ) throws -> [Day] {
    let condition = SQL.and(
      "user_id = \(user)", "day BETWEEN \(first) AND \(last)", set.map { "set_id = \($0)" })
    return try db.all(
      """
      SELECT day, function, CAST(SUM(milliseconds) AS BIGINT) AS milliseconds, CAST(SUM(entries) AS BIGINT) AS entries,
        CAST(SUM(answers) AS BIGINT) AS answers, CAST(SUM(correct) AS BIGINT) AS correct,
        CAST(SUM(new_cards) AS BIGINT) AS new_cards, CAST(SUM(young) AS BIGINT) AS young,
        CAST(SUM(young_recalled) AS BIGINT) AS young_recalled, CAST(SUM(mature) AS BIGINT) AS mature,
        CAST(SUM(mature_recalled) AS BIGINT) AS mature_recalled, MIN(first_at) AS first_at, MAX(last_at) AS last_at
      FROM study_days WHERE \(condition) GROUP BY day, function ORDER BY day, function
      """, decode)
  }

  /// Totals of all days, by function and set.
  static func scores(of users: [UserID], in sets: [StudySetID], _ function: StudyFunction, _ db: any Connection) throws
    -> [(user: UserID, set: StudySetID, score: AnswerScore)]
  {
    guard !users.isEmpty, !sets.isEmpty else { return [] }
    return try db.all(
      """
      SELECT user_id, set_id, CAST(SUM(answers) AS BIGINT) AS answers, CAST(SUM(correct) AS BIGINT) AS correct
      FROM study_days
      WHERE user_id IN \(list: users) AND set_id IN \(list: sets) AND function = \(function)
      GROUP BY user_id, set_id
      """
    ) { row in
      (try row["user_id"], try row["set_id"], AnswerScore(answers: try row["answers"], correct: try row["correct"]))
    }
  }

  /// Days of study whose streaks are counted: the last 55 years.
  private static let maxDays = 20_000

  /// The days of study with the times of their first and last entries.
  static func bounds(of user: UserID, in db: any Connection) throws -> [(day: Int64, total: StudyTotals.Total)] {
    let days = try db.all(
      """
      SELECT d.day, MIN(d.first_at) AS first_at, MAX(d.last_at) AS last_at,
        (SELECT l.last_offset FROM study_days l WHERE l.user_id = \(user) AND l.day = d.day
         ORDER BY l.last_at DESC, l.last_offset DESC LIMIT 1) AS last_offset
      FROM study_days d WHERE d.user_id = \(user) GROUP BY d.day ORDER BY d.day DESC LIMIT \(maxDays)
      """
    ) { row -> (day: Int64, total: StudyTotals.Total) in
      let day: Int64 = try row["day"]
      var total = StudyTotals.Total()
      (total.firstAt, total.lastAt, total.lastOffset) =
        (try row["first_at"], try row["last_at"], try row["last_offset"])
      return (day, total)
    }
    return days.reversed()
  }

  static func newCards(of user: UserID, on day: Int64, in db: any Connection) throws -> Int {
    try db.count(
      "SELECT CAST(COALESCE(SUM(new_cards), 0) AS BIGINT) FROM study_days WHERE user_id = \(user) AND day = \(day)")
  }

  private static func decode(_ row: Row) throws -> Day {
    let (day, function): (Int64, StudyFunction) = (try row["day"], try row["function"])
    var total = StudyTotals.Total()
    (total.milliseconds, total.entries) = (try row["milliseconds"], try row["entries"])
    (total.answers, total.correct) = (try row["answers"], try row["correct"])
    total.reviews.newCards = try row["new_cards"]
    (total.reviews.young, total.reviews.youngRecalled) = (try row["young"], try row["young_recalled"])
    (total.reviews.mature, total.reviews.matureRecalled) = (try row["mature"], try row["mature_recalled"])
    (total.firstAt, total.lastAt) = (try row["first_at"], try row["last_at"])
    return Day(day: day, function: function, total: total)
  }

  // MARK: writing

  /// Adds totals to those that are stored.
  static func add(_ totals: StudyTotals, of user: UserID, in tx: Transaction) throws {
    let rows = totals.days.sorted { $0.key < $1.key }.map { key, total -> [SQLValue] in
      let reviews = total.reviews
      return [
        user.sqlValue, key.day.sqlValue, key.function.rawValue.sqlValue, (key.set?.rawValue ?? "").sqlValue,
        total.milliseconds.sqlValue, total.entries.sqlValue, total.answers.sqlValue, total.correct.sqlValue,
        reviews.newCards.sqlValue, reviews.young.sqlValue, reviews.youngRecalled.sqlValue, reviews.mature.sqlValue,
        reviews.matureRecalled.sqlValue, total.firstAt.sqlValue, total.lastAt.sqlValue, total.lastOffset.sqlValue,
      ]
    }
    try tx.execute(
      """
      INSERT INTO study_days
        (user_id, day, function, set_id, milliseconds, entries, answers, correct, new_cards, young, young_recalled,
         mature, mature_recalled, first_at, last_at, last_offset)
      VALUES
      """, rows: rows,
      """
      ON CONFLICT (user_id, day, function, set_id) DO UPDATE SET
        milliseconds = study_days.milliseconds + excluded.milliseconds,
        entries = study_days.entries + excluded.entries, answers = study_days.answers + excluded.answers,
        correct = study_days.correct + excluded.correct, new_cards = study_days.new_cards + excluded.new_cards,
        young = study_days.young + excluded.young,
        young_recalled = study_days.young_recalled + excluded.young_recalled,
        mature = study_days.mature + excluded.mature,
        mature_recalled = study_days.mature_recalled + excluded.mature_recalled,
        first_at = CASE WHEN excluded.first_at < study_days.first_at
          THEN excluded.first_at ELSE study_days.first_at END,
        last_offset = CASE WHEN excluded.last_at > study_days.last_at
          OR (excluded.last_at = study_days.last_at AND excluded.last_offset > study_days.last_offset)
          THEN excluded.last_offset ELSE study_days.last_offset END,
        last_at = CASE WHEN excluded.last_at > study_days.last_at
          THEN excluded.last_at ELSE study_days.last_at END
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM study_days WHERE user_id = \(user)")
  }
}
