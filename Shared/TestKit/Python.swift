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

  /// Starts a script, waits until it prints `ready`, runs the body with the JSON lines that follow, and kills it.
  ///
  /// - Parameter arguments: The script's path and its arguments.
  public static func running<Value>(_ arguments: [String], _ body: (AsyncStream<String>) async throws -> Value)
    async throws -> Value
  {
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
    return try await attempt {
      try await body(lines)
    } finally: {
      command.signal(SIGKILL)
      await command.end()
    }
  }
}
