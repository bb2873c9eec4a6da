public import Foundation
import Synchronization

/// A process started by a test. Its exit is observed by a termination handler because `Process.waitUntilExit` spins the
/// caller's run loop and can hang on Swift's threads.
public final class Command: Sendable {
  private let process: Mutex<Process>
  private let ends: AsyncStream<Int32>
  public let pid: Int32

  /// Starts a program on the `PATH`; its output goes to `output`, or is discarded by default.
  public init(
    _ arguments: [String],
    environment: [String: String]? = nil,
    folder: String? = nil,
    output: Pipe? = nil,
    input: Pipe? = nil
  ) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    if let environment { process.environment = environment }
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    process.standardOutput = output ?? FileHandle.nullDevice
    process.standardError = output ?? FileHandle.nullDevice
    process.standardInput = input ?? FileHandle.nullDevice
    let (ends, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(1))
    process.terminationHandler = { process in
      continuation.yield(process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
      continuation.finish()
    }
    try process.run()
    pid = process.processIdentifier
    self.ends = ends
    self.process = Mutex(process)
  }

  /// Waits for the exit, even in a canceled task; returns the exit status, or the negated signal number.
  @discardableResult
  public func end() async -> Int32 {
    await Task { [self] in
      for await status in ends { return status }
      return process.withLock { $0.terminationStatus }
    }.value
  }

  public func signal(_ number: Int32) { kill(pid, number) }

  /// Runs a program until it exits and returns its output.
  /// - Throws: ``TestKitError`` when the exit status is not `expected`.
  @discardableResult
  public static func run(
    _ arguments: [String],
    environment: [String: String]? = nil,
    folder: String? = nil,
    input: String? = nil,
    expects expected: Int32 = 0
  ) async throws -> String {
    let output = Pipe()
    let pipe = input.map { _ in Pipe() }
    let command = try Command(arguments, environment: environment, folder: folder, output: output, input: pipe)
    if let input, let pipe {
      let bytes = Array(input.utf8)
      _ = write(pipe.fileHandleForWriting.fileDescriptor, bytes, bytes.count)
      try pipe.fileHandleForWriting.close()
    }
    let text = String(decoding: await output.readToEnd(), as: UTF8.self)
    let status = await command.end()
    guard status == expected else {
      throw TestKitError("\(arguments.joined(separator: " ")) exited with \(status): \(text)")
    }
    return text
  }
}

extension Pipe {
  /// Returns the available bytes, waiting for at least one; empty at the end of the file. `FileHandle`'s functions trap
  /// when a signal, such as `SIGCHLD`, interrupts them.
  public func readSome() -> Data {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(fileHandleForReading.fileDescriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      return Data(buffer[..<max(0, count)])
    }
  }

  /// The same on a thread of its own, so that the tests' few shared threads stay free.
  public func readMore() async -> Data {
    await withCheckedContinuation { waiting in
      Thread.detachNewThread { [self] in waiting.resume(returning: readSome()) }
    }
  }

  /// Reads until the end of the file.
  public func readToEnd() async -> Data {
    var all = Data()
    while true {
      let more = await readMore()
      if more.isEmpty { return all }
      all += more
    }
  }
}
