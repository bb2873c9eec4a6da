import Contracts
import Logging
import Persistence

/// Where the services' databases are.
enum ServiceDatabase {
  enum Place: Equatable {
    /// A file for each service.
    case sqlite(folder: String)
    /// A schema for each service.
    case postgresql(url: String)

    init(_ settings: Settings, dataFolder: String) throws(SettingError) {
      self = try settings[PlatformSettings.databaseURL].map { .postgresql(url: $0) } ?? .sqlite(folder: dataFolder)
    }

    /// Opens the database of a service, which is created when it is missing.
    /// - Parameter statementSeconds: On PostgreSQL; 0 for no limit.
    func open(
      _ service: String,
      connections: Int,
      statementSeconds: Int = 10,
      time: TimeSource = .system,
      ids: IDGenerator = IDGenerator(),
      logger: Logger
    ) throws -> any Database {
      switch self {
      case .postgresql(let url):
        return try PostgresDatabase(
          url: url, schema: service.replacing("-", with: "_"), connections: connections,
          statementSeconds: statementSeconds, time: time, ids: ids)
      case .sqlite(let folder):
        do {
          try PrivateFiles.makeFolder(folder)
          let path = "\(folder)/\(service).sqlite"
          // The write-ahead log takes its rights from the file.
          PrivateFiles.makeFile(path)
          return try SQLiteDatabase(path: path, time: time, ids: ids, logger: logger)
        } catch {
          throw SettingError(
            PlatformSettings.data, problem: "names a folder that cannot be used: \(folder)", source: nil)
        }
      }
    }
  }
}
