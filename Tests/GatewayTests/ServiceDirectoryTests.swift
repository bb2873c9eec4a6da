import Contracts
import Testing

@testable import GatewayService

/// The descriptions of services that the gateway accepts.
@Suite
struct ServiceDirectoryTests {
  private func service(_ name: String, _ paths: [(Operation.Method, String)]) -> ServiceDescription {
    let operations = paths.map { method, path in
      var operation = PublicOperation(Operation.get("/", "Test"))
      (operation.method, operation.path) = (method, path)
      return operation
    }
    return ServiceDescription(name: name, operations: operations, events: [], openAPI: OpenAPIDocument.merged([]))
  }

  private func refusal(_ paths: [(Operation.Method, String)], beside others: [(Operation.Method, String)] = [])
    -> String?
  {
    var directory = ServiceDirectory(own: service("gateway", [(.get, "/v1/events")]))
    do throws(ServiceDirectory.Refusal) {
      try directory.accept(service("first", others), of: "first")
      try directory.accept(service("second", paths), of: "second")
      #expect(directory.descriptions["second"]?.operations.count == paths.count)
      return nil
    } catch {
      #expect(directory.descriptions["second"] == nil)
      return error.description
    }
  }

  @Test func differentOperationsAreAccepted() {
    #expect(refusal([(.get, "/v1/notes"), (.post, "/v1/notes/{id}")], beside: [(.get, "/v1/notes/{id}")]) == nil)
    #expect(refusal([(.get, "/v1/notes/{id}/likes")], beside: [(.get, "/v1/notes/{id}")]) == nil)
  }

