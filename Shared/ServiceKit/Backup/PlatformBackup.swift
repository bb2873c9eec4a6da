import Contracts
import Crypto
import Foundation
import Logging
import Observability
import Persistence

/// Backups of a platform's databases, key files and media, and what is made of them.
public struct PlatformBackup: Sendable {
  public let settings: Settings
  public let dataFolder: String
  let manifests: [Manifest]
  let databases: ServiceDatabases
  let key: SymmetricKey?
  let logger: Logger

  init(_ plugins: [any ServicePlugin.Type], settings: Settings, logger: Logger) throws {
    self.settings = settings
    self.logger = logger
    dataFolder = try settings[PlatformSettings.data].absolutePath
    manifests = plugins.map { $0.manifest }.filter(\.needsDatabase)
    databases = try Self.forCopies(settings, dataFolder: dataFolder)
    key = try BackupSettings.symmetricKey(settings)
  }

  public struct Report: Sendable {
    /// The folder of the backup.
    public let folder: String
    public var rows: [String: Int] = [:]
    public var files = 0
    /// The files that earlier backups of the place did not have.
    public var newFiles = 0
    /// The files whose content is damaged or missing.
    public var damaged: [String] = []
    public var hasKeyFiles = false
  }

  // MARK: databases

  /// The databases of the settings, for whole tables, each of which SQLite reads by one statement.
  private static func forCopies(_ settings: Settings, dataFolder: String) throws(SettingError) -> ServiceDatabases {
    var databases = try ServiceDatabases(settings, dataFolder: dataFolder)
    databases.replicaURL = nil
    databases.connections = 3
    databases.limits.backgroundSeconds = 7 * 86_400
    return databases
  }

  /// Runs a body with a service's database, without migrating it.
  func withDatabase<Value>(
    of manifest: Manifest, in databases: ServiceDatabases, _ body: (any Database) async throws -> Value
  ) async throws -> Value {
    let database = try databases.open(manifest.name, logger: logger)
    do {
      let value = try await body(database)
      await database.close()
      return value
    } catch {
      await database.close()
      throw error
    }
  }

  /// Whether a service has a database there; none is created.
  func hasDatabase(_ manifest: Manifest, in databases: ServiceDatabases) async throws -> Bool {
    if case .sqlite(let folder) = databases.location,
      !FileManager.default.fileExists(atPath: "\(folder)/\(manifest.name).sqlite")
    {
      return false
    }
    return try await withDatabase(of: manifest, in: databases) { try await !$0.isNew() }
  }

  func requireEmpty(_ manifests: [Manifest], in databases: ServiceDatabases) async throws {
    for manifest in manifests where try await hasDatabase(manifest, in: databases) {
      throw SettingError(
        message: "\(manifest.name) has a database there already; name an empty folder or database, or remove it first")
    }
  }

  /// Fills the tables that a copy has, with the copy's migrations, and compares all tables.
  func load(
    _ manifest: Manifest, _ copy: DatabaseSummary, into database: any Database, path: String, key: SymmetricKey?
  ) async throws {
    let name = BackupManifest.rows(of: manifest.name)
    try await database.migrate(manifest.allMigrations, asIn: copy, logger: logger)
    try await database.replaceRows { try BackupFileReader(path, name: name, key: key) }
    let differences = try await database.summarized().tables.differences(from: copy.tables)
    guard differences.isEmpty else {
      throw SettingError(
        message: "the database of \(manifest.name) differs from the copy in \(differences.joined(separator: ", "))")
    }
  }
}

extension HostCommand {
  /// Runs an operator's command on the databases as they are, without migrating them.
  public static func backingUp(_ arguments: [String], _ body: (PlatformBackup) async throws -> Void) async throws {
    try await reporting {
      let settings = try await settings(arguments)
      let logging = ProcessLogging(
        level: try settings[PlatformSettings.logLevel], format: try settings[PlatformSettings.logFormat],
        sink: LogSink(descriptor: STDERR_FILENO), time: .system)
      try await body(PlatformBackup(plugins, settings: settings, logger: logging.logger("backup")))
    }
  }
}
