import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import ServiceKit

/// An outage never looks like a deletion: whatever an operation needs is away, its response is neither 404 nor an empty
/// list. The requests are generated from the contracts, for every public operation of every service.
@Suite(.serialized)
struct OutageTests {
  private static let services = GeneratedRequest.plugins.map { $0.manifest }.filter { !$0.isEdge }

  /// Each pair of a service and another one that it calls.
  private static let calls = services.flatMap { service in
    service.calls.map { (caller: service.name, callee: $0.name) }
  }

  /// Two requests for each operation, generated once.
  private static let requests = Task {
    try await TestPlatform.run(GeneratedRequest.plugins) { test in
      try await GeneratedRequest.all(of: test, count: 2, isForAll: true)
    }
  }

  private func look(
    at service: String, _ body: (TestPlatform, [GeneratedRequest]) async throws -> Void
  ) async throws {
    // Such as `OrdersAPI.GetCart`, and `orders POST /v1/…` of routes that are no endpoints.
    let api = try #require(Self.services.first { $0.name == service }?.api)
    let requests = try await Self.requests.value.filter {
      $0.operation.hasPrefix("\(api).") || $0.operation.hasPrefix("\(service) ")
    }
    #expect(!requests.isEmpty)
    try await TestPlatform.run(GeneratedRequest.plugins, settings: GeneratedRequest.settings) { test in
      // Whose keys and ended sessions are known to all before anything is away.
      try await test.platform.confirmSessions()
      try await body(test, requests)
    }
  }

  private func send(_ request: GeneratedRequest, to service: String, in test: TestPlatform) async throws -> WireResponse
  {
    let wire = request.wire(by: try await GeneratedRequest.somebody(test))
    return try await test.platform.transport(to: service).send(wire, headers: [])
  }

  /// Whether a response says that something, or everything, does not exist.
  private func isDeletion(_ response: WireResponse, to request: GeneratedRequest) -> Bool {
    if response.status == 404 || response.status == 410 { return true }
    guard request.method == .get, response.status == 200,
      let content = try? WireJSON.decode(JSONValue.self, from: response.body)
    else { return false }
    return switch content["items"] ?? content {
    case .array(let items): items.isEmpty
    default: false
    }
  }

  @Test(arguments: services.filter(\.needsDatabase).map(\.name))
  func aDatabaseThatIsAwayIsNoAnswer(_ service: String) async throws {
    try await look(at: service) { test, requests in
      await test.platform.database(of: service)?.close()
      var failed: Set<String> = []
      for request in requests {
        let before = try transactions(of: service, in: test)
        let response = try await send(request, to: service, in: test)
        if response.status >= 500 { failed.insert(request.operation) }
        // What needs nothing of the database, such as an id that cannot exist, is answered as ever.
        guard try transactions(of: service, in: test) > before else { continue }
        #expect(!isDeletion(response, to: request), "\(request.operation) \(request.path): \(response.status)")
      }
      // Most requests get as far as the database.
      #expect(failed.count * 2 >= Set(requests.map(\.operation)).count, "\(failed.sorted())")
    }
  }

  @Test(arguments: calls)
  func aServiceThatIsAwayIsNoAnswer(_ caller: String, _ callee: String) async throws {
    try await look(at: caller) { test, requests in
      for request in requests {
        let usual = try await send(request, to: caller, in: test)
        let resume = test.platform.upstreams.interrupt(callee)
        let response = try await send(request, to: caller, in: test)
        resume()
        // What does not exist may be missing during the outage as well.
        guard !isDeletion(usual, to: request) else { continue }
        #expect(!isDeletion(response, to: request), "\(request.operation) \(request.path)")
      }
    }
  }

  /// The number of transactions that a service has attempted.
  private func transactions(of service: String, in test: TestPlatform) throws -> Int {
    var count = 0
    for line in test.platform.metrics.text().split(separator: "\n")
    where line.hasPrefix("db_transaction_seconds_count{") && line.contains("service=\"\(service)\"") {
      count += try #require(line.split(separator: " ").last.flatMap { Int($0) })
    }
    return count
  }
}
