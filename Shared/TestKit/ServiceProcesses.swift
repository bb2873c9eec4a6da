public import Contracts
import Foundation
import ServiceKit

/// Services as processes that know each other; tests kill and restart them on their data.
public actor ServiceProcesses {
  private let folder: String
  private let settings: [String: String]
  private let own: [String: [String: String]]
  private let ports: [String: Int]
  private var running: [String: ServiceProcess] = [:]
  private static let starts = 100
  /// The gateway's URL, once it has been started.
  public private(set) var url = ""

  /// Runs a body with the services and a gateway before them.
  ///
  /// - Parameters:
  ///   - names: The executables behind the gateway.
  ///   - settings: Additional environment variables of every process.
  ///   - own: Environment variables of single processes, by name, which also replace the URLs of the others.
  public static func run(
    _ names: [String], folder: String, settings: [String: String] = [:], own: [String: [String: String]] = [:],
    _ body: (ServiceProcesses) async throws -> Void
  ) async throws {
    var ports: [String: Int] = [:]
    for name in names { ports[name] = try reservedPort() }
    let group = ServiceProcesses(folder, settings, own, ports)
    try await attempt {
      for name in names + ["gateway"] { try await group.start(name) }
      try await body(group)
    } finally: {
      await group.stop()
    }
  }

  private init(
    _ folder: String, _ settings: [String: String], _ own: [String: [String: String]], _ ports: [String: Int]
  ) {
    (self.folder, self.settings, self.own, self.ports) = (folder, settings, own, ports)
  }

  /// The URL of a service, which it keeps when it is restarted.
  public nonisolated func address(of name: String) throws -> String {
    guard let port = ports[name] else { throw TestKitError("\(name) is not among the services") }
    return "http://127.0.0.1:\(port)"
  }

  private func start(_ name: String) async throws {
    var settings = ["DATA": folder, "LOG_LEVEL": "critical"].merging(settings) { $1 }
    if let port = ports[name] { settings["PORT"] = String(port) }
    for (other, port) in ports where other != name {
      settings[ServiceHost.environmentVariable(of: "services.\(other).url")] = "http://127.0.0.1:\(port)"
    }
    settings.merge(own[name] ?? [:]) { $1 }
    let process = try await ServiceProcess(name, settings: settings)
    running[name] = process
    if name == "gateway" { url = process.url }
  }

  /// Kills a service and starts it again.
  public func restart(_ name: String) async throws {
    await running.removeValue(forKey: name)?.kill()
    // An outgoing connection may hold the port briefly.
    for _ in 0..<Self.starts where running[name] == nil { try? await start(name) }
    guard running[name] != nil else { throw TestKitError("\(name) did not restart") }
  }

  /// Kills a service, which stays dead until it is restarted.
  public func kill(_ name: String) async { await running.removeValue(forKey: name)?.kill() }

  /// The most memory of its own that a running service has used, in bytes, without its program and libraries.
  public func peakMemory(of name: String) throws -> Int {
    guard let process = running[name] else { throw TestKitError("\(name) does not run") }
    let status = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
    func bytes(_ field: String) throws -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix("\(field):") }
      guard let number = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
        throw TestKitError("no \(field) of \(name)")
      }
      return number * 1024
    }
    return try bytes("VmHWM") - bytes("RssFile")
  }

  private func stop() async {
    for process in running.values { await process.terminate() }
    running = [:]
  }
}

extension TestUser {
  /// Sends a request again and again until the response is about the request, not about an unavailable service.
  ///
  /// - Parameter isTemporary: Problems below 500 that pass by themselves, besides too many requests.
  public func insist<E: Endpoint>(
    _ request: E, key: String? = nil, isTemporary: @Sendable (Problem) -> Bool = { _ in false }
  ) async throws -> E.Response {
    var response: E.Response?
    try await eventually("\(E.self) is answered") {
      do throws(CallError) { response = try await client.send(request, idempotencyKey: key) } catch {
        if case .problem(let problem) = error, problem.status < 500, !problem.is(.tooManyRequests),
          !isTemporary(problem)
        {
          throw error
        }
      }
      return response != nil
    }
    guard let response else { throw TestKitError("\(E.self) was not answered") }
    return response
  }
}
