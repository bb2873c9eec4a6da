import Contracts
import Testing

/// What the documents tell about routes whose responses are not values of the contract.
struct RawRouteTests {
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
    #expect(try responses(of: GatewayAPI.self, "get", "/")["302"] == [])
    let creation = try responses(of: MediaAPI.self, "post", "/v1/uploads")
    #expect(creation["201"] == [])
    #expect(creation["204"] == [])
    let overridden = try responses(of: MediaAPI.self, "post", "/v1/uploads/{id}")
    #expect(overridden["200"] == [])
    #expect(overridden["204"] == [])
  }

  @Test(arguments: [("post", "/v1/uploads"), ("post", "/v1/uploads/{id}"), ("patch", "/v1/uploads/{id}")])
  func uploadsTellOfRefusedTypes(_ method: String, _ path: String) throws {
    let document = try OpenAPIDocument.make(MediaAPI.self)
    let refusal = try #require(document["paths"]?[path]?[method]?["responses"]?["415"]?["description"]?.string)
    #expect(refusal == "Problem: media-type-unsupported, upload-content-type")
  }
}
