import Contracts
import Foundation
import TestKit
import Testing

/// Files reviewed when a contract changes. `QUINTET_RECORD=1 scripts/test --filter ContractTests` rewrites them.
enum Goldens {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Goldens")

  static func expect(_ value: JSONValue, toMatch name: String) throws {
    let file = folder.appendingPathComponent(name)
    let text = indented(value) + "\n"
    if ProcessInfo.processInfo.environment["QUINTET_RECORD"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
      return
    }
    let golden = try String(contentsOf: file, encoding: .utf8)
    #expect(golden == text, "\(name) differs from the golden file; see CONTRIBUTING.md, \"Change a contract\"")
  }

  static func read(_ name: String) throws -> JSONValue {
    try WireJSON.decode(JSONValue.self, from: Data(contentsOf: folder.appendingPathComponent(name)))
  }

  private static func indented(_ value: JSONValue, by depth: Int = 0) -> String {
    let inner = String(repeating: "  ", count: depth + 1)
    let outer = String(repeating: "  ", count: depth)
    switch value {
    case .object(let members) where !members.isEmpty:
      let lines = members.map { "\(inner)\(indented(.string($0.name))): \(indented($0.value, by: depth + 1))" }
      return "{\n\(lines.joined(separator: ",\n"))\n\(outer)}"
    case .array(let values) where !values.isEmpty:
      return "[\n\(values.map { inner + indented($0, by: depth + 1) }.joined(separator: ",\n"))\n\(outer)]"
    default: return (try? WireJSON.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
  }
}
