public import Foundation
import ServiceKit
import Synchronization

/// An executable of the platform, running as a separate process.
public final class ServiceProcess: Sendable {
  private let command: Command
  public let url: String
  public let privateURL: String
  public var pid: Int32 { command.pid }

  /// Settings with which a service does not give up on a caller that a busy machine holds up.
  static let longTimeouts = [
    "http.headSeconds": "300", "http.bodySeconds": "300", "http.answerSeconds": "600", "http.writeSeconds": "300",
    "http.idleSeconds": "300", "http.queueSeconds": "60", "service.keySeconds": "300", "shutdown.noticeSeconds": "0",
    "database.requestSeconds": "600", "database.waitSeconds": "600",
  ]

  /// Starts an executable on a free port and waits until it logs its address.
  ///
  /// - Parameters:
  ///   - settings: Settings by environment variable, such as `SERVICES_AUTH_URL`; an empty value unsets one.
  ///   - products: The folder of the executable; by default, that of the built products.
  ///   - wrapper: A command that becomes the executable, which follows it.
  public init(
    _ name: String, settings: [String: String] = [:], arguments: [String] = ["serve"], products: String? = nil,
    wrapper: [String] = []
  ) async throws {
    let longTimeouts = Self.longTimeouts.map { (ServiceHost.environmentVariable(of: $0.key), $0.value) }
    let environment = [
      "PORT": "0", "METRICS_PORT": "0", "LOG_FORMAT": "json", "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "",
    ].merging(longTimeouts) { $1 }.merging(try TestServiceKeys.environment(of: name)) { $1 }
      .merging(settings) { $1 }.filter { !$0.value.isEmpty }
    let pipe = Pipe()
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    let collected = Collected()
    command = try Command(
      wrapper + [products.map { "\($0)/\(name)" } ?? Self.executable(name).path] + arguments,
      environment: environment,
      folder: FileManager.default.temporaryDirectory.path,
      output: pipe
    )
    self.collected = collected
    Thread.detachNewThread {
      while true {
        let data = pipe.readSome()
        if data.isEmpty { return continuation.finish() }
        continuation.yield(collected.add(String(decoding: data, as: UTF8.self)))
      }
    }
    var found: (String, String)?
    for await text in lines {
      guard let range = text.firstMatch(of: /listens on (https?:\S+) \(metrics on (https?:\S+)\/metrics\)/) else {
        continue
      }
      found = (String(range.1), String(range.2))
      break
    }
    guard let found else {
      // Nothing waits for it any more when the test has been canceled.
      command.signal(SIGKILL)
      await command.end()
      throw TestKitError("\(name) did not start: \(collected.text)")
    }
    (url, privateURL) = found
  }

  /// Runs a body with a process and stops it.
  public static func running<Value>(
    _ name: String,
    settings: [String: String] = [:],
    _ body: (ServiceProcess) async throws -> Value
  ) async throws -> Value {
    let process = try await ServiceProcess(name, settings: settings)
    return try await attempt {
      try await body(process)
    } finally: {
      await process.terminate()
    }
  }

  private let collected: Collected

  /// The output of the process so far.
  public var text: String { collected.text }

  private final class Collected: Sendable {
    private let state = Mutex("")
    var text: String { state.withLock { $0 } }
    func add(_ more: String) -> String {
      state.withLock { text in
        text += more
        return text
      }
    }
  }

  /// Finds an executable in the folder of the built products, which also contains the test bundle.
  public static func executable(_ name: String) throws -> URL {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    while folder.path != "/" {
      let candidate = folder.appendingPathComponent(name)
      if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
      folder.deleteLastPathComponent()
    }
    throw TestKitError("the executable \(name) is not built")
  }

  /// Kills the process without letting it clean up, to simulate a crash.
  public func kill() async {
    command.signal(SIGKILL)
    await command.end()
  }

  /// Stops the process, so that it is there but does not answer, until ``resume()``.
  public func pause() { command.signal(SIGSTOP) }

  /// Continues the process after ``pause()``.
  public func resume() { command.signal(SIGCONT) }

  /// Requests a graceful stop; returns the exit status.
  @discardableResult
  public func terminate() async -> Int32 {
    command.signal(SIGTERM)
    return await command.end()
  }
}
