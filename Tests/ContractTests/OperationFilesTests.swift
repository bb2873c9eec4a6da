import AuthService
import Foundation
import GatewayService
import Observability
import ServiceKit
import TestKit
import Testing

/// Kubernetes, Prometheus and NATS accept the files that operators get, and the alert rules and the dashboard ask for
/// metrics that exist.
@Suite(.serialized)
struct OperationFilesTests {
  private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized.path
  private static let folder = "\(root)/compose"
  private static let ruleFiles = ["alerts.yaml", "alerts-operations.yaml"].map { "\(folder)/\($0)" }

  private struct RuleFile: Decodable {
    struct Group: Decodable {
      var name: String
      var rules: [Rule]
    }

    var groups: [Group]
  }

  /// An alert, or the recording of a series.
  private struct Rule: Decodable {
    var alert: String?
    var record: String?
    var expr: String
    var labels: [String: String]?
    var annotations: [String: String]?

    var name: String { alert ?? record ?? "" }
  }

  private struct Dashboard: Decodable {
    struct Panel: Decodable {
      var title: String
      var targets: [Target]
    }

    struct Target: Decodable {
      var expr: String
    }

    var panels: [Panel]
  }

  private static func rules() async throws -> [Rule] {
    let program = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))"
    var groups: [RuleFile.Group] = []
    for file in ruleFiles {
      let json = try await Command.run([Python.path(), "-c", program, file])
      groups += try JSONDecoder().decode(RuleFile.self, from: Data(json.utf8)).groups
    }
    #expect(Set(groups.map(\.name)).count == groups.count)
    return groups.flatMap(\.rules)
  }

  @Test func kubernetesAcceptsTheManifests() async throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(Self.folder)/kubernetes")
    let files = names.filter { $0.hasSuffix(".yaml") }.map { "\(Self.folder)/kubernetes/\($0)" }
    #expect(files.count >= 9)
    let validate = URL(fileURLWithPath: try Python.path()).deletingLastPathComponent().path + "/kubernetes-validate"
    try await Command.run([validate, "--strict", "--quiet"] + files)
  }

  @Test func prometheusAcceptsItsConfiguration() async throws {
    try await Command.run(["promtool", "check", "rules", "--lint-fatal"] + Self.ruleFiles)
    try await Command.run(["promtool", "check", "config", "--lint-fatal", "\(Self.folder)/prometheus.yaml"])
  }

  @Test("NATS 2.9 accepts its configuration without the setting that it does not know")
  func natsAcceptsItsConfiguration() async throws {
    let sync = try String(contentsOfFile: "\(Self.folder)/nats-sync.conf", encoding: .utf8)
    #expect(sync.split(separator: "\n").filter { !$0.hasPrefix("#") } == ["sync_interval: always"])
    try await TemporaryFolder.run { folder in
      try FileManager.default.copyItem(atPath: "\(Self.folder)/nats.conf", toPath: "\(folder)/nats.conf")
      try Data().write(to: URL(fileURLWithPath: "\(folder)/nats-sync.conf"))
      let environment = ProcessInfo.processInfo.environment.merging(["NATS_PASSWORD": "n1"]) { $1 }
      try await Command.run(["nats-server", "-t", "-c", "\(folder)/nats.conf"], environment: environment)
    }
  }

  /// The series that an expression asks for: names with underscores or colons, outside of labels and ranges.
  private static func series(in expression: String) -> [String] {
    let bare = expression.replacing(/\{[^}]*\}|\[[^\]]*\]|\b(by|without|on|ignoring) *\([^)]*\)/, with: " ")
    return bare.matches(of: /\b[a-z][a-z0-9_:]*[_:][a-z0-9_:]*\b(?! *\()/).map { String($0.output) }
  }

  /// Whether there is such a metric; a histogram has series of its buckets, sum and count.
  private static func exists(_ series: String, in metrics: String) -> Bool {
    if metrics.contains("\n# TYPE \(series) ") { return true }
    return ["_bucket", "_sum", "_count"].contains { suffix in
      series.hasSuffix(suffix) && metrics.contains("\n# TYPE \(series.dropLast(suffix.count)) histogram\n")
    }
  }

  /// The metrics of a process that uses everything: PostgreSQL, NATS, Redis, a collector of traces, and services elsewhere.
  private static func metrics() async throws -> String {
    try await withNATS { nats in
      let settings = [
        "bus.url": nats.url, "telemetry.url": "http://127.0.0.1:1", "services.catalog.url": "http://127.0.0.1:1",
        "redis.url": "redis://127.0.0.1:1",
      ]
      return try await TestPlatform.listen(
        [GatewayPlugin.self, AuthPlugin.self], settings: settings, database: .postgresql
      ) { test, _ in test.platform.metrics.text() }
    }
  }

  @Test func rulesAndDashboardAskForMetricsThatExist() async throws {
    let rules = try await Self.rules()
    let dashboard = try JSONDecoder().decode(
      Dashboard.self, from: Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/grafana-dashboard.json")))
    let panels = dashboard.panels.flatMap { panel in panel.targets.map { (name: panel.title, expr: $0.expr) } }
    let recorded = Set(rules.compactMap(\.record))
    let metrics = try await Self.metrics()
    for (name, expression) in rules.map({ (name: $0.name, expr: $0.expr) }) + panels {
      // `up` is Prometheus' own.
      let series = Self.series(in: expression)
      #expect(!series.isEmpty || expression.hasPrefix("up{"), "\(name)")
      for series in series where !recorded.contains(series) {
        #expect(Self.exists(series, in: metrics), "\(name): \(series)")
      }
      guard let kind = expression.firstMatch(of: /kind="([a-z]+)"/)?.output.1 else { continue }
      #expect(metrics.contains("\nsecurity_refusals_total{service=\"auth\",kind=\"\(kind)\"} "), "\(name)")
    }
  }

  /// Whoever is woken by an alert reads what it means, and what to do.
  @Test func alertsAreExplained() async throws {
    let manual = try String(contentsOfFile: "\(Self.root)/docs/operations.md", encoding: .utf8)
    for rule in try await Self.rules() {
      guard let alert = rule.alert else { continue }
      #expect(["info", "warning", "critical"].contains(rule.labels?["severity"] ?? ""), "\(alert)")
      #expect(Set(rule.annotations?.keys.map { $0 } ?? []) == ["summary", "description"], "\(alert)")
      #expect(manual.contains("`\(alert)`"), "\(alert)")
    }
  }
}
