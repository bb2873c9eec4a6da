import Contracts
import Foundation
import Testing

@testable import GatewayService

/// The examples of the documentation are what the contracts accept and return.
@Suite
struct DocumentedExampleTests {
  @Test(arguments: DocumentationTests.apis.map { $0.name })
  func everyExampleIsValid(_ service: String) throws {
    let api = try #require(DocumentationTests.apis.first { $0.name == service })
    let reference = Reference([try ServiceDescription(of: api)])
    for endpoint in api.endpoints where !endpoint.operation.access.isForServices {
      let (method, path) = (endpoint.operation.method.rawValue, endpoint.operation.path.description)
      let all = reference.services.flatMap(\.operations)
      let operation = try #require(all.first { $0.method == method && $0.path == path })
      #expect(throws: Never.self, "\(method) \(path)") {
        try check(endpoint, operation, ExampleValues(schemas: reference.schemas))
      }
    }
  }

  /// Reads the example as the service reads requests, and its answer as clients read answers.
  private func check<E: Endpoint>(_ endpoint: E.Type, _ operation: Reference.Operation, _ values: ExampleValues) throws
  {
    var (path, query, ifMatch) = ([String: String](), [String](), String?.none)
    for parameter in operation.description["parameters"]?.elements ?? [] {
      let name = try #require(parameter["name"]?.string)
      let value = values.parameter(name, parameter["schema"] ?? .null)
      switch (parameter["in"]?.string, name) {
      case ("path", _): path[name] = value
      case ("query", _): query.append("\(name)=\(PercentCoding.encode(value))")
      case (_, "If-Match"): ifMatch = value
      default: break
      }
    }
    let body = operation.description["requestBody"]?["content"]?["application/json"]?["schema"]
    _ = try E(
      path: path, query: Substring(query.joined(separator: "&")), ifMatch: ifMatch,
      body: try body.map { try WireJSON.encode(values.body($0)) } ?? [])
    let success = operation.description["responses"]?.members.first { $0.name.hasPrefix("2") }
    if let schema = success?.value["content"]?["application/json"]?["schema"] {
      _ = try WireJSON.decode(E.Response.self, from: try WireJSON.encode(values.answer(schema)))
    }
  }

  @Test func commandsAreQuotedForAShell() throws {
    let operation = Reference.Operation(
      service: "s", method: "POST", path: "/v1/{name}",
      description: [
        "parameters": [["name": "name", "in": "path", "required": true, "schema": ["examples": ["it's/a b"]]]],
        "requestBody": ["content": ["application/json": ["schema": ["examples": [["a": "it's"]]]]]],
        "security": [["bearer": []]],
      ],
      policy: nil)
    let request = ExampleRequest(operation, ExampleValues(schemas: [:]), publicURL: "http://a")
    #expect(
      request.curl == """
        curl 'http://a/v1/it%27s%2Fa%20b' \\
          -H 'Authorization: Bearer TOKEN' \\
          --json '{
          "a": "it'\\''s"
        }'
        """)
  }
}
