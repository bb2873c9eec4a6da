import AuthService
import Contracts
import CurlClient
import GatewayService
import HTTPServing
import ServiceKit
import Synchronization
import TestKit

/// A service that sends stored content.
struct FilesPlugin: ServicePlugin, Feature {
  enum API: ServiceAPI {
    static let name = "files"
    static let summary = "Files"
    static let endpoints: [any Endpoint.Type] = [GetFile.self, GetOwnFile.self]

    struct GetFile: Endpoint {
      typealias Response = StoredBytes
      static let operation = Operation.get("/v1/files/{name}", "Get a file", access: .anyone)
      var name: String
    }

    struct GetOwnFile: Endpoint {
      typealias Response = StoredBytes
      static let operation = Operation.get("/v1/own-files/{name}", "Get a file as a user", scope: .account)
      var name: String
    }
  }

  /// The files, set by tests.
  final class Contents: Sendable {
    private let contents = Mutex<[String: StoredContent]>([:])

    func set(_ contents: [String: StoredContent]) { self.contents.withLock { $0 = contents } }

    func get(_ name: String) throws -> StoredContent {
      guard let content = contents.withLock({ $0[name] }) else { throw Problem(.notFound) }
      return content
    }
  }

  static let manifest = Manifest(name: API.name, api: API.self)

  let contents = Contents()

  init(environment: ServiceEnvironment) {}

  func register(in routes: inout Routes) {
    routes.on(API.GetFile.self) { request, _ in try contents.get(request.name) }
    routes.on(API.GetOwnFile.self) { request, _ in try contents.get(request.name) }
  }
}

/// The place of the service of files: in the process of its gateway, or in another one.
enum FilesHost: CaseIterable {
  case together, apart

  struct Running: Sendable {
    /// The gateway's URL.
    let url: String
    /// The gateway's process, unless it is this one.
    let gateway: Int32?

    /// Requests a file by a connection that is then closed.
    func get(_ name: String, _ headers: [String] = [], method: String = "GET") async throws -> RawResponse {
      let connection = try connect(name, headers + ["Connection: close"], method: method)
      return try RawResponse(await connection.receiveAll())
    }

    func connect(_ name: String, _ headers: [String] = [], method: String = "GET") throws -> RawConnection {
      let connection = try RawConnection(to: url)
      let lines = ["\(method) /v1/files/\(name) HTTP/1.1", "Host: a"] + headers
      connection.send(lines.map { "\($0)\r\n" }.joined() + "\r\n")
      return connection
    }
  }

  func run(_ contents: [String: StoredContent], _ body: (Running) async throws -> Void) async throws {
    switch self {
    case .together:
      let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self, FilesPlugin.self]
      try await TestPlatform.listen(plugins, settings: ["limits.read": "0/1"]) { test, web in
        try test.plugin(FilesPlugin.self).contents.set(contents)
        try await body(Running(url: web.url, gateway: nil))
      }
    case .apart:
      try await TemporaryFolder.run { folder async throws in
        let settings = ["DATA": folder, "LOG_LEVEL": "error", "LIMITS_READ": "0/1"]
        try await ServiceProcess.running("auth", settings: settings) { auth in
          try await TestPlatform.listen([FilesPlugin.self], settings: ["services.auth.url": auth.url]) { test, web in
            try test.plugin(FilesPlugin.self).contents.set(contents)
            let urls = ["SERVICES_AUTH_URL": auth.url, "SERVICES_FILES_URL": web.url]
            try await ServiceProcess.running("gateway", settings: settings.merging(urls) { $1 }) { gateway in
              let running = Running(url: gateway.url, gateway: gateway.pid)
              try await eventually("the gateway knows the routes") { try await running.get("none").status == 404 }
              try await body(running)
            }
          }
        }
      }
    }
  }
}
