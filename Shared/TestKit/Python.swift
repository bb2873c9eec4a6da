import Foundation

/// Runs Python programs in the virtual environment that `scripts/test` creates.
public enum Python {
  /// The environment variable in which `scripts/test` passes the path of its Python.
  public static let variable = "QUINTET_TEST_PYTHON"

  public static func path() throws -> String {
    guard let path = ProcessInfo.processInfo.environment[variable] else {
      throw TestKitError("\(variable) is not set; run the tests with scripts/test")
    }
    return path
  }

  /// A script that runs.
  public struct Program: Sendable {
    /// Its process; whoever started it ends it.
    public let command: Command
    /// The lines of JSON that it has printed and will print.
    public let lines: AsyncStream<String>
  }

  /// Starts a script, waits until it prints `ready`, runs the body with the lines of JSON that it prints, and kills it.
  ///
  /// - Parameter arguments: The script's path and its arguments.
  public static func running<Value>(_ arguments: [String], _ body: (AsyncStream<String>) async throws -> Value)
    async throws -> Value
  {
    let program = try await start(arguments)
    return try await attempt {
      try await body(program.lines)
    } finally: {
      program.command.signal(SIGKILL)
      await program.command.end()
    }
  }

  /// Starts a script and waits until it prints `ready`.
  ///
  /// - Parameter arguments: The script's path and its arguments.
  public static func start(_ arguments: [String]) async throws -> Program {
    let output = Pipe()
    let command = try Command([path(), "-u"] + arguments, output: output)
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    let (ready, isReady) = AsyncStream.makeStream(of: Bool.self)
    Thread.detachNewThread {
      var rest = ""
      while true {
        let data = output.readSome()
        if data.isEmpty {
          isReady.finish()
          return continuation.finish()
        }
        rest += String(decoding: data, as: UTF8.self)
        while let end = rest.firstIndex(of: "\n") {
          let line = String(rest[..<end])
          rest = String(rest[rest.index(after: end)...])
          // Ignore other lines, such as warnings of libraries.
          if line == "ready" { isReady.yield(true) } else if line.hasPrefix("{") { continuation.yield(line) }
        }
      }
    }
    var iterator = ready.makeAsyncIterator()
    guard await iterator.next() == true else {
      await command.end()
      throw TestKitError("\(arguments) did not start")
    }
    return Program(command: command, lines: lines)
  }
}
