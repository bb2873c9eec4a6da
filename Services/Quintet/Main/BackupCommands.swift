import ArgumentParser
import BlobStorage
import CurlClient
import Foundation
import MediaIndexService
import ServiceKit

/// `quintet backup`: a backup of the whole platform while it runs.
struct Backup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Back up all databases and media while the platform runs.",
    discussion: """
      Each backup is a folder, named after the time, in the folder that --to names; media are stored once for all \
      backups there. With backup.key (--backup-key-file FILE) everything is encrypted, and the key files of the data \
      folder are in the backup too; without it, keep them elsewhere: the rows cannot be read without data-keys.
      """
  )

  @Option(help: "The folder of all backups.") var to: String
  @Flag(help: "Leave out media, for example when their store has backups of its own.") var withoutMedia = false
  @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

  func run() async throws {
    try await QuintetCommand.backingUp(settings) { backup in
      let report = try await MediaFiles.with(backup, isWanted: !withoutMedia) { files in
        try await backup.backUp(to: to, files: files)
      }
      for (service, rows) in report.rows.sorted(by: { $0.key < $1.key }) { print("\(service): \(rows) rows") }
      print("\(report.files) files of media, \(report.newFiles) of them new, \(report.damaged.count) damaged")
      if !report.hasKeyFiles { print("the key files of the data folder are not in this backup") }
      print(report.folder)
      try MediaFiles.require(report)
    }
  }
}

/// `quintet restore`: a platform from a backup.
struct Restore: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Fill empty databases, SQLite or PostgreSQL, from a backup.",
    discussion: """
      The databases are those that the settings name (data, database.url); they must be empty, and no service may run. \
      The backup is read completely and verified first.
      """
  )

  @Option(help: "The folder of the backup.") var from: String
  @Flag(help: "Leave out media.") var withoutMedia = false
  @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

  func run() async throws {
    try await QuintetCommand.backingUp(settings) { backup in
      try VerifyBackup.require(backup, from)
      let report = try await MediaFiles.with(backup, isWanted: !withoutMedia) { files in
        try await backup.restore(from, files: files)
      }
      for (service, rows) in report.rows.sorted(by: { $0.key < $1.key }) { print("\(service): \(rows) rows") }
      print("\(report.files) files of media")
      if !report.hasKeyFiles { print("key files were not in the backup: put data-keys into the data folder") }
      try MediaFiles.require(report)
    }
  }
}

/// `quintet verify`: whether a backup is whole.
struct VerifyBackup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Read all of a backup and compare it with its hashes; exits with status 1 when something is damaged.")

  @Argument(help: "The folder of the backup.") var folder: String
  @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

  func run() async throws {
    try await QuintetCommand.backingUp(settings) { backup in
      try Self.require(backup, folder)
      print("the backup is whole")
    }
  }

  static func require(_ backup: PlatformBackup, _ folder: String) throws {
    let flaws = try backup.verify(folder)
    for flaw in flaws { print(flaw) }
    if !flaws.isEmpty { throw ExitCode.failure }
  }
}

/// `quintet move`: from SQLite to PostgreSQL and back.
struct Move: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy the databases of a platform from SQLite to PostgreSQL, or back.",
    discussion: """
      quintet move --from sqlite --to postgres://user@host/database --data ./data --ahead
      quintet move --from sqlite --to postgres://user@host/database --data ./data

      The first command copies while the platform runs. Then stop all services: the second one copies the tables that \
      have changed since, or everything if nothing was copied ahead. Every table is counted and hashed on both sides. \
      Afterwards start the services with \
      database.url, and with data.keys set to the content of the file data-keys (--data-keys-file ./data/data-keys). \
      Media stay where they are; `media move` moves them.
      """
  )

  @Option(help: "sqlite, for the files in the data folder, or a PostgreSQL URL.") var from: String
  @Option(help: "sqlite or a PostgreSQL URL; nothing may be there but what was copied ahead.") var to: String
  @Flag(help: "Copy while the platform runs, so that its pause is short.") var ahead = false
  @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

  func run() async throws {
    try await QuintetCommand.backingUp(settings) { backup in
      try await backup.move(from: from, to: to, ahead ? .ahead : .rest) { service, rows in
        print("\(service): \(rows) rows copied and compared")
      }
    }
  }
}

/// Media as files of a backup.
private struct MediaFiles: BackedUpFiles {
  let storage: any BlobStorage

  static func with<Value>(
    _ backup: PlatformBackup, isWanted: Bool, _ body: ((any BackedUpFiles)?) async throws -> Value
  ) async throws -> Value {
    guard isWanted else { return try await body(nil) }
    let http = CurlClient()
    do {
      let storage = try await MediaStorage.open(backup.settings, dataFolder: backup.dataFolder, http: http)
      let value = try await body(MediaFiles(storage: storage))
      await http.shutdown()
      return value
    } catch {
      await http.shutdown()
      throw error
    }
  }

  static func require(_ report: PlatformBackup.Report) throws {
    for hash in report.damaged { print("damaged: \(hash)") }
    if !report.damaged.isEmpty { throw ExitCode.failure }
  }

  func list(after hash: String?) async throws -> [(hash: String, bytes: Int64)] {
    try await storage.list(after: hash.flatMap { BlobHash($0) }, limit: 200).map { ($0.hash.description, $0.bytes) }
  }

  func copy(_ hash: String, to path: String) async throws -> Bool {
    guard let hash = BlobHash(hash) else { return false }
    do {
      try await storage.copy(hash, to: path)
      return true
    } catch BlobStorageError.damaged, BlobStorageError.notFound {
      return false
    }
  }

  func store(fileAt path: String, as hash: String) async throws {
    guard let hash = BlobHash(hash) else { throw BlobStorageError.damaged }
    try await storage.store(fileAt: path, as: hash)
  }
}
