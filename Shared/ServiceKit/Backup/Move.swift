import Crypto
import Foundation
import Persistence

extension PlatformBackup {
  /// How a platform moves: at once while it is stopped, or ahead while it runs and then, stopped for a short time, what has
  /// changed since.
  public enum MoveStage: Sendable {
    /// Copies a running platform; the copy is of use for ``rest`` only.
    case ahead
    /// Copies the tables of a stopped platform that differ from what was copied ahead, or everything.
    case rest
  }

  /// Copies all databases from one kind of database to the other, and compares them.
  ///
  /// - Parameters:
  ///   - source: `sqlite`, which is the data folder, or a URL such as `postgres://host/database`.
  ///   - target: The same; it must be empty, or what was copied ahead.
  ///   - progress: Called after each database with the service's name and the number of rows that were copied.
  /// - Throws: ``SettingError`` also when the source was written to while the rest was copied.
  public func move(
    from source: String, to target: String, _ stage: MoveStage, progress: (String, Int) -> Void
  ) async throws {
    let (source, target) = (try named(source), try named(target))
    guard source.place != target.place else { throw SettingError(message: "--from and --to name the same databases") }
    let wasCopiedAhead = stage == .rest ? try await isCopiedAhead(target) : false
    if !wasCopiedAhead { try await requireEmpty(manifests, in: target) }
    let temporary = "\(dataFolder)/temporary"
    try PrivateFiles.makeFolder(temporary)
    var copied: [(service: Manifest, summary: DatabaseSummary)] = []
    for service in manifests where try await hasDatabase(service, in: source) {
      let path = "\(temporary)/\(UUID().uuidString.lowercased())"
      defer { unlink(path) }
      let (summary, rows) = try await withDatabase(of: service, in: source) { from in
        try await withDatabase(of: service, in: target) { to in try await copy(service, from: from, to: to, path) }
      }
      copied.append((service, summary))
      progress(service.name, rows)
    }
    guard !copied.isEmpty else { throw SettingError(message: "there is no database at --from") }
    switch stage {
    case .ahead: for (service, _) in copied { try await markCopiedAhead(service, in: target) }
    case .rest: for (service, summary) in copied { try await finish(service, summary, source, target) }
    }
  }

  /// Copies the tables that differ.
  ///
  /// - Returns: What the source contains, and how many rows were copied.
  private func copy(
    _ service: Manifest, from source: any Database, to target: any Database, _ path: String
  ) async throws -> (summary: DatabaseSummary, rows: Int) {
    // The copy is read once, by this process.
    let key = SymmetricKey(size: .bits256)
    let name = BackupManifest.rows(of: service.name)
    var tables: Set<String>?
    if try await !target.isNew() {
      let now = try await source.summarized()
      try await target.migrate(migrations(of: service), asIn: now, logger: logger)
      tables = Set(now.tables.differences(from: try await target.summarized().tables))
    }
    let summary = try await source.copyRows(of: tables) { try BackupFileWriter(path, name: name, key: key) }
    try await load(service, summary, into: target, path: path, key: key)
    let rows = summary.tables.reduce(0) { sum, table in
      sum + (tables?.contains(table.name) ?? true ? table.rows : 0)
    }
    return (summary, rows)
  }

  private func finish(
    _ service: Manifest, _ summary: DatabaseSummary, _ source: ServiceDatabases, _ target: ServiceDatabases
  ) async throws {
    let now = try await withDatabase(of: service, in: source) { try await $0.summarized() }
    guard now == summary else {
      throw SettingError(
        message: "the database of \(service.name) was changed while it was copied; stop all services, empty the "
          + "target and move again")
    }
    try await withDatabase(of: service, in: target) { database in
      try await database.write { tx in try tx.execute("DROP TABLE IF EXISTS copied_ahead") }
      // Those that the source lacks.
      try await database.migrate(migrations(of: service), logger: logger)
    }
  }

  // MARK: what was copied ahead

  /// An empty table distinguishes a copy that is not whole yet from a platform's database, which must never be replaced.
  private func markCopiedAhead(_ service: Manifest, in target: ServiceDatabases) async throws {
    try await withDatabase(of: service, in: target) { database in
      try await database.write { tx in _ = try tx.execute("CREATE TABLE copied_ahead (id TEXT PRIMARY KEY)") }
    }
  }

  /// - Throws: ``SettingError`` when that is so of some of the databases only.
  private func isCopiedAhead(_ target: ServiceDatabases) async throws -> Bool {
    var marks: [Bool] = []
    for service in manifests where try await hasDatabase(service, in: target) {
      marks.append(
        try await withDatabase(of: service, in: target) { database in
          try await database.hasTable("copied_ahead")
        })
    }
    guard Set(marks).count < 2 else {
      throw SettingError(message: "some databases at --to were not copied ahead; empty the target and move again")
    }
    return marks.first ?? false
  }

  // MARK: places

  private func named(_ text: String) throws(SettingError) -> ServiceDatabases {
    var databases = databases
    databases.place = try place(text)
    return databases
  }

  private func place(_ text: String) throws(SettingError) -> ServiceDatabases.Place {
    if text == "sqlite" { return .sqlite(folder: dataFolder) }
    guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
      throw SettingError(message: "\(text) must be sqlite or a URL such as postgres://user@host/database")
    }
    return .postgresql(url: text)
  }
}
