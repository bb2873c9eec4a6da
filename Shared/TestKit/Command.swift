public import Foundation
import Synchronization

/// A process started by a test. `Process` of Foundation is not used: it crashes when more than about 1,360 files are
/// open, and waiting for its end spins the caller's run loop, which can hang on Swift's threads.
public final class Command: Sendable {
  public let pid: Int32
  private let ends: AsyncStream<Void>
  /// The exit status; `nil` until the process has ended, and its number may belong to another one.
  private let status = Mutex<Int32?>(nil)

  /// Starts a program on the `PATH`; its output goes to `output`, or is discarded by default.
  public init(
    _ arguments: [String],
    environment: [String: String]? = nil,
    folder: String? = nil,
    output: Pipe? = nil,
    input: Pipe? = nil
  ) throws {
    let environment = environment ?? ProcessInfo.processInfo.environment
    let directory = folder.map { ["-C", $0] } ?? []
    pid = try Self.spawn(["env"] + directory + arguments, environment, output, input)
    try output?.fileHandleForWriting.close()
    try input?.fileHandleForReading.close()
    let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
    self.ends = ends
    Thread.detachNewThread { [self] in
      var info = siginfo_t()
      while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
      status.withLock { status in
        var ended: Int32 = 0
        while waitpid(pid, &ended, 0) < 0, errno == EINTR {}
        let signal = ended & 0x7f
        status = signal == 0 ? ended >> 8 & 0xff : -signal
      }
      continuation.finish()
    }
  }

  private static func spawn(
    _ arguments: [String], _ environment: [String: String], _ output: Pipe?, _ input: Pipe?
  ) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input.fileHandleForReading.fileDescriptor, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    for descriptor: Int32 in [1, 2] {
      if let output {
        posix_spawn_file_actions_adddup2(&actions, output.fileHandleForWriting.fileDescriptor, descriptor)
      } else {
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
      }
    }
    // Pipes of other programs would not end while this one has them; what is not open is ignored.
    for descriptor: Int32 in 3..<4096 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    // The calling thread may block signals and belong to a group that a terminal ends.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var argv = arguments.map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var pid: pid_t = 0
    let error = posix_spawn(&pid, "/usr/bin/env", &actions, &attributes, &argv, &envp)
    guard error == 0 else { throw TestKitError("\(arguments) did not start: \(String(cString: strerror(error)))") }
    return pid
  }

  /// Waits for the exit, even in a canceled task; returns the exit status, or the negated signal number.
  @discardableResult
  public func end() async -> Int32 {
    await Task { [self] in
      for await _ in ends {}
      return status.withLock { $0 ?? 0 }
    }.value
  }

  /// Sends a signal, unless the process has ended.
  public func signal(_ number: Int32) {
    status.withLock { status in if status == nil { kill(pid, number) } }
  }

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
      Foundation.signal(SIGPIPE, SIG_IGN)  // the program may end without reading
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
