import Foundation
import TestKit

/// A program that a test kills, pauses and starts again, on a port that it keeps.
actor ChaosProgram: ChaosVictim {
  private let arguments: [String]
  private var process: Command?

  init(_ arguments: [String]) { self.arguments = arguments }

  func start() throws { process = try Command(arguments) }

  func stop() async { await end(SIGTERM) }
  func kill() async { await end(SIGKILL) }
  func pause() { process?.signal(SIGSTOP) }
  func resume() { process?.signal(SIGCONT) }

  private func end(_ signal: Int32) async {
    process?.signal(signal)
    await process?.end()
    process = nil
  }
}

extension ChaosProgram {
  /// The network between all services and an engine: killed, it cuts every connection; paused, it delivers nothing.
  static func link(to port: Int, in folder: String) throws -> (program: ChaosProgram, port: Int) {
    let own = try reservedPort()
    let text = """
      defaults
        mode tcp
        timeout connect 5s
        timeout client 1h
        timeout server 1h
      listen link
        bind 127.0.0.1:\(own)
        server engine 127.0.0.1:\(port)

      """
    let path = "\(folder)/link-\(port).cfg"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return (ChaosProgram(["haproxy", "-db", "-f", path]), own)
  }

  /// A Redis that keeps nothing, and where it listens.
  static func redis() throws -> (program: ChaosProgram, port: Int) {
    let port = try reservedPort()
    let program = ChaosProgram([
      "redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
    ])
    return (program, port)
  }
}
