import Contracts
import Persistence
import ServiceKit

/// The schools that are importing a list.
enum SchoolImportStore {
  /// Longer than a request may take, in seconds: what a process left behind that was stopped ends by itself.
  private static let lifetime = 120.0

  /// - Throws: ``Problem`` `import-running` while another one goes on.
  static func begin(_ id: String, at school: SchoolID, in tx: Transaction) throws {
    let began = try tx.execute(
      """
      INSERT INTO school_imports (school_id, id, ends_at)
      VALUES (\(school), \(id), \(tx.now.advanced(bySeconds: lifetime)))
      ON CONFLICT (school_id) DO UPDATE SET id = excluded.id, ends_at = excluded.ends_at
      WHERE school_imports.ends_at <= \(tx.now)
      """
    )
    guard began == 1 else { throw Problem(.importRunning) }
  }

  static func end(_ id: String, in tx: Transaction) throws {
    try tx.execute("DELETE FROM school_imports WHERE id = \(id)")
  }
}

/// Each new member costs the hash of a password, so that several lists at once would keep others from signing in.
struct SchoolImports: Sendable {
  private let core: AuthCore
  private let id: String

  init(_ core: AuthCore) { (self.core, id) = (core, core.ids.text()) }

  /// Runs one import.
  /// - Throws: ``Problem`` `import-running` while another one of the school goes on.
  func run(at school: SchoolID, _ body: () async throws -> SchoolImportReport) async throws -> SchoolImportReport {
    try await core.database.write { tx in try SchoolImportStore.begin(id, at: school, in: tx) }
    let outcome: Result<SchoolImportReport, any Error>
    do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
    // Also after the caller has gone, when this task is cancelled.
    _ = await Task {
      try await core.database.write { tx in try SchoolImportStore.end(id, in: tx) }
    }.result
    return try outcome.get()
  }
}
