import AuthService
import Contracts
import Foundation
import GatewayService
import ServiceKit
import TestKit
import Testing

/// Versions that run side by side are compatible.
@Suite(.serialized)
struct ContractTests {
  @Test func openAPIIsAsAgreedAndValid() async throws {
    let apis: [any ServiceAPI.Type] = [
      AuthAPI.self, CatalogAPI.self, OrdersAPI.self, MatchingAPI.self, StudyAPI.self, MediaAPI.self,
      GatewayAPI.self,
    ]
    for api in apis {
      try Goldens.expect(OpenAPIDocument.make(api, includesInternal: true), toMatch: "openapi/\(api.name).json")
    }
    let merged = try WireJSON.encode(OpenAPIDocument.merged(apis.map { ($0.name, try OpenAPIDocument.make($0)) }))
    try await TemporaryFolder.run { folder async throws in
      try Data(merged).write(to: URL(fileURLWithPath: "\(folder)/openapi.json"))
      let text = try await Command.run([try Python.path(), "-m", "openapi_spec_validator", "\(folder)/openapi.json"])
      #expect(text.contains("OK"))
    }
  }

  @Test func pactIsAsAgreed() throws {
    let pact = try GatewayAuthPact.make()
    #expect(pact.count == 9)
    try Goldens.expect(pact.json, toMatch: "pacts/gateway-auth.json")
  }

  @Test func authKeepsThePact() async throws {
    #expect(try await replay(Goldens.read("pacts/gateway-auth.json")) == [])
  }

  /// The replay detects a missing field, a field of another type, another status, and a pact without interactions.
  @Test func breaksAreCaught() async throws {
    var wanted = Pact(consumer: "gateway", provider: "auth")
    try wanted.expect(
      "keys",
      AuthAPI.GetKeys(),
      answers: 200,
      .object([("keys", .each(.object([("nickname", .like("x"))])))])
    )
    #expect(try await replay(wanted.json) == ["keys: $.keys[*].nickname is missing"])
    var kind = Pact(consumer: "gateway", provider: "auth")
    try kind.expect("keys", AuthAPI.GetKeys(), answers: 201, .object([("keys", .integer(1))]))
    #expect(try await replay(kind.json) == ["keys: status is 200", "keys: $.keys is not an integer"])
    #expect(try await replay(Pact(consumer: "a", provider: "b").json) == ["the pact has no interactions"])
  }

  @Test func officialVerifierAgrees() async throws {
    let pact = Goldens.folder.appendingPathComponent("pacts/gateway-auth.json").path
    #expect(try await verify(pact, interactions: 9) == 0)
    try await TemporaryFolder.run { folder async throws in
      let text = try String(contentsOfFile: pact, encoding: .utf8)
      let broken = "\(folder)/broken.json"
      try text.replacing("\"refreshToken\"", with: "\"renewalToken\"").replacing(
        "$.refreshToken",
        with: "$.renewalToken"
      )
      .write(toFile: broken, atomically: true, encoding: .utf8)
      #expect(try await verify(broken, interactions: 9) == 1)
      #expect(try await verify(pact, interactions: 10) == 1)
    }
  }

  // MARK: the provider

  /// Puts auth into a provider state; returns the values that requests need, such as an access token.
  @Sendable static func prepare(_ client: APIClient, _ state: String, _ parameters: JSONValue) async throws -> [String:
    String]
  {
    guard state == "a user exists", let name = parameters["username"]?.string,
      let password = parameters["password"]?.string
    else { return try ProviderValues.of("gateway", calling: "auth")() }
    do {
      let answer = try await client.send(AuthAPI.LogIn(login: name, password: password))
      return ["accessToken": answer.accessToken]
    } catch {
      let answer = try await client.send(
        AuthAPI.SignUp(
          email: EmailAddress(validating: "\(name)@example.com"), username: Username(validating: name),
          displayName: DisplayName(validating: "Ada"), password: Password(validating: password))
      )
      return ["accessToken": answer.accessToken]
    }
  }

  private func replay(_ pact: JSONValue) async throws -> [String] {
    try await TestPlatform.run([GatewayPlugin.self, AuthPlugin.self], time: nil) { test in
      let platform = test.platform
      let client = platform.client(of: "auth")
      return try await PactReplay(platform.transport(to: "auth")) { try await Self.prepare(client, $0, $1) }.violations(
        of: pact
      )
    }
  }

  /// Runs pact-python against an auth process; returns its exit code.
  private func verify(_ pact: String, interactions: Int) async throws -> Int32 {
    try await TemporaryFolder.run { folder async throws in
      try await ServiceProcess.running("auth", settings: ["DATA": folder, "LOG_LEVEL": "critical"]) { auth in
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("verify.py")
        let states = try ProviderValues.serve(ProviderValues.of("gateway", calling: "auth"))
        defer { states.stop() }
        let command = [try Python.path(), script.path, pact, auth.url, String(interactions), states.origin]
        return try await Command(command).end()
      }
    }
  }
}
