public import Contracts
import CurlClient
import Foundation
public import ServiceKit

/// How the services under test are hosted: in one process without a socket, over loopback with every repeatable request
/// sent twice, or as separate processes.
public enum Hosting: String, CaseIterable, Sendable, CustomStringConvertible {
  case embedded, loopback, processes

  public var description: String { rawValue }

  /// The hosted platform, as passed to a test body.
  public struct Hosted: Sendable {
    /// A client that calls through the gateway.
    public let client: APIClient
    /// The gateway's URL; `nil` when embedded.
    public let url: String?
  }

  /// Starts the gateway and services, runs the body and stops them.
  ///
  /// - Parameters:
  ///   - gateway: The gateway's plugin.
  ///   - services: The services behind it, with their executables.
  ///   - settings: Additional settings, by key.
  public func run(
    gateway: any ServicePlugin.Type,
    services: [(plugin: any ServicePlugin.Type, executable: String)],
    settings: [String: String] = [:],
    _ body: @escaping @Sendable (Hosted) async throws -> Void
  ) async throws {
    try await TemporaryFolder.run { folder in
      let settings = settings.merging(["data": folder, "log.level": "error"]) { $1 }
      switch self {
      case .embedded:
        let platform = try await ServiceHost.build([gateway] + services.map(\.plugin), settings: Settings(settings))
        try await closing(platform) { try await body(Hosted(client: platform.client(), url: nil)) }
      case .loopback:
        let platform = try await ServiceHost.build(
          [gateway] + services.map(\.plugin),
          settings: Settings(settings.merging(["port": "0", "metrics.port": "0"]) { $1 })
        )
        try await listening(platform) { url in try await Self.overHTTP(url, twice: true, body) }
      case .processes: try await inProcesses(gateway, services, settings, body)
      }
    }
  }

  private func inProcesses(
    _ gateway: any ServicePlugin.Type,
    _ services: [(plugin: any ServicePlugin.Type, executable: String)],
    _ settings: [String: String],
    _ body: @escaping @Sendable (Hosted) async throws -> Void
  ) async throws {
    let environment = Dictionary(
      uniqueKeysWithValues: settings.map { (ServiceHost.environmentVariable(of: $0.key), $0.value) }
    )
    var started: [ServiceProcess] = []
    do {
      try await inProcesses(gateway, services, environment, body, &started)
    } catch {
      for process in started.reversed() { await process.terminate() }
      throw error
    }
    for process in started.reversed() { await process.terminate() }
  }

  private func inProcesses(
    _ gateway: any ServicePlugin.Type,
    _ services: [(plugin: any ServicePlugin.Type, executable: String)],
    _ environment: [String: String],
    _ body: @Sendable (Hosted) async throws -> Void,
    _ started: inout [ServiceProcess]
  ) async throws {
    var urls: [String: String] = [:]
    for service in services {
      let process = try await ServiceProcess(service.executable, settings: environment)
      started.append(process)
      urls[ServiceHost.environmentVariable(of: "services.\(service.plugin.manifest.name).url")] = process.url
    }
    let front = try await ServiceProcess(gateway.manifest.name, settings: environment.merging(urls) { $1 })
    started.append(front)
    try await Self.overHTTP(front.url, twice: false, body)
  }

  private static func overHTTP(_ url: String, twice: Bool, _ body: @Sendable (Hosted) async throws -> Void) async throws
  {
    let curl = CurlClient()
    let client = APIClient(transport: CurlTransport(client: curl, origin: url, sendsTwice: twice))
    do {
      try await body(Hosted(client: client, url: url))
    } catch {
      await curl.shutdown()
      throw error
    }
    await curl.shutdown()
  }
}

/// Runs a body with a platform that handles calls in the process, then closes it; its workers do not run.
public func closing(_ platform: Platform, _ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch {
    await platform.close()
    throw error
  }
  await platform.close()
}

/// Runs a body while a platform listens and its workers run.
public func listening(_ platform: Platform, _ body: @escaping @Sendable (_ url: String) async throws -> Void)
  async throws
{
  try await listening(platform, withPrivate: { url, _ in try await body(url) })
}

/// Runs a body while a platform listens and its workers run; also passes the URL of the private port.
public func listening(
  _ platform: Platform,
  withPrivate body: @escaping @Sendable (_ url: String, _ privateURL: String) async throws -> Void
) async throws {
  let (ready, continuation) = AsyncStream.makeStream(of: Platform.Addresses.self)
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask {
      defer { continuation.finish() }
      try await platform.run(handlesSignals: false) { continuation.yield($0) }
    }
    var iterator = ready.makeAsyncIterator()
    guard let addresses = await iterator.next() else {
      try await group.waitForAll()
      throw TestKitError("the platform did not start")
    }
    do {
      try await body(addresses.url, addresses.privateURL)
    } catch {
      group.cancelAll()
      while (try? await group.next()) != nil {}
      throw error
    }
    group.cancelAll()
    do { try await group.waitForAll() } catch is CancellationError {}
  }
}
