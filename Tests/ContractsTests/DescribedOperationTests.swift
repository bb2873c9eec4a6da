import Contracts
import Testing

/// The documents describe what operations do.
struct DescribedOperationTests {
  /// The media types of an operation's responses by status; empty for a response without content.
  private func responses(
    of api: any ServiceAPI.Type, _ method: String, _ path: String
  ) throws -> [String: [String]] {
    let document = try OpenAPIDocument.make(api)
    let responses = try #require(document["paths"]?[path]?[method]?["responses"])
    return Dictionary(
      responses.members.map { ($0.name, $0.value["content"]?.members.map(\.name) ?? []) }, uniquingKeysWith: { $1 })
  }

  @Test func pagesOfLinksThatLeadNowhereArePages() throws {
    let responses = try responses(of: GatewayAPI.self, "get", "/s/{kind}/{id}")
    #expect(responses["200"] == ["text/html"])
    #expect(responses["304"] == [])
    #expect(responses["404"] == ["text/html"])
    #expect(responses["503"] == ["text/html"])
    #expect(responses["default"] == ["application/problem+json"])
  }

  @Test func whatHasNoContentIsDescribedWithout() throws {
    #expect(try responses(of: GatewayAPI.self, "get", "/")["304"] == [])
    let creation = try responses(of: MediaAPI.self, "post", "/v1/uploads")
    #expect(creation["201"] == [])
    #expect(creation["204"] == [])
    let overridden = try responses(of: MediaAPI.self, "post", "/v1/uploads/{id}")
    #expect(overridden["200"] == [])
    #expect(overridden["204"] == [])
  }

  @Test(arguments: [("post", "/v1/uploads"), ("post", "/v1/uploads/{id}"), ("patch", "/v1/uploads/{id}")])
  func uploadsReportRefusedTypes(_ method: String, _ path: String) throws {
    let document = try OpenAPIDocument.make(MediaAPI.self)
    let refusal = try #require(document["paths"]?[path]?[method]?["responses"]?["415"]?["description"]?.string)
    #expect(refusal == "Problem: media-type-unsupported, upload-content-type")
  }

  @Test func keysOfRepeatedRequestsAreDescribed() throws {
    let operation = try OpenAPIDocument.make(OrdersAPI.self)["paths"]?["/v1/payouts"]?["post"]
    let parameters = try #require(operation?["parameters"]?.elements)
    let key = try #require(parameters.first { $0["name"]?.string == "Idempotency-Key" })
    let pattern = try Regex(try #require(key["schema"]?["pattern"]?.string))
    let long = String(repeating: "x", count: 255)
    for good in ["a", "\"a\"", long, "\"\(long)\""] { #expect(good.contains(pattern), "\(good)") }
    for bad in ["", "\"\"", "a b", "\"a", "a\\b", "é", long + "x"] { #expect(!bad.contains(pattern), "\(bad)") }
  }

  @Test func pricesAreNotNegative() throws {
    let schemas = try OpenAPIDocument.make(OrdersAPI.self)["components"]?["schemas"]
    let amount = try #require(schemas?["Price"]?["properties"]?["amount"])
    #expect(amount == ["type": "integer", "minimum": 0, "maximum": .integer(Price.limit)])
    for text in [#"{"amount":-1,"currency":"USD"}"#, #"{"amount":1000000000001,"currency":"USD"}"#] {
      let problem = #expect(throws: Problem.self) { try WireJSON.decode(Price.self, from: Array(text.utf8)) }
      #expect(problem?.errors?.first?.location == "body.amount")
    }
    let free = try WireJSON.decode(Price.self, from: Array(#"{"amount":0,"currency":"USD"}"#.utf8))
    #expect(free.money == Money(0, .usd))
  }

  @Test func schoolsGiveTheRolesThatAreDescribed() throws {
    let schemas = try OpenAPIDocument.make(AuthAPI.self)["components"]?["schemas"]
    let role = try #require(schemas?["AuthAPI.UpdateSchoolMember.Body"]?["properties"]?["role"])
    #expect(role["enum"] == ["student", "instructor"])
  }

  @Test func nullForAnOptionalMemberIsItsAbsence() throws {
    let info = try OpenAPIDocument.make(OrdersAPI.self)["info"]
    #expect(info?["description"]?.string?.contains("null for a member that is not required") == true)
    let path = ["id": "0190a1b2-0000-7000-8000-000000000001"]
    for body in ["{}", #"{"lines":null}"#, #"{"lines":null,"reason":null}"#] {
      let call = try OrdersAPI.CancelOrder(path: path, query: "", ifMatch: nil, body: Array(body.utf8))
      #expect(call.lines == nil)
      #expect(call.reason == nil)
    }
  }
}
