import Foundation

/// Programs from PyPI in the virtual environment that `scripts/test` makes.
public enum Python {
  /// The variable by which `scripts/test` says where its Python is.
  public static let variable = "QUINTET_TEST_PYTHON"

  public static func path() throws -> String {
    guard let path = ProcessInfo.processInfo.environment[variable] else {
      throw TestKitError("\(variable) is not set; run the tests with scripts/test")
    }
    return path
  }

  /// Starts a script, waits until it prints `ready`, runs the body with the lines of JSON it prints afterwards, and ends it.
  ///
  /// - Parameter arguments: The script's file and what it is given.
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
          // Everything else is a warning of some library.
          if line == "ready" { isReady.yield(true) } else if line.hasPrefix("{") { continuation.yield(line) }
        }
      }
    }
    var iterator = ready.makeAsyncIterator()
    guard await iterator.next() == true else {
      await command.end()
      throw TestKitError("\(arguments) did not start")
    }
    let result: Result<Value, any Error>
    do { result = .success(try await body(lines)) } catch { result = .failure(error) }
    command.signal(SIGKILL)
    await command.end()
    return try result.get()
  }
}

/// A port on which nothing listens at the moment; what is to listen there starts at once.
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
