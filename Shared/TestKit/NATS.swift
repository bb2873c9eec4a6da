import Foundation
import Synchronization

/// A NATS server of a test, with JetStream in a folder of its own, on a port that remains when it starts again.
public final class NATSServer: Sendable {
  public let port: Int
  public let folder: String
  private let arguments: [String]
  private let process: Mutex<Command>

  /// - Parameter configuration: Further lines of the server's configuration, such as users or TLS.
  public init(in folder: String, configuration: String = "") throws {
    self.folder = folder
    port = try reservedPort()
    arguments = ["nats-server", "-c", "\(folder)/nats.conf", "-l", "\(folder)/nats.log"]
    try Self.write(configuration, folder: folder, port: port)
    process = Mutex(try Command(arguments))
  }

  /// Changes what follows the port in the configuration, while the server runs.
  public func reload(_ configuration: String) throws {
    try Self.write(configuration, folder: folder, port: port)
    process.withLock { $0.signal(SIGHUP) }
  }

  private static func write(_ configuration: String, folder: String, port: Int) throws {
    let text = """
      listen: "127.0.0.1:\(port)"
      jetstream { store_dir: "\(folder)/jetstream" }
      \(configuration)

      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/nats.conf"))
  }

  /// The address without credentials.
  public var url: String { "nats://127.0.0.1:\(port)" }

  /// Ends the server as a loss of power of its process does.
  public func kill() async {
    let process = process.withLock { $0 }
    process.signal(9)
    await process.end()
  }

  /// Starts it again, after ``kill()``.
  public func start() throws {
    let new = try Command(arguments)
    process.withLock { $0 = new }
  }

  /// Stops the process, so that it is there but does not answer.
  public func pause() async throws {
    let process = process.withLock { $0 }
    process.signal(SIGSTOP)
    try await eventually("NATS stands still") {
      let text = try String(contentsOfFile: "/proc/\(process.pid)/stat", encoding: .utf8)
      return text.contains(") T ")
    }
  }

  /// Continues the process after ``pause()``.
  public func resume() { process.withLock { $0.signal(SIGCONT) } }

  /// The output of the server, for a failing test.
  public var log: String { (try? String(contentsOfFile: "\(folder)/nats.log", encoding: .utf8)) ?? "" }
}

/// Runs a body with a NATS server of its own, which is ended afterwards.
///
/// - Parameter configuration: Receives a folder for the server's files.
public func withNATS<Value>(
  configuration: (_ folder: String) async throws -> String = { _ in "" }, _ body: (NATSServer) async throws -> Value
) async throws -> Value {
  try await TemporaryFolder.run { folder async throws in
    let server = try NATSServer(in: folder, configuration: try await configuration(folder))
    return try await attempt {
      try await eventually("NATS is ready") { server.log.contains("Server is ready") }
      return try await body(server)
    } finally: {
      server.resume()
      await server.kill()
    }
  }
}
