import Contracts
import Foundation
import HummingbirdCore
import ServiceKit

/// A service that does almost no work.
enum SampleAPI: ServiceAPI {
  static let name = "sample"
  static let summary = "A service for benchmarks"
  static let endpoints: [any Endpoint.Type] = [GetHello.self, GetPage.self]

  struct Hello: Codable, Sendable {
    var text: String
  }

  struct GetHello: Endpoint {
    typealias Response = Hello
    static let operation = Operation.get("/hello/{name}", "Get a greeting", access: .anyone)
    var name: String
  }

  struct GetPage: Endpoint {
    typealias Response = Page<SampleListing>
    static let operation = Operation.get("/page", "List twenty listings", access: .anyone)
  }
}

struct SamplePlugin: ServicePlugin, Feature {
  static let manifest = Manifest(name: SampleAPI.name, api: SampleAPI.self, isEdge: true)

  init(environment: ServiceEnvironment) {}

  func register(in routes: inout Routes) {
    let page = SampleListing.page(20)
    let text = String(repeating: "x", count: 117)
    routes.on(SampleAPI.GetHello.self) { _, _ in SampleAPI.Hello(text: text) }
    routes.on(SampleAPI.GetPage.self) { _, _ in page }
  }
}

/// Calls inside the process through the real router, and the same service on a port.
enum CallBenchmark {
  private static func platform(_ settings: [String: String]) async throws -> Platform {
    let common = ["services.auth.url": "http://127.0.0.1:1", "log.level": "error"]
    return try await ServiceHost.build([SamplePlugin.self], settings: Settings(common.merging(settings) { $1 }))
  }

  static func run() async throws {
    let platform = try await platform([:])
    let client = platform.client()
    let count = 50_000
    for _ in 0..<2000 { _ = try await client.send(SampleAPI.GetHello(name: "ada")) }
    try await Benchmarks.measure("in-process-call", count: count) {
      for _ in 0..<count { _ = try await client.send(SampleAPI.GetHello(name: "ada")) }
    }
    await platform.close()
  }

  static func serve() async throws {
    let platform = try await platform(["port": "0", "metrics.port": "0"])
    try await platform.run { try? FileHandle.standardOutput.write(contentsOf: Data("\($0.url)\n".utf8)) }
  }
}
