import Contracts
import Observability
import TestKit
import Testing

@testable import GatewayService
@testable import HTTPServing
@testable import ServiceKit

/// Routes found in bytes are those that the usual table finds.
struct ByteRouteTests {
  private static let operations: [Contracts.Operation] = [
    .get("/v1/listings", "a", access: .anyone), .post("/v1/listings", "b", access: .anyone),
    .get("/v1/listings/{id}", "c", access: .anyone), .get("/v1/listings/mine", "d", access: .anyone),
    .delete("/v1/listings/{id}/photos/{photo}", "e", access: .anyone),
    .get("/v1/listings/mine/drafts", "f", access: .anyone), .get("/v1/{kind}/{id}/pages", "g", access: .anyone),
  ]

  @Test(arguments: [
    "/v1/listings", "/v1/listings/", "/v1/listings/7", "/v1/listings/mine", "/v1/listings/mine/drafts",
    "/v1/listings/mine/other", "/v1/listings/7/photos/8", "/v1/listings//photos/8", "/v1/orders/7/pages",
    "/v1/listings/mine/pages", "/v1", "/", "/v2/listings", "/v1/listings/.", "/v1/listings/..", "/v1/listings/...",
    "/v1/Listings", "/v1/listings/7/photos/8/", "/V1/listings",
  ])
  func agreesWithTheUsualTable(path: String) {
    let upstream = Instances(["http://127.0.0.1:1"]) { 0 }
    let metrics = RouteMetrics(Metrics(), service: "test", method: "", route: "")
    let routes = ByteRoutes(
      Self.operations.map {
        ByteRoutes.Route(PublicOperation($0), service: "test", instances: upstream, metrics: metrics)
      })
    let usual = RouteTable(Self.operations.map { ($0.method.rawValue, $0.path, $0.path.description) })
    for method in [RequestHead.Method.get, .post, .delete, .put] {
      let found = Array(path.utf8).withUnsafeBytes { routes.find(method, $0, 0..<$0.count) }
      let expected: String? =
        if case .route(let path, _) = usual.match(method: method.rawValue, path: path[...]) { path } else { nil }
      #expect(found?.operation.path == expected, "\(method) \(path)")
    }
  }
}
