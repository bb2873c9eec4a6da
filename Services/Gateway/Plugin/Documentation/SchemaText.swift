import Contracts

/// Describes schemas of properties and parameters in a line of HTML.
enum SchemaText {
  /// The name of the type to which a schema refers.
  static func reference(_ schema: JSONValue) -> String? {
    (schema["$ref"]?.string?.split(separator: "/").last).map(String.init)
  }

  static func types(_ schema: JSONValue) -> [String] {
    schema["type"]?.string.map { [$0] } ?? (schema["type"]?.elements ?? []).compactMap(\.string)
  }

  /// The types that a schema refers to, at any depth of it.
  static func references(_ schema: JSONValue) -> [String] {
    switch schema {
    case .object(let members):
      (reference(schema).map { [$0] } ?? []) + members.flatMap { references($0.value) }
    case .array(let elements): elements.flatMap { references($0) }
    default: []
    }
  }

  /// `text (uuid)`, `list of Cart.Item` with a link, or the possible words, with the rules for the value.
  static func line(_ schema: JSONValue) -> HTML {
    "<span class=\"type\">\(kind(schema))</span>\(rules(schema))"
  }

  private static func kind(_ schema: JSONValue) -> HTML {
    if let name = reference(schema) { return "<a href=\"#type-\(name)\">\(name)</a>" }
    if let items = schema["items"] { return "list of \(kind(items))" }
    let format: HTML? = schema["format"]?.string.map { " (\($0))" }
    let names = types(schema).map { Self.names[$0] ?? $0 }
    return "\(names.isEmpty ? "any value" : names.joined(separator: " or "))\(format)"
  }

  private static let names = ["string": "text", "integer": "whole number", "boolean": "true or false"]

  private static func rules(_ schema: JSONValue) -> HTML {
    let rule = schema["items"] ?? schema
    var parts: [HTML] = []
    if let length = range(rule["minLength"], rule["maxLength"]) { parts.append("\(length) characters") }
    if let value = range(rule["minimum"], rule["maximum"]) { parts.append("\(value)") }
    let words = (rule["enum"]?.elements ?? []).compactMap(\.string)
    if !words.isEmpty {
      let list: HTML = "\(words.map { " <code>\($0)</code>" as HTML })"
      parts.append(
        words.count > 12
          ? "<details><summary>one of \(words.count) words</summary>\(list)</details>" : "one of\(list)")
    }
    // A format that is described already needs no pattern.
    if rule["format"] == nil, let pattern = rule["pattern"]?.string {
      parts.append("<details><summary>pattern</summary><code>\(pattern)</code></details>")
    }
    return "\(parts.map { " <div class=\"rule\">\($0)</div>" as HTML })"
  }

  private static func range(_ least: JSONValue?, _ most: JSONValue?) -> String? {
    switch (least, most) {
    case (.integer(let least)?, .integer(let most)?): least == most ? "\(least)" : "\(least) to \(most)"
    case (.integer(let least)?, _): "at least \(least)"
    case (_, .integer(let most)?): "at most \(most)"
    default: nil
    }
  }
}
