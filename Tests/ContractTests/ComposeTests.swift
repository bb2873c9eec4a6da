import CatalogService
import Contracts
import Foundation
import GatewayService
import MatchingService
import MediaIndexService
import OrdersService
import ServiceKit
import StudySyncService
import TestKit
import Testing

@testable import AuthService

/// The containers get the settings that their services have.
struct ComposeTests {
  private static let plugins: [any ServicePlugin.Type] = [
    AuthPlugin.self, CatalogPlugin.self, GatewayPlugin.self, MatchingPlugin.self, MediaIndexPlugin.self,
    OrdersPlugin.self, StudySyncPlugin.self,
  ]

  private func containers(_ file: String) async throws -> JSONValue {
    let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized
    let program = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))['services']))"
    let path = root.appendingPathComponent("compose/\(file)").path
    return try WireJSON.decode(
      JSONValue.self, from: Array(try await Command.run([Python.path(), "-c", program, path]).utf8))
  }

  private func variables(of container: JSONValue?) -> Set<String> {
    guard case .object(let members)? = container?["environment"] else { return [] }
    return Set(members.map(\.name))
  }

  /// The variables of a service's settings whose keys begin so.
  private func variables(of plugin: any ServicePlugin.Type, _ prefix: String) -> Set<String> {
    let keys = plugin.manifest.settings.map { setting in setting.key }
    return Set(keys.filter { $0.hasPrefix(prefix) }.map { ServiceHost.environmentVariable(of: $0) })
  }

  @Test(
    "mail can be configured for every container whose service sends it, and the server is reachable",
    arguments: ["compose.yaml", "compose.postgres.yaml"])
  func whoSendsMailKnowsTheServer(_ file: String) async throws {
    let containers = try await containers(file)
    var senders: [String] = []
    for plugin in Self.plugins {
      let name = plugin.manifest.name
      let container = try #require(containers[name], "\(name)")
      let wanted = variables(of: plugin, "mail.")
      let given = variables(of: container).filter { $0.hasPrefix("MAIL_") }
      #expect(given == wanted, "\(name)")
      guard !wanted.isEmpty else { continue }
      senders.append(name)
      let networks = container["networks"]?.elements.compactMap(\.string) ?? []
      #expect(networks.contains("public"), "\(name)")
    }
    #expect(senders == ["auth", "catalog", "orders", "study-sync"])
  }

  @Test("the container of the whole platform takes the settings of the single ones")
  func theWholePlatformGetsTheSame() async throws {
    guard case .object(let single) = try await containers("compose.yaml") else { throw TestKitError("no services") }
    let whole = variables(of: try await containers("compose.quintet.yaml")["quintet"])
    let own = single.reduce(into: Set<String>()) { $0.formUnion(variables(of: $1.value)) }
    // Where the others are does not matter in one process.
    let urls = own.filter { $0 == "SERVICE_URL" || $0.hasPrefix("SERVICES_") }
    #expect(whole == own.subtracting(urls))
  }
}
