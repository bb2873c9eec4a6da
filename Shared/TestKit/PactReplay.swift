public import Contracts

/// Replays a pact against a provider and reports the mismatches. It supports the subset of Pact v4 that ``Pact``
/// writes; the official verifier checks the same files.
public struct PactReplay {
  private let transport: any Transport
  /// Sets up a provider state; returns values such as an access token.
  private let prepare: (_ state: String, _ parameters: JSONValue) async throws -> [String: String]

  public init(
    _ transport: any Transport,
    prepare: @escaping (_ state: String, _ parameters: JSONValue) async throws -> [String: String]
  ) {
    self.transport = transport
    self.prepare = prepare
  }

  /// Returns the mismatches; empty when the provider satisfies the pact. A pact without interactions is a mismatch.
  public func violations(of pact: JSONValue) async throws -> [String] {
    guard case .array(let interactions)? = pact["interactions"], !interactions.isEmpty else {
      return ["the pact has no interactions"]
    }
    var violations: [String] = []
    for interaction in interactions {
      let name = interaction["description"]?.string ?? "?"
      violations += try await check(interaction).map { "\(name): \($0)" }
    }
    return violations
  }

  private func check(_ interaction: JSONValue) async throws -> [String] {
    var values: [String: String] = [:]
    if case .array(let states)? = interaction["providerStates"] {
      for state in states {
        values.merge(try await prepare(state["name"]?.string ?? "", state["params"] ?? .null)) { $1 }
      }
    }
    guard let request = interaction["request"], let response = interaction["response"],
      let method = request["method"]?.string.flatMap({ Operation.Method(rawValue: $0) }),
      let path = request["path"]?.string
    else { return ["the interaction is incomplete"] }
    let answer = try await transport.send(
      WireRequest(
        method: method,
        target: path + query(request),
        headers: [],
        body: try (request["body"]?["content"]).map { try WireJSON.encode($0) },
        isRepeatable: false,
        seconds: 10
      ),
      headers: headers(request, values)
    )
    var violations: [String] = []
    if response["status"] != .integer(Int64(answer.status)) { violations.append("status is \(answer.status)") }
    if case .array(let types)? = response["headers"]?["Content-Type"], let type = types.first?.string,
      answer.header("content-type")?.hasPrefix(type) != true
    {
      violations.append("content type is \(answer.header("content-type") ?? "missing")")
    }
    guard let expected = response["body"]?["content"] else { return violations }
    let actual = (try? WireJSON.decode(JSONValue.self, from: answer.body)) ?? .null
    return violations + compare(expected, actual, at: "$", rules: response["matchingRules"]?["body"] ?? .null)
  }

  private func query(_ request: JSONValue) -> String {
    guard case .object(let members)? = request["query"] else { return "" }
    let pairs = members.flatMap { member -> [String] in
      guard case .array(let values) = member.value else { return [] }
      return values.compactMap(\.string).map { "\(PercentCoding.encode(member.name))=\(PercentCoding.encode($0))" }
    }
    return "?" + pairs.joined(separator: "&")
  }

  private func headers(_ request: JSONValue, _ values: [String: String]) -> [(name: String, value: String)] {
    guard case .object(let members)? = request["headers"] else { return [] }
    return members.compactMap { member in
      guard case .array(let list) = member.value, var text = list.first?.string else { return nil }
      if let expression = request["generators"]?["header"]?[member.name]?["expression"]?.string {
        text = values.reduce(expression) { $0.replacing("${\($1.key)}", with: $1.value) }
      }
      return (member.name.lowercased(), text)
    }
  }

  private func compare(_ expected: JSONValue, _ actual: JSONValue, at path: String, rules: JSONValue) -> [String] {
    let rule: JSONValue? = if case .array(let matchers)? = rules[path]?["matchers"] { matchers.first } else { nil }
    switch (rule?["match"]?.string, expected, actual) {
    case ("equality", _, _): return expected == actual ? [] : ["\(path) does not equal the expected value"]
    case ("integer", _, .integer): return []
    case ("integer", _, _): return ["\(path) is not an integer"]
    case ("regex", _, .string(let text)):
      let expression = rule?["regex"]?.string ?? ""
      return (try? Regex(expression).wholeMatch(in: text)) != nil ? [] : ["\(path) does not match \(expression)"]
    case ("regex", _, _): return ["\(path) is not a string"]
    case ("type", .array(let elements), .array(let found)):
      guard !found.isEmpty, let element = elements.first else { return ["\(path) is empty"] }
      return found.flatMap { compare(element, $0, at: "\(path)[*]", rules: rules) }
    case (_, .object(let members), .object):
      // Additional fields are allowed; missing fields are not.
      return members.flatMap { member -> [String] in
        guard let value = actual[member.name] else { return ["\(path).\(member.name) is missing"] }
        return compare(member.value, value, at: "\(path).\(member.name)", rules: rules)
      }
    case ("type", _, _): return Self.kind(expected) == Self.kind(actual) ? [] : ["\(path) has a different type"]
    default: return expected == actual ? [] : ["\(path) does not equal the expected value"]
    }
  }

  private static func kind(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool: "boolean"
    case .integer, .number: "number"
    case .string: "text"
    case .array: "array"
    case .object: "object"
    }
  }
}
