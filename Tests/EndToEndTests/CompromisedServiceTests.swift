import Contracts
import CurlClient
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

/// An attacker has broken into catalog and has its key. The processes under attack are real, and so is the key.
@Suite(.serialized)
struct CompromisedServiceTests {
  private struct Platform {
    let auth: ServiceProcess
    let gateway: ServiceProcess
    let folder: String
    let http: CurlClient

    /// A client of a service that claims to be another one.
    func client(of audience: String, as caller: String, signedAs signer: String) -> APIClient {
      let url = audience == GatewayAPI.name ? gateway.privateURL : auth.url
      return APIClient(transport: CurlTransport(client: http, origin: url)) {
        // For each request another one, because it is valid for a minute.
        let token = try TestServiceKeys.token(caller: caller, audience: audience, signedAs: signer)
        return [("x-service-authorization", "Bearer \(token)")]
      }
    }

    /// Not through the gateway, which waits for auth for ten seconds only.
    var app: APIClient { APIClient(transport: CurlTransport(client: http, origin: auth.url)) }

    /// How many of the deletions the gateway has taken.
    func received() async throws -> Int {
      let database = try SQLiteDatabase(path: "\(folder)/gateway.sqlite")
      let count = try await database.read { db in try db.count("SELECT COUNT(*) FROM inbox WHERE id = '1'") }
      await database.close()
      return count
    }
  }

  private func run(_ body: (Platform, Authentication) async throws -> Void) async throws {
    try await TemporaryFolder.run { folder async throws in
      let settings = ["DATA": folder, "LOG_LEVEL": "critical"]
      try await ServiceProcess.running("auth", settings: settings) { auth async throws in
        let located = settings.merging(["SERVICES_AUTH_URL": auth.url]) { $1 }
        try await ServiceProcess.running("gateway", settings: located) { gateway async throws in
          try await CurlClient.running { http async throws in
            let platform = Platform(auth: auth, gateway: gateway, folder: folder, http: http)
            try await APIClient(transport: CurlTransport(client: http, origin: gateway.url)).waitForServices()
            try await body(platform, try await platform.app.signUp("ada"))
          }
        }
      }
    }
  }

  private func deletion(of user: UserID, from source: String, _ id: String = "1") throws -> EventsAPI.Deliver {
    EventsAPI.Deliver(
      body: CloudEvent(
        id: id, source: "/\(source)", type: UserDeleted.type, subject: user.rawValue,
        time: TimeSource.system.now(), traceparent: nil, data: try JSONValue(UserDeleted(userID: user))))
  }

  /// The code of the problem with which every one of some requests is refused.
  private func refusals(_ requests: [(APIClient) async throws -> Void], _ client: APIClient) async throws -> [String] {
    var codes: [String] = []
    for request in requests { codes.append(try await problem { try await request(client) }?.code ?? "accepted") }
    return codes
  }

  @Test("S11: catalog's key signs nothing in the name of auth")
  func catalogCannotActAsAuth() async throws {
    try await run { platform, ada async throws in
      let user = ada.user.id
      let atGateway: [(APIClient) async throws -> Void] = [
        { _ = try await $0.send(try deletion(of: user, from: "auth")) },
        { _ = try await $0.send(PersonalDataAPI.Export(user: user)) },
        { _ = try await $0.send(AuditAPI.Search(filter: AuditFilter())) },
      ]
      let forged = platform.client(of: GatewayAPI.name, as: AuthAPI.name, signedAs: CatalogAPI.name)
      #expect(try await refusals(atGateway, forged) == ["token-invalid", "token-invalid", "token-invalid"])
      let atAuth: [(APIClient) async throws -> Void] = [
        { _ = try await $0.send(AuthAPI.ListRevokedSessions(since: Timestamp(microseconds: 0))) },
        { _ = try await $0.send(PersonalDataAPI.Export(user: user)) },
        { _ = try await $0.send(AuditAPI.Search(filter: AuditFilter())) },
      ]
      let own = platform.client(of: AuthAPI.name, as: AuthAPI.name, signedAs: CatalogAPI.name)
      #expect(try await refusals(atAuth, own) == ["token-invalid", "token-invalid", "token-invalid"])
      // Nothing has been taken, and ada is still there.
      #expect(try await platform.received() == 0)
      let me = try await platform.app.with(accessToken: ada.accessToken).send(AuthAPI.GetMe())
      #expect(me.id == user)

      // The same by auth's own key is what auth may do.
      let real = platform.client(of: GatewayAPI.name, as: AuthAPI.name, signedAs: AuthAPI.name)
      #expect(try await refusals(atGateway, real) == ["accepted", "accepted", "accepted"])
      #expect(try await platform.received() == 1)
    }
  }

