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
    guard source.location != target.location else {
      throw SettingError(message: "--from and --to name the same databases")
    }
    switch stage {
    case .ahead: try await requireEmpty(manifests, in: target)
    case .rest: try await requireCopiedAhead(source, target)
    }
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
    case .ahead:
      for (service, _) in copied {
        try await withDatabase(of: service, in: target) { try await $0.markCopiedAhead() }
      }
    case .rest:
      for (service, summary) in copied { try await requireUnchanged(service, summary, source) }
      for (service, _) in copied { try await finish(service, target) }
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
      try await target.migrate(service.allMigrations, asIn: now, logger: logger)
      tables = Set(now.tables.differences(from: try await target.summarized().tables))
    }
    let summary = try await source.copyRows(of: tables) { try BackupFileWriter(path, name: name, key: key) }
    try await load(service, summary, into: target, path: path, key: key)
    let rows = summary.tables.reduce(0) { sum, table in
      sum + (tables?.contains(table.name) ?? true ? table.rows : 0)
    }
    return (summary, rows)
  }

  private func requireUnchanged(_ service: Manifest, _ summary: DatabaseSummary, _ source: ServiceDatabases)
    async throws
  {
    let now = try await withDatabase(of: service, in: source) { try await $0.summarized() }
    guard now == summary else {
      throw SettingError(
        message: "the database of \(service.name) was changed while it was copied; stop all services and move again")
    }
  }

  private func finish(_ service: Manifest, _ target: ServiceDatabases) async throws {
    try await withDatabase(of: service, in: target) { database in
      try await database.unmarkCopiedAhead()
      // The migrations that the source lacks.
      try await database.migrate(service.allMigrations, logger: logger)
    }
  }

  /// A database that is there was copied ahead, or was finished by a move that was interrupted.
  private func requireCopiedAhead(_ source: ServiceDatabases, _ target: ServiceDatabases) async throws {
    for service in manifests where try await hasDatabase(service, in: target) {
      let isReplaceable = try await withDatabase(of: service, in: target) { to in
        if try await to.isCopiedAhead() { return true }
        guard try await hasDatabase(service, in: source) else { return false }
        let rows = try await to.summarized().tables
        return try await withDatabase(of: service, in: source) { from in
          try await from.summarized().tables.differences(from: rows).isEmpty
        }
      }
      if !isReplaceable { try await requireEmpty([service], in: target) }
    }
  }

  // MARK: locations

  private func named(_ text: String) throws(SettingError) -> ServiceDatabases {
    var databases = databases
    databases.location = try location(text)
    return databases
  }

  private func location(_ text: String) throws(SettingError) -> ServiceDatabases.Location {
    if text == "sqlite" { return .sqlite(folder: dataFolder) }
    guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
      throw SettingError(message: "\(text) must be sqlite or a URL such as postgres://user@host/database")
    }
    return .postgresql(url: text)
  }
}
