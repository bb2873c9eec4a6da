import Contracts
import Foundation
import Testing

/// The pages about security name tests and files, which have to exist: a renamed test must not leave a claim behind that
/// nothing shows.
struct DocumentTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let states = ["met", "met, no test", "open", "not applicable"]

  private func text(_ page: String) throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent("docs/\(page)"), encoding: .utf8)
  }

  /// The cells of the lines that are rows of tables.
  private func rows(_ text: String) -> [[String]] {
    text.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// The names of all files, and the tests of each suite, which is a file's name.
  private func sources() throws -> (files: Set<String>, tests: [String: Set<String>]) {
    var files: Set<String> = []
    var tests: [String: Set<String>] = [:]
    for folder in ["Services", "Shared", "Tests", "compose", "docs", "scripts"] {
      let directory = Self.root.appendingPathComponent(folder)
      let found = try #require(FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil))
      for case let file as URL in found {
        files.insert(file.lastPathComponent)
        guard folder == "Tests", file.lastPathComponent.hasSuffix("Tests.swift") else { continue }
        let suite = file.deletingPathExtension().lastPathComponent
        tests[suite, default: []].formUnion(functions(try String(contentsOf: file, encoding: .utf8)))
      }
    }
    return (files, tests)
  }

  /// The functions with the attribute `Test`: the first one after each.
  private func functions(_ source: String) -> [String] {
    source.components(separatedBy: "@Test").dropFirst().compactMap { part in
      part.range(of: "func ").map { found in
        String(part[found.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
      }
    }
  }

  @Test(arguments: ["security.md", "asvs.md"])
  func whatIsNamedExists(page: String) throws {
    let text = try text(page)
    let (files, tests) = try sources()
    let suites = text.matches(of: #/`([A-Za-z0-9]+Tests)`/#).map { String($0.output.1) }
    for suite in suites { #expect(tests[suite]?.isEmpty == false, "\(suite)") }
    let named = text.matches(of: #/`([A-Za-z0-9]+Tests)\.([A-Za-z0-9_]+)`/#)
    for test in named {
      let (suite, function) = (String(test.output.1), String(test.output.2))
      #expect(tests[suite]?.contains(function) == true, "\(suite).\(function)")
    }
    #expect(suites.count + named.count > 10)
    for file in text.matches(of: #/`([A-Za-z0-9+\-]+\.(?:swift|yaml|md|py))`/#) {
      #expect(files.contains(String(file.output.1)), "\(file.output.1)")
    }
    for link in text.matches(of: #/\]\(([^)#:]+)\)/#) {
      let target = Self.root.appendingPathComponent("docs/\(link.output.1)").standardizedFileURL.path
      #expect(FileManager.default.fileExists(atPath: target), "\(link.output.1)")
    }
  }

  /// Each requirement once and in order, with what its state needs; the first table counts them.
  @Test func everyRequirementHasAState() throws {
    let rows = try rows(text("asvs.md"))
    let requirements = rows.filter { $0.first?.wholeMatch(of: #/\d+\.\d+\.\d+/#) != nil }
    let numbers = requirements.map { $0[0].split(separator: ".").compactMap { Int($0) } }
    #expect(numbers.count == 246)
    for (number, next) in zip(numbers, numbers.dropFirst()) {
      #expect(number.lexicographicallyPrecedes(next), "\(next)")
    }
    for row in requirements {
      try #require(row.count >= 4, "\(row)")
      #expect(Self.states.contains(row[2]), "\(row[0])")
      #expect(!row[3].isEmpty, "\(row[0])")
      let isShown = row.count == 5 && row[4].contains("Tests.")
      #expect(isShown == (row[2] == "met"), "\(row[0])")
    }
    var chapters = Set(numbers.map { $0[0] })
    for row in rows where row.count == 6 {
      let chapter = row[0].firstMatch(of: #/^V(\d+) /#).flatMap { Int($0.output.1) }
      guard chapter != nil || row[0] == "all" else { continue }
      if let chapter { #expect(chapters.remove(chapter) == chapter, "\(row[0])") }
      let counted = requirements.filter { chapter == nil || $0[0].hasPrefix("\(chapter ?? 0).") }
      let expected = Self.states.map { state in counted.count { $0[2] == state } } + [counted.count]
      #expect(row.dropFirst().map { Int($0) } == expected, "\(row[0])")
    }
    #expect(chapters.isEmpty)
  }

  /// The table of scopes is the one by which tokens are checked.
  @Test func everyScopeIsInTheTableWithItsResources() throws {
    let rows = try rows(text("security.md"))
    for scope in Scope.allCases where !scope.resources.isEmpty {
      let row = try #require(rows.first { $0.first == "`\(scope.rawValue)`" }, "\(scope)")
      let resources = scope.resources.map { "`\($0)`" }.joined(separator: ", ")
      #expect(row.dropFirst().first == resources, "\(scope)")
    }
  }
}