  @Test("S11: in its own name, catalog may do only what its contracts say")
  func catalogCannotDoWhatOthersMay() async throws {
    try await run { platform, ada async throws in
      let user = ada.user.id
      let refused = "service-not-allowed"
      let catalog = platform.client(of: GatewayAPI.name, as: CatalogAPI.name, signedAs: CatalogAPI.name)
      let atGateway: [(APIClient) async throws -> Void] = [
        { _ = try await $0.send(try deletion(of: user, from: "auth")) },
        { _ = try await $0.send(try deletion(of: user, from: "catalog")) },
        { _ = try await $0.send(PersonalDataAPI.Export(user: user)) },
        { _ = try await $0.send(AuditAPI.Search(filter: AuditFilter())) },
      ]
      #expect(try await refusals(atGateway, catalog) == [refused, refused, refused, refused])
      let atAuth: [(APIClient) async throws -> Void] = [
        { _ = try await $0.send(DescriptionAPI.Describe()) },
        { _ = try await $0.send(PersonalDataAPI.Export(user: user)) },
        { _ = try await $0.send(AuditAPI.Search(filter: AuditFilter())) },
        // Auth's events for orders would come to an address of catalog.
        { _ = try await $0.send(EventsAPI.Subscribe(subscriber: "orders", url: "http://127.0.0.1:1", types: ["x"])) },
      ]
      let own = platform.client(of: AuthAPI.name, as: CatalogAPI.name, signedAs: CatalogAPI.name)
      #expect(try await refusals(atAuth, own) == [refused, refused, refused, refused])
      #expect(try await platform.received() == 0)
      // The calls that all services need, and those of catalog.
      let needed: [(APIClient) async throws -> Void] = [
        { _ = try await $0.send(AuthAPI.ListRevokedSessions(since: Timestamp(microseconds: 0))) },
        { _ = try await $0.send(AuthAPI.GetPublicNames(users: [user])) },
      ]
      #expect(try await refusals(needed, own) == ["accepted", "accepted"])
    }
  }

  @Test("S11: the internal operations and the keys are not on the gateway's public port")
  func nothingInternalIsPublic() async throws {
    try await run { platform, ada async throws in
      let token = try TestServiceKeys.token(caller: AuthAPI.name, audience: GatewayAPI.name)
      let client = APIClient(transport: CurlTransport(client: platform.http, origin: platform.gateway.url)) {
        [("x-service-authorization", "Bearer \(token)")]
      }
      let requests: [(APIClient) async throws -> Void] = [
        { _ = try await $0.send(try deletion(of: ada.user.id, from: "auth")) },
        { _ = try await $0.send(PersonalDataAPI.Export(user: ada.user.id)) },
        { _ = try await $0.send(ServiceKeysAPI.Get()) },
      ]
      #expect(try await refusals(requests, client) == ["not-found", "not-found", "not-found"])
    }
  }

  /// As in `compose/compose.yaml`: nothing is shared, and nothing was done by hand.
  @Test func processesKnowEachOtherByTheirURLs() async throws {
    try await TemporaryFolder.run { folder async throws in
      let ports = [try reservedPort(), try reservedPort()]
      let common = [
        "LOG_LEVEL": "critical", "SERVICE_PUBLIC_KEY_FOLDER": "", "SERVICE_PRIVATE_KEYS": "",
        "SERVICES_AUTH_URL": "http://127.0.0.1:\(ports[0])", "SERVICES_GATEWAY_URL": "http://127.0.0.1:\(ports[1])",
      ]
      let ofAuth = common.merging(["DATA": "\(folder)/auth", "PORT": "\(ports[0])"]) { $1 }
      let ofGateway = common.merging(["DATA": "\(folder)/gateway", "METRICS_PORT": "\(ports[1])"]) { $1 }
      try await ServiceProcess.running("auth", settings: ofAuth) { _ async throws in
        try await ServiceProcess.running("gateway", settings: ofGateway) { gateway async throws in
          try await CurlClient.running { http async throws in
            let app = APIClient(transport: CurlTransport(client: http, origin: gateway.url))
            // Auth describes itself to the gateway once it has read the gateway's key.
            try await eventually("the gateway routes to auth") {
              (try? await app.send(AuthAPI.GetKeys()).keys.isEmpty) == false
            }
            for name in ["auth", "gateway"] {
              let files = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)")
              #expect(files.filter { $0.hasPrefix("service-keys") } == ["service-keys-\(name)"])
            }
          }
        }
      }
    }
  }

  @Test func operatorsShowAndRotateKeys() async throws {
    try await TemporaryFolder.run { folder async throws in
      func run(_ executable: String, _ arguments: String..., expects status: Int32 = 0) async throws -> String {
        try await Command.run(
          [ServiceProcess.executable(executable).path] + arguments + ["--data", folder], environment: [:],
          folder: folder, expects: status)
      }
      // Without a key file there is nothing to rotate.
      let nothing = try await run("quintet", "keys", "service", "rotate", expects: 78)
      #expect(nothing.contains("there is no key file"))
      let first = try await run("auth", "service-keys", "show")
      #expect(first.components(separatedBy: "-----BEGIN PUBLIC KEY-----").count == 2)
      #expect(try await run("auth", "service-keys", "show") == first)
      let path = "\(folder)/service-keys-auth"
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let rotated = try await run("auth", "service-keys", "rotate")
      #expect(rotated.contains("auth: signs with a new key from "))
      // Both are published until the old one has signed nothing that is still valid.
      let both = try await run("auth", "service-keys", "show")
      #expect(both.hasPrefix(first.trimmingCharacters(in: .whitespacesAndNewlines)))
      #expect(both.components(separatedBy: "-----BEGIN PUBLIC KEY-----").count == 3)
      _ = try await run("quintet", "keys", "service", "rotate", "--at-once")
      let last = try await run("auth", "service-keys", "show")
      #expect(last.components(separatedBy: "-----BEGIN PUBLIC KEY-----").count == 2)
      #expect(!both.contains(last.trimmingCharacters(in: .whitespacesAndNewlines)))
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }
  }
}
