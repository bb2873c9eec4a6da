import Contracts
import GRDB

/// The file with the device's copy and with what has not been sent.
struct DeviceDatabase: Sendable {
  private let queue: DatabaseQueue

  /// - Parameter survivesPowerLoss: Whether every commit waits for the disk. The file holds the only copy of what has
  ///   not been sent, so that a commit that was reported to the app must survive the loss of power too; a write-ahead
  ///   log alone survives only the death of the process.
  init(path: String, survivesPowerLoss: Bool) throws {
    var configuration = Configuration()
    // An app and its extensions may open the same file.
    configuration.busyMode = .timeout(5)
    configuration.journalMode = .wal
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA synchronous = \(survivesPowerLoss ? "FULL" : "NORMAL")")
      try db.execute(sql: "PRAGMA secure_delete = ON")
      try db.execute(sql: "PRAGMA journal_size_limit = 4194304")
    }
    queue = try DatabaseQueue(path: path, configuration: configuration)
    try DeviceMigrations.migrator.migrate(queue)
  }

  /// Prepares the state in one transaction; used when the file is opened.
  func open<Value>(_ body: (Database) throws -> Value) throws -> Value { try queue.write(body) }

  func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    try await queue.read(body)
  }

  func write<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
    try await queue.write(body)
  }
}

extension Database {
  /// Executes a statement that is compiled once per connection.
  func run(_ sql: String, _ arguments: StatementArguments = []) throws {
    try cachedStatement(sql: sql).execute(arguments: arguments)
  }

  func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
    try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
  }

  func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
    try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
  }

  func number(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
    try Int.fetchOne(cachedStatement(sql: sql), arguments: arguments) ?? 0
  }
}

/// Values that are stored as JSON.
enum StoredJSON {
  static func text(_ value: some Encodable) throws -> String {
    String(decoding: try WireJSON.encode(value), as: UTF8.self)
  }

  static func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try WireJSON.decode(type, from: text.utf8, at: "stored")
  }
}
