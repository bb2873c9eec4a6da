import Contracts

/// A document to be indexed.
public struct TextDocument: Sendable {
  public var name: String
  /// Its texts by importance, such as title, tags, description; all documents of an index have as many. The first 400
  /// words count.
  public var fields: [String]
  /// The values that searches filter by, such as `owner:…` and `tag:…`.
  public var values: [String]

  public init(_ name: String, _ fields: [String], values: [String] = []) {
    (self.name, self.fields, self.values) = (name, fields, values)
  }
}

extension TextIndex {
  /// Documents that are indexed in one transaction.
  private static let step = 512

  /// How long after the first indexing all documents are indexed once more, in seconds. Until then, instances of the
  /// version before may have changed documents without indexing them.
  static let secondsToRepeat = 3600.0

  /// Indexes documents that exist already, in transactions of some hundreds: twice for each version of what is indexed of
  /// them, the second time because of other instances that index an older version. Continues where it was interrupted,
  /// and returns when nothing is due; call it again and again, beside the service's other work.
  ///
  /// - Parameters:
  ///   - version: Increased when other fields or values of the documents are to be indexed.
  ///   - next: Loads the documents after a name, at most so many, ordered by their names.
  public func fill(
    _ database: any Database, version: Int,
    _ next: @escaping @Sendable (_ after: String, _ limit: Int, _ tx: Transaction) throws -> [TextDocument]
  ) async throws {
    while try await !database.write({ tx in try fillStep(version, next, in: tx) }) {}
  }

  private struct State {
    var version: Int
    var reached: String
    var isComplete: Bool
    var repeatAt: Timestamp?

    init(version: Int) { (self.version, reached, isComplete) = (version, "", false) }

    init(_ row: Row) throws {
      (version, reached) = (try row["version"], try row["reached"])
      (isComplete, repeatAt) = (try row["is_complete"], try row["repeat_at"])
    }

    func isDue(at now: Timestamp) -> Bool { isComplete ? repeatAt.map { $0 <= now } ?? false : true }
  }

  /// - Returns: Whether nothing is left to do now.
  private func fillStep(
    _ version: Int, _ next: (_ after: String, _ limit: Int, _ tx: Transaction) throws -> [TextDocument],
    in tx: Transaction
  ) throws -> Bool {
    let stored = try tx.first(
      "SELECT version, reached, is_complete, repeat_at FROM search_indexes WHERE kind = \(kind)"
    ) { try State($0) }
    // A newer process may have begun to build a newer version.
    if let stored, stored.version > version || stored.version == version && !stored.isDue(at: tx.now) { return true }
    var state = stored.flatMap { $0.version == version ? $0 : nil } ?? State(version: version)
    let documents = try next(state.reached, Self.step, tx)
    let isLast = documents.count < Self.step
    try put(documents, in: tx)
    try removeOthers(than: documents, after: state.reached, upTo: isLast ? nil : documents.last?.name, in: tx)
    state.reached = isLast ? "" : documents.last?.name ?? ""
    if isLast {
      state.repeatAt = state.isComplete ? nil : tx.now.advanced(bySeconds: Self.secondsToRepeat)
      state.isComplete = true
    }
    try tx.execute(
      """
      INSERT INTO search_indexes (kind, version, reached, is_complete, repeat_at)
      VALUES (\(kind), \(version), \(state.reached), \(state.isComplete), \(state.repeatAt))
      ON CONFLICT (kind) DO UPDATE SET version = excluded.version, reached = excluded.reached,
        is_complete = excluded.is_complete, repeat_at = excluded.repeat_at
      """
    )
    return isLast
  }

  /// Removes what is indexed between two names of documents that do not exist any more.
  private func removeOthers(than documents: [TextDocument], after: String, upTo last: String?, in tx: Transaction)
    throws
  {
    let existing = Set(documents.map(\.name))
    let end = last.map { " AND document <= \($0)" as SQL } ?? ""
    for table in ["search_documents", "search_pending"] as [StaticString] {
      let indexed = try tx.values(
        "SELECT document FROM \(raw: table) WHERE kind = \(kind) AND document > \(after)\(end)", as: String.self)
      for document in indexed where !existing.contains(document) { try remove(document, in: tx) }
    }
  }
}
