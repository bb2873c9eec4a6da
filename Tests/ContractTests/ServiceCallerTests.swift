import AuthService
import CatalogService
import Contracts
import GatewayService
import MatchingService
import MediaIndexService
import OrdersService
import ServiceKit
import StudySyncService
import TestKit
import Testing

/// The right to call an internal operation is in its contract. It agrees with what the services declare and with the
/// pacts, so that no service has access that does not need it, and none is left out.
struct ServiceCallerTests {
  private static let plugins: [any ServicePlugin.Type] = [
    AuthPlugin.self, CatalogPlugin.self, GatewayPlugin.self, MatchingPlugin.self, MediaIndexPlugin.self,
    OrdersPlugin.self, StudySyncPlugin.self,
  ]

  /// The APIs of the host, which it serves for every service.
  private static let hostOperations: [Operation] = [
    AuditAPI.Search.operation, BackgroundWorkAPI.ListDeadLetters.operation,
    BackgroundWorkAPI.RetryDeadLetters.operation, BackgroundWorkAPI.ListJobs.operation,
    BackgroundWorkAPI.RetryJobs.operation, DescriptionAPI.Describe.operation, EventsAPI.Deliver.operation,
    EventsAPI.DeliverBatch.operation, EventsAPI.Subscribe.operation, LinkPreviewsAPI.Get.operation,
    MetricsAPI.Get.operation, PersonalDataAPI.Export.operation,
    ReadersAPI.Authorize.operation, ServiceKeysAPI.Get.operation, SignalsAPI.Send.operation,
    TopicsAPI.Authorize.operation,
  ]

  @Test func callersDeclareWhatTheyCall() throws {
    let manifests = Dictionary(uniqueKeysWithValues: Self.plugins.map { ($0.manifest.name, $0.manifest) })
    for (name, manifest) in manifests {
      for operation in manifest.api?.operations ?? [] {
        guard case .service(.only(let callers)) = operation.access else { continue }
        #expect(!callers.isEmpty, "\(name) \(operation.path)")
        for caller in callers {
          let calls = try #require(manifests[caller], "\(operation.path) names \(caller)").calls.map { $0.name }
          #expect(calls.contains(name), "\(caller) does not declare that it calls \(name)")
        }
      }
    }
  }

  /// Internal operations begin so that gateways and proxies can recognize them.
  @Test func internalOperationsAreRecognizedByTheirPath() {
    let all = Self.plugins.flatMap { $0.manifest.api?.operations ?? [] } + Self.hostOperations
    for operation in all {
      let path = operation.path.description
      #expect(operation.isInternal == (path.hasPrefix("/internal/") || path.hasPrefix("/events")), "\(path)")
    }
  }

  /// The pacts say who calls what: each caller of a pact is let in, and each that is let in has a pact.
  @Test func pactsAndContractsNameTheSameCallers() throws {
    var called: [String: Set<String>] = [:]
    for pact in try ServicePacts.all() + [GatewayAuthPact.make()] {
      let api = Self.plugins.first { $0.manifest.name == pact.provider }?.manifest.api
      let operations = (api?.operations ?? []) + Self.hostOperations
      guard case .array(let interactions)? = pact.json["interactions"] else { continue }
      for interaction in interactions {
        guard let request = interaction["request"], request["headers"]?["X-Service-Authorization"] != nil,
          let method = request["method"]?.string, let path = request["path"]?.string
        else { continue }
        let operation = try #require(
          operations.first { $0.method.rawValue == method && $0.path.match(path[...]) != nil }, "\(method) \(path)")
        guard case .service(let callers) = operation.access else {
          Issue.record("\(operation.path) needs no service token")
          continue
        }
        #expect(callers.contains(pact.consumer), "\(pact.consumer) may not call \(operation.path)")
        called["\(pact.provider) \(operation.path)", default: []].insert(pact.consumer)
      }
    }
    for plugin in Self.plugins {
      for operation in plugin.manifest.api?.operations ?? [] {
        guard case .service(.only(let callers)) = operation.access else { continue }
        let known = called["\(plugin.manifest.name) \(operation.path)"] ?? []
        #expect(callers == known, "\(plugin.manifest.name) \(operation.path)")
      }
    }
  }
}
