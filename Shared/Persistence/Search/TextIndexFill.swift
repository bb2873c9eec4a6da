/// A document to be indexed.
public struct TextDocument: Sendable {
  public var name: String
  /// Its texts by importance, such as title, tags, description; all documents of an index have as many. The first 400
  /// words count.
  public var fields: [String]
  /// What searches filter by, such as `owner:…` and `tag:…`.
  public var values: [String]

  public init(_ name: String, _ fields: [String], values: [String] = []) {
    (self.name, self.fields, self.values) = (name, fields, values)
  }
}

extension TextIndex {
  /// Documents that are indexed in one transaction.
  private static let step = 512

  /// Indexes documents that exist already, once for each version of what is indexed of them, in transactions of some
  /// hundreds; continues where it was interrupted.
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

  /// - Returns: Whether the index is complete.
  private func fillStep(
    _ version: Int, _ next: (_ after: String, _ limit: Int, _ tx: Transaction) throws -> [TextDocument],
    in tx: Transaction
  ) throws -> Bool {
    let state = try tx.first("SELECT version, reached, is_complete FROM search_indexes WHERE kind = \(kind)") {
      row -> (version: Int, reached: String, isComplete: Bool) in
      (try row["version"], try row["reached"], try row["is_complete"])
    }
    // A newer process has begun to build a newer version.
    if let state, state.version > version || state.version == version && state.isComplete { return true }
    let after = state?.version == version ? state?.reached ?? "" : ""
    let documents = try next(after, Self.step, tx)
    try put(documents, in: tx)
    let isComplete = documents.count < Self.step
    let reached = documents.last?.name ?? after
    try tx.execute(
      """
      INSERT INTO search_indexes (kind, version, reached, is_complete)
      VALUES (\(kind), \(version), \(reached), \(isComplete))
      ON CONFLICT (kind) DO UPDATE SET version = excluded.version, reached = excluded.reached,
        is_complete = excluded.is_complete
      """
    )
    return isComplete
  }
}
