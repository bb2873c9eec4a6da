import Contracts
import Foundation
import Observability
import Persistence
import TestKit
import Testing

@testable import ServiceKit

/// An outage never looks like a deletion: whatever an operation needs is away, its response is neither 404 nor an empty
/// list. The requests are generated from the contracts, for every public operation of every service.
@Suite(.serialized)
struct OutageTests {
  private static let services = GeneratedRequest.plugins.map { $0.manifest }.filter { !$0.isEdge }

  /// Two requests for each operation, generated once.
  private static let requests = Task {
    try await TestPlatform.run(GeneratedRequest.plugins) { test in
      try await GeneratedRequest.all(of: test, count: 2, isForAll: true)
    }
  }

  private static func requests(of service: Manifest) async throws -> [GeneratedRequest] {
    // Such as `OrdersAPI.GetCart`, and `orders POST /v1/…` of routes that are no endpoints.
    let api = try #require(service.api)
    return try await requests.value.filter {
      $0.operation.hasPrefix("\(api).") || $0.operation.hasPrefix("\(service.name) ")
    }
  }

  private func look(
    at service: String, _ body: (TestPlatform, [GeneratedRequest]) async throws -> Void
  ) async throws {
    let manifest = try #require(Self.services.first { $0.name == service })
    let requests = try await Self.requests(of: manifest)
    #expect(!requests.isEmpty)
    try await TestPlatform.run(GeneratedRequest.plugins, settings: GeneratedRequest.settings) { test in
      // Whose keys and ended sessions are known to all before anything is away.
      try await test.platform.confirmSessions()
      try await body(test, requests)
    }
  }

  private func send(
    _ request: GeneratedRequest, to service: String, by user: TestUser, in test: TestPlatform
  ) async throws -> WireResponse {
    try await test.platform.transport(to: service).send(request.wire(by: user), headers: [])
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
        let user = try await GeneratedRequest.somebody(test)
        let response = try await send(request, to: service, by: user, in: test)
        if response.status >= 500 { failed.insert(request.operation) }
        // A response that needs nothing of the database, such as for an id that cannot exist, is as usual.
        guard try transactions(of: service, in: test) > before else { continue }
        #expect(!isDeletion(response, to: request), "\(request.operation) \(request.path): \(response.status)")
      }
      // Most requests get as far as the database.
      #expect(failed.count * 2 >= Set(requests.map(\.operation)).count, "\(failed.sorted())")
    }
  }

  @Test(arguments: services.filter { !$0.calls.isEmpty }.map(\.name))
  func aServiceThatIsAwayIsNoAnswer(_ caller: String) async throws {
    try await look(at: caller) { test, requests in
      var world = try await GeneratedWorld(test)
      for service in Self.services where service.name != AuthAPI.name {
        for request in try await Self.requests(of: service) {
          let placed = world.placed(request)
          world.learn(try await send(placed, to: service.name, by: world.user, in: test), to: placed)
        }
      }
      let callees = Self.services.first { $0.name == caller }?.calls.map { $0.name } ?? []
      for request in requests {
        let user = caller == AuthAPI.name ? try await GeneratedRequest.somebody(test) : world.user
        let placed = world.placed(request)
        var responses: [(callee: String, WireResponse)] = []
        for callee in callees {
          let resume = test.platform.upstreams.interrupt(callee)
          responses.append((callee, try await send(placed, to: caller, by: user, in: test)))
          resume()
        }
        // Last, because it may create or delete what is asked for.
        let usual = try await send(placed, to: caller, by: user, in: test)
        for (callee, response) in responses {
          // An object that does not exist may be missing during the outage as well; and some callers wait a while
          // before they call again what was away.
          guard isDeletion(response, to: placed), usual.status < 500, !isDeletion(usual, to: placed) else { continue }
          // The requested object, such as an uploaded file, may have been created only after the first response.
          let resume = test.platform.upstreams.interrupt(callee)
          let again = try await send(placed, to: caller, by: user, in: test)
          resume()
          #expect(
            !isDeletion(again, to: placed),
            "\(request.operation) without \(callee): \(again.status) instead of \(usual.status)")
        }
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
