import Foundation
import Logging
import Persistence
import ServiceKit

/// Databases of services that are migrated once per process and copied for each test, because migrating them takes longer
/// than most tests.
actor TemplateDatabases {
  static let shared = TemplateDatabases()

  /// By the migrations that they have. Tasks, so that those who ask at the same time wait for one migration.
  private var files: [[String]: Task<String, any Error>] = [:]
  private var databases: [[[String]]: Task<String, any Error>] = [:]

  /// Puts a migrated SQLite file for each service into a data folder, unless the folder has one.
  func copyFiles(of manifests: [Manifest], to folder: String) async throws {
    for manifest in manifests where manifest.needsDatabase {
      let path = "\(folder)/\(manifest.name).sqlite"
      if FileManager.default.fileExists(atPath: path) { continue }
      try PrivateFiles.makeFolder(folder)
      try await FileManager.default.copyItem(atPath: file(of: manifest), toPath: path)
    }
  }

  /// Creates a PostgreSQL database with a migrated schema for each service.
  func createDatabase(_ name: String, for manifests: [Manifest], at url: String) async throws {
    let services = manifests.filter(\.needsDatabase)
    let template = services.isEmpty ? "template1" : try await database(of: services, at: url)
    try await Self.create(name, template: template, at: url)
  }

  private func file(of manifest: Manifest) async throws -> String {
    let key = Self.key(of: manifest)
    if let task = files[key] { return try await task.value }
    let path = "\(Self.folder)/\(files.count)-\(manifest.name).sqlite"
    let task = Task {
      try await Self.migrate(SQLiteDatabase(path: path), manifest)
      return path
    }
    files[key] = task
    do { return try await task.value } catch {
      files[key] = nil
      throw error
    }
  }

  private func database(of manifests: [Manifest], at url: String) async throws -> String {
    let key = manifests.map(Self.key)
    if let task = databases[key] { return try await task.value }
    let task = Task {
      let name = TestDatabase.newName()
      try await Self.create(name, template: "template1", at: url)
      for manifest in manifests {
        let schema = ServiceDatabases.schema(of: manifest.name)
        try await Self.migrate(PostgresDatabase(url: TestDatabase.url(url, of: name), schema: schema), manifest)
      }
      return name
    }
    databases[key] = task
    do { return try await task.value } catch {
      databases[key] = nil
      throw error
    }
  }

  private static func key(of manifest: Manifest) -> [String] { [manifest.name] + manifest.allMigrations.map(\.hash) }

  private static func create(_ name: String, template: String, at url: String) async throws {
    try await Command.run(["psql", "-q", url, "-c", "CREATE DATABASE \(name) TEMPLATE \(template)"])
  }

  private static func migrate(_ database: any Database, _ manifest: Manifest) async throws {
    let silent = Logger(label: "templates") { _ in SwiftLogNoOpLogHandler() }
    try await attempt {
      _ = try await database.migrate(manifest.allMigrations, logger: silent)
    } finally: {
      await database.close()
    }
  }

  /// Where the SQLite files are until the process ends.
  private static let folder: String = {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("quintet-templates-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(atPath: TemplateDatabases.folder) }
    return folder.path
  }()
}
