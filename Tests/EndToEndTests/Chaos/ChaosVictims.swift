import Foundation
import ServiceKit
import TestKit

/// A part of the platform that fails.
protocol ChaosVictim: Sendable {
  func start() async throws
  /// Ends it as a planned restart does.
  func stop() async throws
  /// Ends it without letting it clean up.
  func kill() async throws
  /// It is there, but does not answer until it is resumed.
  func pause() async throws
  func resume() async throws
}

/// The fault that happens to a victim.
enum ChaosFault: String, Sendable {
  case kill, pause, restart

  /// Most are kills.
  static func random(using generator: inout SeededGenerator) -> ChaosFault {
    switch generator.below(10) {
    case 0..<6: .kill
    case 6..<8: .pause
    default: .restart
    }
  }
}

extension NATSServer: ChaosVictim {
  func stop() async { await kill() }
}

/// An instance of a service, on a port that it keeps.
actor ChaosService: ChaosVictim {
  private let name: String
  private let settings: [String: String]
  private var process: ServiceProcess?

  init(_ name: String, settings: [String: String]) { (self.name, self.settings) = (name, settings) }

  /// Starts it again and again until what it needs is there, and nothing holds its port.
  func start() async throws { process = try await Self.start(name, settings) }

  private static func start(_ name: String, _ settings: [String: String]) async throws -> ServiceProcess {
    var result: Result<ServiceProcess, any Error> = .failure(TestKitError("\(name) has not been started"))
    _ = try? await eventually("\(name) starts") {
      do { result = .success(try await ServiceProcess(name, settings: settings)) } catch { result = .failure(error) }
      return (try? result.get()) != nil
    }
    return try result.get()
  }

  func stop() async {
    await process?.terminate()
    process = nil
  }

  func kill() async {
    await process?.kill()
    process = nil
  }

  func pause() { process?.pause() }
  func resume() { process?.resume() }
}
