import Contracts

/// The order of a table of events that are set aside: of the live ones of a subject, only the first one is due at a time,
/// and the others are due ``behind`` it. Who changes a subject's rows has its lane locked, and lines them up again.
struct SubjectOrder: Sendable {
  /// When an event is due that waits for an earlier one of its subject.
  static let behind = Timestamp(microseconds: .max)
  /// How many dead letters one transaction revives.
  static let batchSize = 1000

  let table: StaticString
  /// The column of those whose subjects are apart from each other's.
  let owner: StaticString
  /// The column that orders the events of a subject; then their ids do.
  let position: StaticString

  // MARK: line up

  /// Lets the later events of each subject wait behind the first one, and makes that due if it waits.
  func lineUp(_ subjects: Set<String>, of name: String, in tx: Transaction) throws {
    guard !subjects.isEmpty else { return }
    for statement in lineUp(subjects.sorted(), of: name, at: tx.now) { try tx.execute(statement) }
  }

  func lineUp(_ subjects: [String], of name: String, at now: Timestamp) -> [SQL] {
    [
      """
      UPDATE \(raw: table) SET due_at = \(Self.behind)
      WHERE \(raw: owner) = \(name) AND is_dead = 0 AND subject IN \(list: subjects) AND due_at < \(Self.behind)
        AND event_id <> (\(first(of: name, "\(raw: table).subject")))
      """,
      // `+` keeps SQLite from the index of what is due, by which it would read all that wait.
      """
      UPDATE \(raw: table) SET due_at = \(now)
      WHERE \(raw: owner) = \(name) AND is_dead = 0 AND +due_at = \(Self.behind) AND event_id IN (
        SELECT (\(first(of: name, "s.column1"))) FROM (VALUES \(rows: subjects.map { [$0.sqlValue] })) s)
      """,
    ]
  }

  private func first(of name: String, _ subject: SQL) -> SQL {
    """
    SELECT e.event_id FROM \(raw: table) e
    WHERE e.\(raw: owner) = \(name) AND e.subject = \(subject) AND e.is_dead = 0
    ORDER BY e.\(raw: position), e.event_id LIMIT 1
    """
  }

  // MARK: revive

  /// A dead letter's position among all of them.
  struct Letter: Sendable {
    var owner: String
    var subject: String
    var position: Int
    var eventID: String
  }

  /// Schedules dead letters again, the first of each subject first; returns their number. They do not wait for those that
  /// stay dead. In small transactions, between which others write.
  ///
  /// Each statement sees what is committed by then: when the lanes are locked, the changes see what those have done who
  /// had them before. A serializable transaction would still see the state from before it waited, and be repeated.
  ///
  /// - Parameter lock: Locks the lanes of an owner's letters.
  func revive(
    _ isChosen: SQL, in database: any Database,
    locking lock: @escaping @Sendable (_ letters: [Letter], _ owner: String, Transaction) throws -> Void
  ) async throws -> Int {
    var (revived, last): (Int, Letter?) = (0, nil)
    repeat {
      try Task.checkCancellation()
      let batch = try await database.write(.readCommitted) { [last] tx in
        let letters = try deadLetters(isChosen, after: last, in: tx)
        var count = 0
        for (name, own) in Dictionary(grouping: letters, by: \.owner).sorted(by: { $0.key < $1.key }) {
          try lock(own, name, tx)
          count += try tx.execute(revival(of: own.map(\.eventID), name))
          try lineUp(Set(own.map(\.subject)), of: name, in: tx)
        }
        return (count: count, last: letters.count == Self.batchSize ? letters.last : nil)
      }
      revived += batch.count
      last = batch.last
    } while last != nil
    return revived
  }

  func deadLetters(_ isChosen: SQL, after last: Letter?, in db: any Connection) throws -> [Letter] {
    let key: SQL = "\(raw: owner), subject, \(raw: position), event_id"
    let isNext = last.map { last -> SQL in
      "(\(key)) > (\(last.owner), \(last.subject), \(last.position), \(last.eventID))"
    }
    return try db.all(
      """
      SELECT \(raw: owner) AS owner, subject, \(raw: position) AS position, event_id FROM \(raw: table)
      WHERE is_dead = 1 AND \(SQL.and(isChosen, isNext))
      ORDER BY \(key) LIMIT \(Self.batchSize)
      """
    ) { row in
      Letter(
        owner: try row["owner"], subject: try row["subject"], position: try row["position"],
        eventID: try row["event_id"])
    }
  }

  func revival(of ids: [String], _ name: String) -> SQL {
    """
    UPDATE \(raw: table) SET is_dead = 0, attempts = 0, due_at = \(Self.behind)
    WHERE \(raw: owner) = \(name) AND is_dead = 1 AND event_id IN \(list: ids)
    """
  }
}
