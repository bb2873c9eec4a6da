import AuthService
import Contracts
import Foundation
import GatewayService
import Persistence
import ServiceKit
import TestKit
import Testing

/// Bursts of refusals are seen: the metric counts them, and the alert rules ask for metrics that exist.
@Suite(.serialized)
struct RefusalTests {
  private static func count(_ kind: String, of service: String, in text: String) -> Int? {
    let series = "security_refusals_total{service=\"\(service)\",kind=\"\(kind)\"} "
    return text.split(separator: "\n").first { $0.hasPrefix(series) }.flatMap { Int($0.dropFirst(series.count)) }
  }

  @Test func guessesAreCounted() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = try await host.signUp("ada")
      for _ in 0..<3 { #expect(try await problem { _ = try await host.logIn("ada", "wrong") }?.status == 401) }
      let forged = host.client.with(accessToken: ada.accessToken + "x")
      for _ in 0..<2 { #expect(try await problem { _ = try await forged.send(AuthAPI.GetMe()) }?.status == 401) }
      let me = host.client.with(accessToken: ada.accessToken)
      #expect(try await problem { _ = try await me.send(AuthAPI.AdminListUsers()) }?.status == 403)
      // What users may do elsewhere without being attackers is not counted.
      #expect(try await problem { _ = try await me.send(AuthAPI.EndSession(id: host.ids.make())) }?.status == 404)
      let text = host.platform.metrics.text()
      #expect(Self.count("password", of: "auth", in: text) == 3)
      #expect(Self.count("token", of: "gateway", in: text) == 2)
      #expect(Self.count("staff", of: "auth", in: text) == 1)
      #expect(Self.count("staff", of: "gateway", in: text) == 0)
      #expect(text.split(separator: "\n").count { $0.hasPrefix("security_refusals_total{") } == 6)
    }
  }

  @Test func alertRulesAskForMetricsThatExist() async throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let program = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))"
    let file = root.appendingPathComponent("compose/alerts.yaml").path
    let rules = try WireJSON.decode(
      JSONValue.self, from: Array(try await Command.run([Python.path(), "-c", program, file]).utf8))
    let group = try #require(rules["groups"]?.elements.first)
    let expressions = try #require(group["rules"]?.elements).compactMap { $0["expr"]?.string }
    let names = try #require(group["rules"]?.elements).compactMap { $0["alert"]?.string }
    #expect(
      names == ["PasswordsAreGuessed", "TokensAreTriedOut", "StaffOperationsAreTriedOut", "EndedSessionsAreUnknown"])
    #expect(expressions.count == names.count)
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self]) { test, _ in
      let text = test.platform.metrics.text()
      for expression in expressions {
        let metric = try #require(expression.firstMatch(of: /(security|sessions)_[a-z_]+/)).output.0
        #expect(text.contains("\n# TYPE \(metric) "))
        if let kind = expression.firstMatch(of: /kind="([a-z]+)"/)?.output.1 {
          #expect(text.contains("\(metric){service=\"auth\",kind=\"\(kind)\"}"))
        }
      }
    }
  }
}
