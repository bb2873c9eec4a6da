import Contracts
import Foundation
import Testing

@testable import GatewayService

/// The pages of the API, made from the contracts of all services.
@Suite
struct DocumentationTests {
  static let apis: [any ServiceAPI.Type] = [
    AuthAPI.self, CatalogAPI.self, OrdersAPI.self, MatchingAPI.self, StudyAPI.self, MediaAPI.self, GatewayAPI.self,
  ]
  private static let reference = Result { Reference(try apis.map { try ServiceDescription(of: $0) }) }

  /// The pages of the overview, of the services and of the list of problems, by path.
  private func pages(_ reference: Reference) -> [String: String] {
    let shell = ReferencePage(reference: reference, assets: "/assets/1")
    var pages = [
      "/docs": shell.page("Overview", OverviewPage(reference: reference, publicURL: "http://a").content),
      "/problems": shell.page("Problems", ProblemPages(reference: reference).list),
    ]
    for service in reference.services {
      let page = ServicePage(reference: reference, service: service, publicURL: "http://a")
      pages["/docs/\(service.name)"] = shell.page(service.name, section: service.name, page.content)
    }
    return pages
  }

  /// The quoted values of each occurrence of an attribute.
  private func values(of attribute: String, in html: String) -> [String] {
    html.components(separatedBy: " \(attribute)=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
  }

  @Test func everyOperationIsInTheNavigationAndOnAPage() throws {
    let pages = pages(try Self.reference.get())
    let links = Set(values(of: "href", in: try #require(pages["/docs"])))
    for api in Self.apis {
      let anchors = values(of: "id", in: try #require(pages["/docs/\(api.name)"]))
      #expect(Set(anchors).count == anchors.count, "\(api.name) has an anchor twice")
      let operations =
        api.endpoints.map { $0.operation }.filter { !$0.access.isForServices } + api.rawRoutes.map(\.operation)
      for operation in operations {
        let anchor = Reference.slug("\(operation.method.rawValue) \(operation.path)")
        #expect(links.contains("/docs/\(api.name)#\(anchor)"), "\(operation.method) \(operation.path)")
        #expect(anchors.contains(anchor), "\(operation.method) \(operation.path)")
      }
    }
  }

  @Test func everyLinkLeadsSomewhere() throws {
    let reference = try Self.reference.get()
    let pages = pages(reference)
    let anchors = pages.mapValues { Set(values(of: "id", in: $0)) }
    let others = Set(reference.problems.map { "/problems/\($0.code)" } + ["/openapi.json"])
    for (path, html) in pages {
      for link in Set(values(of: "href", in: html)) where !link.hasPrefix("/assets/") {
        let parts = link.split(separator: "#", omittingEmptySubsequences: false).map { String($0) }
        let target = parts[0].isEmpty ? path : parts[0]
        if others.contains(target) { continue }
        let known = try #require(anchors[target], "\(link) on \(path)")
        if parts.count > 1 { #expect(known.contains(parts[1]), "\(link) on \(path)") }
      }
    }
  }

  @Test func everyProblemIsExplainedAtItsType() throws {
    let reference = try Self.reference.get()
    let pages = ProblemPages(reference: reference)
    var kinds = Problem.Kind.general
    for operation in Self.apis.flatMap({ $0.operations }) where !operation.access.isForServices {
      kinds.formUnion(operation.problems)
    }
    #expect(kinds.count == Set(kinds.map(\.code)).count, "A code stands for one kind of problem.")
    for kind in kinds {
      #expect(Problem(kind).type == "/problems/\(kind.code)")
      let page = try #require(pages.explanation(of: kind.code), "\(kind.code)").content.text
      for sentence in [kind.meaning, kind.remedy] {
        let text: HTML = "<p>\(prose: sentence)</p>"
        #expect(page.contains(text.text), "\(kind.code)")
      }
    }
    #expect(pages.explanation(of: "no-such-problem") == nil)
    let changed = try #require(pages.explanation(of: "price-changed")).content.text
    #expect(changed.contains("href=\"/docs/orders#post-v1-cart-checkout\""))
    #expect(!changed.contains("Every operation may answer it."))
    let busy = try #require(pages.explanation(of: "too-many-requests")).content.text
    #expect(busy.contains("Every operation may answer it."))
  }

  /// The rights and limits of an operation are shown with it.
  @Test func rightsAndLimitsAreShown() throws {
    let reference = try Self.reference.get()
    let section = OperationSection(values: ExampleValues(schemas: reference.schemas), publicURL: "http://a")
    func text(_ method: String, _ path: String) throws -> String {
      let all = reference.services.flatMap(\.operations)
      return section.html(try #require(all.first { $0.method == method && $0.path == path })).text
    }
    let refund = try text("POST", "/v1/orders/{id}/refunds")
    #expect(refund.contains("Token required, scope <a href=\"/docs#scopes\"><code>administration</code></a>"))
    #expect(refund.contains("<li>Role owner or administrator</li>"))
    let item = try text("POST", "/v1/cart/items")
    #expect(item.contains("May be repeated with an <code>Idempotency-Key</code>"))
    #expect(item.contains("Body up to 64 KiB"))
    #expect(item.contains("Exactly one of: productID; listingID and license."))
    #expect(try text("GET", "/livez").contains("No token needed"))
  }

  /// A description comes from a service, whose texts are texts.
  @Test func textsOfDescriptionsAreNoMarkup() throws {
    let hostile = "<script>alert(1)</script>\" onload=\"x' & `<b>`"
    let word = String(decoding: try WireJSON.encode(hostile), as: UTF8.self).dropFirst().dropLast()
    let document = try WireJSON.decode(
      JSONValue.self,
      from: """
        {"tags": [{"name": "evil", "description": "?"}],
        "paths": {"/v1/?": {"get": {
          "summary": "?", "tags": ["evil"], "security": [{"bearer": ["?"]}],
          "parameters": [{"name": "?", "in": "?", "required": true, "schema": {"pattern": "?"}}],
          "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/<T>"}}}},
          "responses": {
            "200": {"description": "?", "content": {"application/json": {"schema": {"enum": ["?"]}}}},
            "204": {"description": "?"},
            "409": {"content": {"application/problem+json": {"examples": {"?": {}}}}}
          }}}},
        "components": {
          "schemas": {"<T>": {"properties": {"?": {"type": "?"}}}},
          "examples": {"?": {"summary": "?", "description": "?"}}}}
        """.replacing("?", with: word).utf8)
    let reference = Reference([ServiceDescription(name: "evil", operations: [], events: [], openAPI: document)])
    var all = Array(pages(reference).values)
    all.append(try #require(ProblemPages(reference: reference).explanation(of: hostile)).content.text)
    for page in all {
      #expect(page.contains("alert(1)"))
      for markup in ["<script>", "<b>`", "<T>", "\" onload", "x' &"] { #expect(!page.contains(markup), "\(markup)") }
    }
  }
}
