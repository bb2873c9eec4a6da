public import Contracts
import Foundation

/// The requests of a consumer to a provider and the response fields it reads, as a Pact v4 file
/// (https://github.com/pact-foundation/pact-specification, branch version-4).
public struct Pact: Sendable {
  /// How a field of the response is matched.
  public indirect enum Expectation: Sendable {
    /// Equal to this value.
    case exactly(JSONValue)
    /// A value of the same JSON type.
    case like(JSONValue)
    case integer(Int64)
    /// A string that the regular expression matches completely.
    case matching(String, example: String)
    case object([(String, Expectation)])
    /// An array of at least one element, each matching this.
    case each(Expectation)
  }

  /// A provider state, such as an existing account.
  public struct State: Sendable {
    public var name: String
    public var parameters: [(String, JSONValue)]

    public init(_ name: String, _ parameters: [(String, JSONValue)] = []) {
      self.name = name
      self.parameters = parameters
    }
  }

  public let consumer: String
  public let provider: String
  private var interactions: [JSONValue] = []

  public var count: Int { interactions.count }

  public init(consumer: String, provider: String) {
    self.consumer = consumer
    self.provider = provider
  }

  /// Adds an interaction.
  ///
  /// - Parameters:
  ///   - token: The name of the provider state's value that is the access token for `Authorization`.
  ///   - isInternal: Whether the consumer authenticates as a service, with the state's `serviceToken`.
  ///   - status: The response status.
  ///   - type: The response content type.
  ///   - body: The fields that the consumer reads; `nil` for a response without content.
  public mutating func expect(
    _ description: String,
    given state: State? = nil,
    _ endpoint: some Endpoint,
    token: String? = nil,
    isInternal: Bool = false,
    answers status: Int,
    as type: String = "application/json",
    _ body: Expectation?
  ) throws {
    let wire = try endpoint.wireRequest()
    let target = wire.target.split(separator: "?", maxSplits: 1)
    var headers: [(String, JSONValue?)] = wire.headers.map { ($0.name, .array([.string($0.value)])) }
    if wire.body != nil { headers.append(("Content-Type", ["application/json"])) }
    let tokens = [("Authorization", token), ("X-Service-Authorization", isInternal ? "serviceToken" : nil)]
    let generated = tokens.compactMap { field, value in
      value.map { value -> (String, JSONValue?) in
        headers.append((field, ["Bearer example"]))
        return (
          field, ["type": "ProviderState", "expression": .string("Bearer ${\(value)}"), "dataType": "STRING"]
        )
      }
    }
    let generators: JSONValue? = generated.isEmpty ? nil : ["header": .object(generated)]
    let query = target.count > 1 ? PercentCoding.query(target[1]) ?? [] : []
    var rules: [(String, JSONValue?)] = []
    let example = body.map { Self.example($0, at: "$", &rules) }
    interactions.append(
      .object([
        ("type", "Synchronous/HTTP"),
        ("description", .string(description)),
        (
          "providerStates",
          state.map { [["name": .string($0.name), "params": .object($0.parameters.map { ($0, Optional($1)) })]] }
        ),
        (
          "request",
          .object([
            ("method", .string(wire.method.rawValue)),
            ("path", .string(String(target[0]))),
            ("query", query.isEmpty ? nil : .object(query.map { ($0.name, .array([.string($0.value)])) })),
            ("headers", headers.isEmpty ? nil : .object(headers)),
            (
              "body",
              try wire.body.map { try Self.envelope("application/json", WireJSON.decode(JSONValue.self, from: $0)) }
            ),
            ("generators", generators),
          ])
        ),
        (
          "response",
          .object([
            ("status", .integer(Int64(status))),
            ("headers", example.map { _ in ["Content-Type": [.string(type)]] }),
            ("body", example.map { Self.envelope(type, $0) }),
            ("matchingRules", example.map { _ in ["body": .object(rules)] }),
          ])
        ),
      ])
    )
  }

  private static func envelope(_ type: String, _ content: JSONValue) -> JSONValue {
    ["contentType": .string(type), "encoded": false, "content": content]
  }

  private static func example(_ expectation: Expectation, at path: String, _ rules: inout [(String, JSONValue?)])
    -> JSONValue
  {
    func rule(_ matcher: JSONValue) { rules.append((path, ["combine": "AND", "matchers": [matcher]])) }
    switch expectation {
    case .exactly(let value):
      rule(["match": "equality"])
      return value
    case .like(let value):
      rule(["match": "type"])
      return value
    case .integer(let value):
      rule(["match": "integer"])
      return .integer(value)
    case .matching(let expression, let example):
      rule(["match": "regex", "regex": .string(expression)])
      return .string(example)
    case .object(let members):
      return .object(
        members.map { name, member in (name, Optional(Self.example(member, at: "\(path).\(name)", &rules))) }
      )
    case .each(let element):
      rule(["match": "type", "min": 1])
      return .array([Self.example(element, at: "\(path)[*]", &rules)])
    }
  }

  /// The content of the pact file.
  public var json: JSONValue {
    [
      "consumer": ["name": .string(consumer)], "provider": ["name": .string(provider)],
      "interactions": .array(interactions),
      "metadata": ["pactSpecification": ["version": "4.0"]],
    ]
  }
}
