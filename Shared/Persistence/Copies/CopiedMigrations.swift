public import Logging

extension Database {
  /// Applies those migrations that the database of a copy had, so that its rows fit; the others follow when the rows are
  /// there, as they would have in the database of the copy.
  ///
  /// - Throws: ``DatabaseError`` `invalidMigration` when the copy has migrations that are not known here.
  public func migrate(_ known: [Migration], asIn copy: DatabaseSummary, logger: Logger) async throws {
    for (name, hash) in copy.migrations.sorted(by: { $0.key < $1.key }) {
      guard known.contains(where: { $0.name == name && $0.hash == hash }) else {
        throw DatabaseError(
          .invalidMigration,
          "the copy has the migration \(name), which this version does not know or has otherwise; use the version that "
            + "made the copy, or a later one")
      }
    }
    try await migrate(known.filter { copy.migrations[$0.name] != nil }, logger: logger)
  }
}
