import CPostgres
public import Contracts
import Foundation
public import Persistence

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
      let schema = "t_" + UUID().uuidString.lowercased().replacing("-", with: "")
      defer { Self.drop(schema, at: url) }
      let database = try PostgresDatabase(url: url, schema: schema, time: time, ids: IDGenerator(time: time))
      return try await attempt {
        try await body(database)
      } finally: {
        await database.close()
      }
    }
  }

  public static func postgresURL() throws -> String {
    guard let url = ProcessInfo.processInfo.environment[urlVariable] else {
      throw TestKitError(
        "\(urlVariable) is not set; run the tests with scripts/test, which starts a PostgreSQL server"
      )
    }
    return url
  }

  /// The settings of services on a new database of this kind. It is not removed: the tests' PostgreSQL server is
  /// temporary, and SQLite's file is in the data folder.
  public func settings() async throws -> [String: String] {
    guard self == .postgresql else { return [:] }
    // Not a schema, because the names of the services' schemas are fixed.
    let name = "t_" + UUID().uuidString.lowercased().replacing("-", with: "")
    let url = try Self.postgresURL()
    try await Command.run(["psql", "-q", url, "-c", "CREATE DATABASE \(name)"])
    let keys = ["a", "lookup"].enumerated().map { index, name in
      "\(name):\(Data(repeating: UInt8(index + 1), count: 32).base64EncodedString())"
    }
    return ["database.url": url.replacing("/postgres", with: "/\(name)"), "data.keys": keys.joined(separator: ",")]
  }

  private static func drop(_ schema: String, at url: String) {
    let connection = PQconnectdb(url)
    PQclear(PQexec(connection, "SET client_min_messages = error; DROP SCHEMA IF EXISTS \(schema) CASCADE"))
    PQfinish(connection)
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
