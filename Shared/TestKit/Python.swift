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

/// Returns a currently unused port; start its listener immediately, because the port is not reserved.
public func freePort() throws -> Int {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
    }
  }
  guard isBound else { throw TestKitError("no free port") }
  return Int(UInt16(bigEndian: address.sin_port))
}
