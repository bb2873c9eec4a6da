public import Contracts
import Foundation
public import Persistence
public import ServiceKit

/// The databases that every persistence test runs on.
public enum TestDatabase: String, CaseIterable, Sendable, CustomStringConvertible {
  case sqlite, postgresql

  public var description: String { rawValue }

  /// The environment variable in which `scripts/test` passes the URL of its PostgreSQL server.
  public static let urlVariable = "QUINTET_TEST_POSTGRES"

  /// Creates an empty database, runs the body and removes the database.
  public func run<Value>(time: TimeSource = .system, _ body: (any Database) async throws -> Value) async throws -> Value
  {
    switch self {
    case .sqlite:
      return try await TemporaryFolder.run { folder in
        let database = try SQLiteDatabase(path: "\(folder)/test.sqlite", time: time, ids: IDGenerator(time: time))
        return try await attempt {
          try await body(database)
        } finally: {
          await database.close()
        }
      }
    case .postgresql:
      let url = try Self.postgresURL()
      let schema = Self.newName()
      return try await attempt {
        // A third of them is for transactions outside of requests.
        let database = try PostgresDatabase(
          url: url, schema: schema, connections: 24, time: time, ids: IDGenerator(time: time))
        return try await attempt {
          try await body(database)
        } finally: {
          await database.close()
        }
      } finally: {
        await Self.remove("SCHEMA IF EXISTS \(schema) CASCADE", at: url)
      }
    }
  }

  public static func postgresURL() throws -> String {
    guard let url = ProcessInfo.processInfo.environment[urlVariable] else {
      throw TestKitError(
        "\(urlVariable) is not set; run the tests with scripts/test, which starts a PostgreSQL server"
      )
    }
    // On a busy machine, connecting and single statements may take long.
    let timeouts = "connect_timeout=300&options=-c%20statement_timeout%3D300000"
    return url + (url.contains("?") ? "&" : "?") + timeouts
  }

  /// Runs a body with the settings of services on an empty database of this kind, which is removed afterwards. SQLite's
  /// is in the services' data folder.
  ///
  /// - Parameter manifests: Services whose tables the database has from the beginning.
  public func withSettings<Value>(
    migratedFor manifests: [Manifest] = [], _ body: ([String: String]) async throws -> Value
  ) async throws -> Value {
    guard self == .postgresql else { return try await body([:]) }
    // Not a schema, because the names of the services' schemas are fixed.
    let name = Self.newName()
    let url = try Self.postgresURL()
    let keys = ["a", "lookup"].enumerated().map { index, name in
      "\(name):\(Data(repeating: UInt8(index + 1), count: 32).base64EncodedString())"
    }
    try await TemplateDatabases.shared.createDatabase(name, for: manifests, at: url)
    return try await attempt {
      try await body([
        "database.url": Self.url(url, of: name), "data.keys": keys.joined(separator: ","),
      ])
    } finally: {
      await Self.remove("DATABASE \(name) WITH (FORCE)", at: url)
    }
  }

  /// The URL of another database of the same server.
  static func url(_ url: String, of database: String) -> String { url.replacing("/postgres", with: "/\(database)") }

  static func newName() -> String { "t_" + UUID().uuidString.lowercased().replacing("-", with: "") }

  /// Drops what a test created. What is left behind costs room, but fails no test.
  private static func remove(_ what: String, at url: String) async {
    _ = try? await Command.run(["psql", "-q", url, "-c", "DROP \(what)"])
  }
}

/// Retries after conflicts. SQLite never conflicts inside one process; PostgreSQL gives up after twelve attempts.
public func retryingConflicts<Value>(_ body: () async throws -> Value) async throws -> Value {
  while true {
    do { return try await body() } catch let error as DatabaseError where error.kind == .conflict { continue }
  }
}

/// A temporary folder that is removed after the body.
public enum TemporaryFolder {
  public static func run<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("quintet-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
  }
}

/// A failure of the test environment, such as a missing prerequisite.
public struct TestKitError: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}
