import Foundation

/// A thread's connection, reopened after it is lost.
final class PostgresSession {
  private let writers: WriterGate
  private let connect: () throws -> PostgresConnection
  private var connection: PostgresConnection?

  init(writers: WriterGate, connect: @escaping () throws -> PostgresConnection) {
    (self.writers, self.connect) = (writers, connect)
  }

  private func connected() throws -> PostgresConnection {
    if let connection, connection.isAlive { return connection }
    connection = nil
    let new = try connect()
    connection = new
    return new
  }

  /// - Throws: ``PostgresConnection/ReplicaIsBehind``, besides what the body throws.
  func read<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
    var retry = TransactionRetry()
    while true {
      var isConnected = false
      do {
        let connection = try connected()
        isConnected = true
        connection.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let value = try undoing(connection) { try body(connection) }
        connection.end("COMMIT")
        return value
      } catch let error as DatabaseError {
        pause(try retry.pause(after: error, isConnected: isConnected, isIdempotent: true))
      }
    }
  }

  /// - Parameter start: Called for each attempt.
  func write<Value>(
    _ purpose: WritePurpose, _ body: (Transaction) throws -> Value, _ start: (PostgresConnection) -> Transaction
  ) throws -> (Value, Transaction) {
    let characteristics: StaticString =
      switch purpose {
      case .serializable: "ISOLATION LEVEL SERIALIZABLE"
      case .readCommitted: "ISOLATION LEVEL READ COMMITTED"
      }
    var retry = TransactionRetry()
    while true {
      var (isConnected, isIdempotent) = (false, false)
      do {
        let connection = try connected()
        isConnected = true
        func once() throws -> (Value, Transaction) {
          connection.begin(characteristics)
          let transaction = start(connection)
          return try undoing(connection) {
            let value = try body(transaction)
            isIdempotent = transaction.hasKey
            try transaction.writeEvents()
            // A body may have continued after the loss of its connection.
            guard connection.isAlive else { throw DatabaseError(.unavailable, "the connection was lost") }
            try connection.commit()
            return (value, transaction)
          }
        }
        return retry.runsAlone ? try writers.runAlone(once) : try writers.runBesideOthers(once)
      } catch let error as DatabaseError {
        pause(try retry.pause(after: error, isConnected: isConnected, isIdempotent: isIdempotent))
      }
    }
  }

  private func pause(_ seconds: ClosedRange<Double>) { Thread.sleep(forTimeInterval: .random(in: seconds)) }

  private func undoing<Value>(_ connection: PostgresConnection, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch {
      connection.end("ROLLBACK")
      throw error
    }
  }
}
