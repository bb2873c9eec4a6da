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
    /// The gateway over HTTP; `nil` when embedded.
    public let web: TestPlatform.Web?
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
    _ body: (Hosted) async throws -> Void
  ) async throws {
    let plugins = [gateway] + services.map(\.plugin)
    switch self {
    case .embedded:
      try await TestPlatform.run(plugins, settings: settings, time: nil) { test in
        try await body(Hosted(client: test.client, web: nil))
      }
    case .loopback:
      try await TestPlatform.listen(plugins, settings: settings) { _, web in
        let transport = CurlTransport(client: web.http, origin: web.url, sendsTwice: true)
        try await body(Hosted(client: APIClient(transport: transport), web: web))
      }
    case .processes:
      try await TemporaryFolder.run { folder in
        let all = settings.merging(["data": folder, "log.level": "error"]) { $1 }.map {
          (ServiceHost.environmentVariable(of: $0.key), $0.value)
        }
        try await Self.inProcesses(gateway, services[...], Dictionary(uniqueKeysWithValues: all), body)
      }
    }
  }

  /// Starts the services one after the other, and then the gateway, which gets their URLs.
  private static func inProcesses(
    _ gateway: any ServicePlugin.Type,
    _ services: ArraySlice<(plugin: any ServicePlugin.Type, executable: String)>,
    _ settings: [String: String],
    _ body: (Hosted) async throws -> Void
  ) async throws {
    guard let service = services.first else {
      return try await ServiceProcess.running(gateway.manifest.name, settings: settings) { process in
        try await CurlClient.running { http in
          let web = TestPlatform.Web(url: process.url, privateURL: process.privateURL, http: http)
          try await web.client.waitForServices()
          try await body(Hosted(client: web.client, web: web))
        }
      }
    }
    let variable = ServiceHost.environmentVariable(of: "services.\(service.plugin.manifest.name).url")
    try await ServiceProcess.running(service.executable, settings: settings) { process in
      try await inProcesses(gateway, services.dropFirst(), settings.merging([variable: process.url]) { $1 }, body)
    }
  }
}

extension APIClient {
  /// Waits until the gateway knows what the services behind it serve: it asks them when it starts, but not for long.
  public func waitForServices() async throws {
    try await eventually("the gateway knows the services") {
      (try? await send(GatewayAPI.GetStatus()).services.allSatisfy(\.isAvailable)) == true
    }
  }
}
