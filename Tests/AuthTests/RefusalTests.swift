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

  private struct Alerts: Decodable {
    struct Group: Decodable {
      var name: String
      var rules: [Rule]
    }

    struct Rule: Decodable {
      var alert: String
      var expr: String
      /// How long the expression has to hold.
      var `for`: String?
      var labels: [String: String]
      var annotations: [String: String]
    }

    var groups: [Group]
  }

  private static func alerts() async throws -> [Alerts.Rule] {
    let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized
    let program = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))"
    let file = root.appendingPathComponent("compose/alerts.yaml").path
    let json = try await Command.run([Python.path(), "-c", program, file])
    let all = try JSONDecoder().decode(Alerts.self, from: Data(json.utf8))
    #expect(Set(all.groups.map(\.name)).count == all.groups.count)
    return all.groups.flatMap(\.rules)
  }

  /// What expressions ask for: names with underscores, outside of labels and ranges.
  private static func metrics(in expression: String) -> [String] {
    let bare = expression.replacing(/\{[^}]*\}|\[[^\]]*\]|\b(by|without|on|ignoring) *\([^)]*\)/, with: " ")
    return bare.matches(of: /[a-z]+(_[a-z]+)+\b(?! *\()/).map { String($0.output.0) }
  }

  @Test func alertRulesAskForMetricsThatExist() async throws {
    let rules = try await Self.alerts()
    #expect(
      rules.map(\.alert) == [
        "PasswordsAreGuessed", "TokensAreTriedOut", "StaffOperationsAreTriedOut", "EndedSessionsAreUnknown",
        "AuditTrailsContradictTheirNotes",
      ])
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self]) { test, _ in
      let text = test.platform.metrics.text()
      for rule in rules {
        let metrics = Self.metrics(in: rule.expr)
        #expect(!metrics.isEmpty, "\(rule.alert)")
        for metric in metrics { #expect(text.contains("\n# TYPE \(metric) "), "\(rule.alert): \(metric)") }
        for metric in metrics {
          guard let kind = rule.expr.firstMatch(of: /kind="([a-z]+)"/)?.output.1 else { continue }
          #expect(text.contains("\(metric){service=\"auth\",kind=\"\(kind)\"}"), "\(rule.alert)")
        }
      }
    }
  }

  /// What Prometheus would refuse to load, or no one would understand at night.
  @Test func alertRulesAreComplete() async throws {
    for rule in try await Self.alerts() {
      for (open, close) in [("(", ")"), ("{", "}"), ("[", "]")] {
        let counts = [open, close].map { bracket in rule.expr.count { String($0) == bracket } }
        #expect(counts[0] == counts[1], "\(rule.alert)")
      }
      #expect(rule.expr.contains(#/ (>|<|==|!=|>=|<=) [0-9.]+$/#), "\(rule.alert)")
      let ranges = rule.expr.matches(of: /\[([^\]]*)\]/).map { String($0.output.1) }
      for duration in ranges + [rule.for].compactMap({ $0 }) {
        #expect(duration.contains(/^[1-9][0-9]*[smhd]$/), "\(rule.alert)")
      }
      #expect(["warning", "critical"].contains(rule.labels["severity"] ?? ""), "\(rule.alert)")
      #expect(Set(rule.annotations.keys) == ["summary", "description"], "\(rule.alert)")
    }
  }
}
