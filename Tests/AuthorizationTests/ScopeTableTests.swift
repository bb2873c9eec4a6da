import Contracts
import ServiceKit
import TestKit
import Testing

/// The table of apps and scopes, and that nothing is outside it.
struct ScopeTableTests {
  private static let operations = MatrixPlatform.apis.flatMap { $0.operations }

  @Test func everyOperationThatReadsATokenNamesOneScope() {
    for operation in Self.operations {
      #expect((operation.scope != nil) == operation.access.readsToken, "\(operation.path)")
    }
    let resources = Scope.allCases.flatMap(\.resources)
    #expect(Set(resources).count == resources.count)
    let topics = Scope.allCases.flatMap(\.topics)
    #expect(Set(topics).count == topics.count)
  }

  /// A resource that no operation has is a mistake in the table.
  @Test func everyResourceOfTheTableExists() {
    let paths = Set(Self.operations.map { $0.path.description.split(separator: "/").dropFirst().first ?? "" })
    for resource in Scope.allCases.flatMap(\.resources) { #expect(paths.contains(resource[...]), "\(resource)") }
  }

  @Test func appsHaveTheScopesOfTheirOwnFeatures() {
    #expect(Set(ClientApp.web.scopes) == Set(Scope.allCases))
    for app in ClientApp.allCases {
      #expect(Set(app.scopes).count == app.scopes.count)
      #expect(app.scopes.contains(.account))
      #expect(app.scopes.contains(.administration) == (app == .web))
    }
    // Scopes that only one app has.
    let owners: [Scope: ClientApp] = [
      .listings: .archived, .auctions: .archived, .licenses: .archived, .sales: .archived, .connections: .archived,
      .follows: .keepfit, .exercises: .keepfit, .workouts: .keepfit, .livestreams: .keepfit, .posts: .yesenia,
      .newsletter: .yesenia, .roommates: .roomi, .study: .letustudy, .quizzes: .letustudy, .courses: .letustudy,
      .plans: .letustudy,
    ]
    for (scope, owner) in owners {
      let apps = ClientApp.allCases.filter { $0.scopes.contains(scope) && $0 != .web }
      #expect(apps == [owner], "\(scope)")
    }
    #expect(Set(ClientApp.allCases.filter { $0.scopes.contains(.cart) }) == [.archived, .yesenia, .web])
  }

  /// The documentation for an app's author: the scope of each operation, and the table.
  @Test func theDocumentationNamesTheScopes() async throws {
    let document = try OpenAPIDocument.make(OrdersAPI.self)
    let item = document["paths"]?["/v1/cart/items"]?["post"]
    #expect(item?["security"] == [["bearer": ["cart"]]])
    let refund = document["paths"]?["/v1/orders/{id}/refunds"]?["post"]
    #expect(refund?["security"] == [["bearer": ["administration"]]])
    let posts = try OpenAPIDocument.make(CatalogAPI.self)["paths"]?["/v1/posts"]?["get"]
    #expect(posts?["security"] == [[:], ["bearer": ["posts"]]])
    try await MatrixPlatform.run { matrix in
      let page = String(decoding: try await matrix.test.send(.get, "/docs").body, as: UTF8.self)
      #expect(page.contains("<h2 id=\"scopes\">"))
      for scope in Scope.allCases { #expect(page.contains("<td><code>\(scope.rawValue)</code></td>"), "\(scope)") }
    }
  }

  /// A service whose author forgets the scope does not start, instead of being open to every app.
  @Test func aServiceWithoutScopesDoesNotStart() async throws {
    let refused = await #expect(throws: SettingError.self) {
      try await TestPlatform.run([ForgetfulPlugin.self], settings: ["services.auth.url": "http://127.0.0.1:1"]) { _ in }
    }
    #expect(
      refused?.description == "forgetful is not complete: GET /v1/forgotten needs a token, but names no scope")
  }
}

private struct ForgetfulPlugin: ServicePlugin, Feature {
  enum API: ServiceAPI {
    static let name = "forgetful"
    static let summary = "Names no scope"
    static let endpoints: [any Endpoint.Type] = [GetForgotten.self]

    struct GetForgotten: Endpoint {
      static let operation = Operation.get("/v1/forgotten", "Get what was forgotten", success: 204)
    }
  }

  static let manifest = Manifest(name: API.name, api: API.self)

  init(environment: ServiceEnvironment) {}

  func register(in routes: inout Routes) { routes.on(API.GetForgotten.self) { _, _ in } }
}