  @Test(arguments: ["/v1/notes/{id}", "/v1/notes/{name}", "/v1/notes/newest"])
  func whateverARequestCouldMatchTwiceIsRefused(path: String) {
    #expect(
      refusal([(.get, path)], beside: [(.get, "/v1/notes/{id}")])
        == "the service second cannot be routed: GET \(path) overlaps with GET /v1/notes/{id} of first"
    )
  }

  @Test func thePathsOfTheGatewayAreTaken() {
    #expect(
      refusal([(.get, "/v1/events")])
        == "the service second cannot be routed: GET /v1/events overlaps with GET /v1/events of gateway"
    )
  }

  @Test(arguments: [
    "/internal/v1/description", "/events", "/v1/auth/login", "/v1/users/newest", "/.well-known/jwks.json", "/v1/{kind}",
    "/v1/{kind}/newest",
  ])
  func internalOperationsAndThoseOfAuthAreReserved(path: String) {
    #expect(refusal([(.post, path)]) == "the service second cannot be routed: POST \(path) is reserved")
  }

  @Test(arguments: ["", "v1/x", "/", "/v1//x", "/v1/x/", "/v1/a b", "/v1/{a-b}", "/v1/{x\"\u{301}}", "/v1/%2e"])
  func pathsFollowAGrammar(path: String) {
    #expect(
      refusal([(.get, path)])
        == "the service second cannot be routed: GET \(path) is not a path of literals and {parameters}"
    )
  }

  @Test func whatTakesAllPathsIsRefused() {
    #expect(refusal([(.get, "/{a}")]) == "the service second cannot be routed: GET /{a} begins with a parameter")
    let deep = String(repeating: "/a", count: 17)
    #expect(refusal([(.get, deep)])?.hasSuffix("is not a path of literals and {parameters}") == true)
  }

  @Test(arguments: [(1e300, 0), (0, 0), (-1, 0), (1, -1), (1, Int.max)] as [(Double, Int)])
  func impossibleLimitsAreRefused(seconds: Double, bytes: Int) throws {
    var description = service("notes", [(.get, "/v1/notes")])
    (description.operations[0].seconds, description.operations[0].bodyBytes) = (seconds, bytes)
    var directory = ServiceDirectory(own: service("gateway", []))
    let refusal = #expect(throws: ServiceDirectory.Refusal.self) { try directory.accept(description, of: "notes") }
    #expect(refusal?.description == "the service notes cannot be routed: GET /v1/notes has impossible limits")
  }

  @Test func hugeDescriptionsAreRefused() throws {
    let paths = (0...1000).map { (Contracts.Operation.Method.get, "/v1/notes\($0)") }
    #expect(
      refusal(paths) == "the service second cannot be routed: it has more than 1000 operations or 2000 schemas"
    )
  }

  @Test func aServiceAnswersForItselfOnly() throws {
    var directory = ServiceDirectory(own: service("gateway", []))
    let refusal = #expect(throws: ServiceDirectory.Refusal.self) {
      try directory.accept(service("auth", []), of: "notes")
    }
    #expect(refusal?.description == "the service notes cannot be routed: it is auth")
  }

  @Test func aNewDescriptionReplacesTheOldOne() throws {
    var directory = ServiceDirectory(own: service("gateway", []))
    try directory.accept(service("notes", [(.get, "/v1/notes"), (.get, "/v1/tags")]), of: "notes")
    try directory.accept(service("notes", [(.get, "/v1/notes")]), of: "notes")
    try directory.accept(service("tags", [(.get, "/v1/tags")]), of: "tags")
    #expect(directory.descriptions["notes"]?.operations.map(\.path) == ["/v1/notes"])
  }

  @Test func aKindOfTopicsHasOneService() throws {
    var directory = ServiceDirectory(own: service("gateway", []))
    var (first, second) = (service("first", []), service("second", []))
    (first.topics, second.topics) = (["room", "hall"], ["hall"])
    try directory.accept(first, of: "first")
    let refusal = #expect(throws: ServiceDirectory.Refusal.self) { try directory.accept(second, of: "second") }
    #expect(refusal?.description == "the service second cannot be routed: topics of the kind hall are those of first")
    #expect(directory.service(ofTopic: "hall") == "first")
    // A later version of the first service gives the kind up.
    first.topics = ["room"]
    try directory.accept(first, of: "first")
    try directory.accept(second, of: "second")
    #expect(directory.service(ofTopic: "hall") == "second")
    #expect(directory.service(ofTopic: "attic") == nil)
  }

  @Test(arguments: ["", "Room", "room:1", "r2", "é"])
  func kindsOfTopicsAreWords(kind: String) throws {
    var directory = ServiceDirectory(own: service("gateway", []))
    var first = service("first", [])
    first.topics = [kind]
    #expect(throws: ServiceDirectory.Refusal.self) { try directory.accept(first, of: "first") }
  }

  /// Gateways are updated before services, or after them.
  @Test func olderDescriptionsHaveNoTopics() throws {
    let json = #"{"name":"notes","operations":[],"events":["x"],"openAPI":{}}"#
    #expect(try WireJSON.decode(ServiceDescription.self, from: json.utf8).topics == [])
  }

  /// Types of the same name that differ are both in the joined document, each with what refers to it.
  @Test func theDocumentsOfServicesAreJoined() {
    func document(_ path: String, _ type: String) -> JSONValue {
      [
        "tags": [["name": .string(path)]],
        "paths": [
          path: ["get": ["responses": ["200": ["schema": ["$ref": "#/components/schemas/Page"]]]]]
        ],
        "components": [
          "schemas": [
            "Page": ["type": "array", "items": ["$ref": "#/components/schemas/Item"]],
            "Item": ["type": .string(type)],
          ]
        ],
      ]
    }
    let merged = OpenAPIDocument.merged([
      ("first", document("/a", "string")), ("second", document("/b", "integer")), ("third", document("/c", "string")),
    ])
    let schemas = merged["components"]?["schemas"]
    #expect(schemas?.members.map(\.name) == ["Item", "Page", "second.Item", "second.Page"])
    #expect(schemas?["second.Page"]?["items"]?["$ref"]?.string == "#/components/schemas/second.Item")
    func result(_ path: String) -> String? {
      merged["paths"]?[path]?["get"]?["responses"]?["200"]?["schema"]?["$ref"]?.string
    }
    #expect(result("/a") == "#/components/schemas/Page")
    #expect(result("/b") == "#/components/schemas/second.Page")
    #expect(result("/c") == "#/components/schemas/Page")
  }
}
