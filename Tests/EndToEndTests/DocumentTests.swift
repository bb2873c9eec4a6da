import Foundation
import ServiceKit
import TestKit
import Testing

/// The statements of the documents hold.
@Suite struct DocumentTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func toursPrintWhatTheyShow() async throws {
    try await TemporaryFolder.run { folder in
      // The tours use the programs of `scripts/up`, and its default folder.
      let products = try ServiceProcess.executable("quintet").deletingLastPathComponent()
      try FileManager.default.createDirectory(atPath: "\(folder)/.build", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/.build/debug", withDestinationPath: products.path)
      let settings = ["DATA": "\(folder)/data", "PAYMENTS_TEST": "true", "LOG_LEVEL": "critical"]
      try await ServiceProcess.running("quintet", settings: settings) { quintet in
        let script = Self.root.appendingPathComponent("Tests/EndToEndTests/tour.py").path
        for document in ["README.md", "docs/tour.md"] {
          try await Command.run(
            [Python.path(), script, Self.root.appendingPathComponent(document).path, quintet.url], folder: folder)
        }
      }
    }
  }

  /// `QUINTET_RECORD=1 scripts/test --filter DocumentTests` writes the page.
  @Test func everySettingIsOnItsPage() async throws {
    let quintet = try ServiceProcess.executable("quintet").path
    let output = try await Command.run([quintet, "config"], environment: ["PATH": "/usr/bin"], folder: "/")
    let page = Self.root.appendingPathComponent("docs/settings.md")
    let text = try Self.page(of: output)
    if ProcessInfo.processInfo.environment["QUINTET_RECORD"] != nil {
      try text.write(to: page, atomically: true, encoding: .utf8)
    }
    #expect(
      try String(contentsOf: page, encoding: .utf8) == text, "docs/settings.md is not what `quintet config` prints")
  }

  /// The page of the settings that `config` prints: three lines each, the first with the key and its default.
  private static func page(of output: String) throws -> String {
    var page = """
      # Settings

      Every setting of `quintet`, made from what `quintet config` prints. The services have those of the platform and their
      own. A setting is given on the command line (`--http-queue-seconds 2s`), in the environment (`HTTP_QUEUE_SECONDS=2s`) or
      in a file `.env`, in this order. A secret can also be in a file, whose path is set by the name with the suffix `_FILE`.
      `SERVICES_<NAME>_URL` is the address of a service in another process. [production.md](production.md) says which of them
      matter for what.

      """
    var subject: Substring?
    let lines = output.split(separator: "\n")
    try #require(lines.count % 3 == 0 && !lines.isEmpty)
    for index in stride(from: 0, to: lines.count, by: 3) {
      let setting = try #require(lines[index].firstMatch(of: /^(\S+) = (.*)$/))
      let meaning = lines[index + 1].trimmingCharacters(in: .whitespaces).replacing(" From: default.", with: "")
      let variable = try #require(lines[index + 2].split(separator: " ").last)
      let next = setting.1.prefix { $0 != "." }
      if next != subject {
        page += "\n## \(next)\n\n| setting | default | meaning |\n|---|---|---|\n"
        subject = next
      }
      let cells = [setting.2, Substring(meaning)].map { $0.replacing("|", with: "\\|") }
      page += "| `\(setting.1)`<br>`\(variable)` | `\(cells[0])` | \(cells[1]) |\n"
    }
    return page
  }
}
