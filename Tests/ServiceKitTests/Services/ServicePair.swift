import Contracts
import CurlClient
import Foundation
import Persistence
import TestKit

@testable import ServiceKit

/// Two services that listen: `caller` may call `callee`, which has an operation for `other` alone besides.
enum ServicePair {
  enum Callee: ServiceAPI {
    static let name = "callee"
    static let summary = "Is called"
    static let endpoints: [any Endpoint.Type] = [Ask.self, Notify.self]

    struct Ask: Endpoint {
      typealias Response = JSONValue
      static let operation = Operation.get(
        "/internal/v1/answer", "Ask", access: .services(Caller.self), limits: .init(seconds: Waiting.limit))
    }

    struct Notify: Endpoint {
      static let operation = Operation.put(
        "/internal/v1/secret", "Notify", access: .services(Other.self), success: 204,
        limits: .init(seconds: Waiting.limit))
    }
  }

  enum Caller: ServiceAPI {
    static let name = "caller"
    static let summary = "Calls"
    static let endpoints: [any Endpoint.Type] = []
  }

  enum Other: ServiceAPI {
    static let name = "other"
    static let summary = "Is not there"
    static let endpoints: [any Endpoint.Type] = []
  }

  struct CalleePlugin: ServicePlugin, Feature {
    static let manifest = Manifest(name: Callee.name, api: Callee.self)
    init(environment: ServiceEnvironment) {}
    func register(in routes: inout Routes) {
      routes.on(Callee.Ask.self) { _, call in
        guard case .service(let name) = call.caller else { throw Problem(.forbidden) }
        return .string(name)
      }
      routes.on(Callee.Notify.self) { _, _ in }
    }
  }

  struct CallerPlugin: ServicePlugin, Feature {
    static let manifest = Manifest(name: Caller.name, api: Caller.self, calls: [Callee.self])
    let callee: APIClient
    init(environment: ServiceEnvironment) { callee = environment.client(of: Callee.self) }
    func register(in routes: inout Routes) {}
  }

  /// Both services with key files of their own, which know each other by their URLs only.
  struct Running {
    let callee: TestPlatform
    let caller: TestPlatform
    let calleeURL: String
    let client: APIClient
    let time: ManualTime
  }

  /// - Parameter scheme: `https` with the settings of TLS.
  static func run(
    scheme: String = "http", callee more: [String: String] = [:], caller: [String: String] = [:],
    _ body: (Running) async throws -> Void
  ) async throws {
    let (time, ports) = (ManualTime(), [try reservedPort(), try reservedPort()])
    let urls = ports.map { "\(scheme)://127.0.0.1:\($0)" }
    let common = [
      "services.auth.url": "http://127.0.0.1:1", "service.publicKeyFolder": "", "service.privateKeys": "",
      "services.callee.url": urls[0], "services.caller.url": urls[1],
    ]
    let calleeSettings = common.merging(["port": "\(ports[0])"]) { $1 }.merging(more) { $1 }
    let callerSettings = common.merging(["port": "\(ports[1])"]) { $1 }.merging(caller) { $1 }
    try await TestPlatform.listen([CalleePlugin.self], settings: calleeSettings, time: time) { callee, web in
      try await TestPlatform.listen([CallerPlugin.self], settings: callerSettings, time: time) { caller, _ in
        let client = try caller.plugin(CallerPlugin.self).callee
        try await body(
          Running(callee: callee, caller: caller, calleeURL: web.url, client: client, time: time))
      }
    }
  }
}
