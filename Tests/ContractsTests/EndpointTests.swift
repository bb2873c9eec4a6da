import Testing

@testable import Contracts

struct EndpointTests {
  struct Search: Endpoint {
    typealias Response = Page<Item>
    static let operation = Operation.post("/v1/shops/{shop}/search/{kind}", "Search")

    struct Item: Codable, Sendable {
      var name: String
      var replies: [Item]
    }
    struct Body: Codable, Sendable, Equatable { var text: String }
    enum Kind: String, WireEnum { case beat, open }

    var shop: String
    var kind: Kind
    var limit: PageSize?
    var tag: [String]
    var since: Timestamp?
    var ifMatch: EntityTag?
    var body: Body
  }

  private func decode(_ request: WireRequest) throws -> Search {
    let parts = request.target.split(separator: "?", maxSplits: 1)
    let path = try #require(Search.operation.path.match(parts[0]))
    let ifMatch = request.headers.first { $0.name == "If-Match" }?.value
    return try Search(path: path, query: parts.count > 1 ? parts[1] : "", ifMatch: ifMatch, body: request.body ?? [])
  }

  @Test func printsAndReads() throws {
    let request = Search(
      shop: "a/b c?ü&#",
      kind: .open,
      limit: PageSize(checked: 5),
      tag: ["x&y", "1+1=2"],
      since: Timestamp(microseconds: 0),
      ifMatch: EntityTag(version: 7),
      body: .init(text: "\"hi\"")
    )
    let wire = try request.wireRequest()
    #expect(
      wire.target
        == "/v1/shops/a%2Fb%20c%3F%C3%BC%26%23/search/open?limit=5&tag=x%26y&tag=1%2B1%3D2&since=1970-01-01T00%3A00%3A00.000Z"
    )
    #expect(!wire.isRepeatable)
    #expect(try request.wireRequest(idempotencyKey: "k").isRepeatable)
    let read = try decode(wire)
    #expect(read.shop == request.shop)
    #expect(read.kind == .open)
    #expect(read.limit?.value == 5)
    #expect(read.tag == request.tag)
    #expect(read.since == request.since)
    #expect(read.ifMatch == request.ifMatch)
    #expect(read.body == request.body)
  }

  @Test func leavesOutWhatIsAbsent() throws {
    let request = Search(shop: "a", kind: .beat, limit: nil, tag: [], since: nil, ifMatch: nil, body: .init(text: ""))
    let wire = try request.wireRequest()
    #expect(wire.target == "/v1/shops/a/search/beat")
    #expect(try decode(wire).tag == [])
  }

  @Test(arguments: ["", ".", ".."])
  func refusesPathsThatWouldChangeTheRoute(shop: String) {
    let request = Search(shop: shop, kind: .beat, tag: [], body: .init(text: ""))
    #expect(throws: ValueError.self) { try request.wireRequest() }
  }

  @Test(arguments: [
    ("beat", "limit=0", #"{"text":"x"}"#, "query.limit", "must be from 1 to 100"),
    ("beat", "limit=ten", #"{"text":"x"}"#, "query.limit", "must be an integer"),
    ("beat", "limit=1&limit=2", #"{"text":"x"}"#, "query.limit", "must be an integer"),
    ("beat", "since=yesterday", #"{"text":"x"}"#, "query.since", "must be a time such as 2026-03-01T09:05:07.042Z"),
    ("song", "", #"{"text":"x"}"#, "path.kind", "must be one of beat, open"),
    ("beat", "", "", "body", "is required"),
    ("beat", "", "{}", "body.text", "is required"),
  ])
  func reportsTheLocation(kind: String, query: String, body: String, location: String, message: String) {
    let problem = #expect(throws: Problem.self) {
      try Search(path: ["shop": "a", "kind": kind], query: query[...], ifMatch: nil, body: Array(body.utf8))
    }
    #expect(problem?.status == 422)
    #expect(problem?.errors == [.init(location: location, message: message)])
  }

  @Test(arguments: [
    ("tag=%zz", "has a broken percent escape"), ("tag=%4", "has a broken percent escape"),
    ("tag=a%00b", "must not contain the character U+0000"), ("tag=%ff", "is not UTF-8"),
    ("tag=a" + String(repeating: "%CC%81", count: 31), "has more than 30 combining marks in a row"),
  ])
  func flawedQueriesAreMalformed(_ query: String, _ message: String) {
    let problem = #expect(throws: Problem.self) {
      try Search(path: ["shop": "a", "kind": "beat"], query: query[...], ifMatch: nil, body: [])
    }
    #expect(problem?.status == 400)
    #expect(problem?.errors == [.init(location: "query", message: message)])
  }

  @Test(arguments: ["%", "%4", "%zz", "%00", "%ff%fe"])
  func percentCodingRefuses(text: String) { #expect(PercentCoding.decode(text[...]) == nil) }

  @Test func schemaSaysWhatTheCodecTakes() throws {
    let recorder = SchemaRecorder()
    _ = try recorder.schema(of: Search.self)
    let search = try #require(recorder.components.first { $0.key.hasSuffix("Search") }?.value)
    #expect(search.properties.map(\.name) == ["shop", "kind", "limit", "tag", "since", "ifMatch", "body"])
    #expect(search.required == ["shop", "kind", "tag", "body"])
    #expect(search.properties[1].schema.enumeration == ["beat", "open"])
    #expect(search.properties[2].schema.maximum == 100)
    _ = try recorder.schema(of: Search.Response.self)
    let item = try #require(recorder.components.first { $0.key == "EndpointTests.Search.Item" })
    #expect(item.value.properties.map(\.name) == ["name", "replies"])
    #expect(item.value.properties[1].schema == .array(of: .reference(to: item.key)))
  }

  @Test func patchMembersAreOptionalAndNullable() throws {
    let recorder = SchemaRecorder()
    _ = try recorder.schema(of: AuthAPI.UpdateMe.self)
    let body = try #require(recorder.components["AuthAPI.UpdateMe"])
    #expect(body.required == [])
    let patch = try #require(recorder.components["ProfilePatch"])
    #expect(patch.required == [])
    let bio = patch.properties.first { $0.name == "bio" }
    #expect(bio?.schema.isNullable == true)
    #expect(bio?.schema.maxLength == 1000)
  }

  /// Every endpoint has a unique path, and its path parameters are properties of its type.
  @Test func endpointsAreConsistent() throws {
    for api in [AuthAPI.self, CatalogAPI.self, OrdersAPI.self, GatewayAPI.self] as [any ServiceAPI.Type] {
      let operations = api.endpoints.map { "\($0.operation.method.rawValue) \($0.operation.path)" }
      #expect(Set(operations).count == operations.count)
      for endpoint in api.endpoints {
        func properties<E: Endpoint>(_ type: E.Type) throws -> [String] {
          let recorder = SchemaRecorder()
          _ = try recorder.schema(of: type)
          return recorder.components[SchemaRecorder.name(of: type)]?.properties.map(\.name) ?? []
        }
        #expect(Set(endpoint.operation.path.parameters).isSubset(of: try properties(endpoint)))
      }
    }
  }

  /// A patch whose members are its body, under a condition.
  struct Rename: Endpoint {
    typealias Response = Empty
    static let operation = Operation.patch("/v1/things/{id}{?notify}", "Rename a thing")
    var id: String
    var ifMatch: EntityTag?
    var notify: Bool?
    var name: String?
    var note: Patch<String>
  }

  private func rename(_ body: String, query: String = "", ifMatch: String? = nil) throws(Problem) -> Rename {
    try Rename(path: ["id": "7"], query: query[...], ifMatch: ifMatch, body: Array(body.utf8))
  }

  @Test func membersOfTheBodyNeverStandForPathQueryOrHeader() throws {
    let body = #"{"id":"8","ifMatch":null,"notify":true,"name":"x"}"#
    let request = try rename(body, query: "notify=false", ifMatch: "\"3\"")
    #expect(request.id == "7")
    #expect(request.ifMatch == EntityTag(version: 3))
    #expect(request.notify == false)
    #expect(request.name == "x")
    #expect(try rename(body).notify == nil)
    #expect(try rename(body).ifMatch == nil)
  }

  @Test func anEndpointWithMembersNeedsABody() throws {
    let problem = #expect(throws: Problem.self) { try rename("") }
    #expect(problem?.errors == [.init(location: "body", message: "is required")])
    #expect(try rename("{}").name == nil)
    let request = try Rename(id: "7", note: .keep).wireRequest()
    #expect(request.body == Array("{}".utf8))
    #expect(request.target == "/v1/things/7")
  }

  @Test func membersDistinguishAbsentFromNull() throws {
    #expect(try rename("{}").note == .keep)
    #expect(try rename(#"{"note":null}"#).note == .remove)
    #expect(try rename(#"{"note":"x"}"#).note == .set("x"))
    let wire = try Rename(id: "7", notify: true, note: .remove).wireRequest()
    #expect(wire.body == Array(#"{"note":null}"#.utf8))
    #expect(wire.target == "/v1/things/7?notify=true")
  }
}
