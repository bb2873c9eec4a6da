import Contracts
import Logging
import Persistence

/// The location of the services' databases, and how they are used.
package struct ServiceDatabases: Sendable {
  enum Location: Equatable {
    /// A file for each service.
    case sqlite(folder: String)
    /// A schema for each service.
    case postgresql(url: String)
  }

  var location: Location
  var replicaURL: String?
  /// To PostgreSQL, for each service.
  var connections: Int
  let isPooled: Bool
  var limits: DatabaseLimits

  /// The databases that the settings name.
  init(_ settings: Settings, dataFolder: String) throws(SettingError) {
    location = try settings[PlatformSettings.databaseURL].map { .postgresql(url: $0) } ?? .sqlite(folder: dataFolder)
    replicaURL = try settings[PlatformSettings.databaseReplicaURL]
    connections = try settings[PlatformSettings.databaseConnections]
    isPooled = try settings[PlatformSettings.databasePooled]
    limits = try PlatformSettings.databaseLimits(settings)
    if case .sqlite = location, replicaURL != nil {
      throw SettingError(PlatformSettings.databaseReplicaURL, "is set, but database.url is not")
    }
  }

  /// The PostgreSQL schema of a service.
  package static func schema(of service: String) -> String { service.replacing("-", with: "_") }

  /// Opens the database of a service, which is created when it is missing.
  ///
  /// - Parameter notifications: Wakes the other processes on PostgreSQL.
  func open(
    _ service: String,
    notifications: PostgresNotifications? = nil,
    time: TimeSource = .system,
    ids: IDGenerator = IDGenerator(),
    logger: Logger
  ) throws -> any Database {
    switch location {
    case .postgresql(let url):
      return try PostgresDatabase(
        url: url, replicaURL: replicaURL, schema: Self.schema(of: service), connections: connections,
        isPooled: isPooled, limits: limits, notifications: notifications, time: time, ids: ids)
    case .sqlite(let folder):
      do {
        try PrivateFiles.makeFolder(folder)
        let path = "\(folder)/\(service).sqlite"
        // The write-ahead log takes its rights from the file.
        PrivateFiles.makeFile(path)
        return try SQLiteDatabase(path: path, limits: limits, time: time, ids: ids, logger: logger)
      } catch {
        throw SettingError(PlatformSettings.data, problem: "names a folder that cannot be used: \(folder)", source: nil)
      }
    }
  }
}
