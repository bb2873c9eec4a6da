import AuthService
import Contracts
import Foundation
import GatewayService
import TestKit
import Testing
import WebClient

/// How the pages of the API are sent, and what browsers may load and run on them.
@Suite(.serialized)
struct DocumentationPolicyTests {
  private static let pages = ["/docs", "/docs/auth", "/problems", "/problems/too-many-requests"]

  @Test func pagesRunNothingButTheFilesOfTheClient() async throws {
    try await TestPlatform.run([GatewayPlugin.self, AuthPlugin.self]) { test in
      for path in Self.pages {
        let response = try await test.send(.get, path)
        #expect(response.status == 200, "\(path)")
        #expect(response.header("content-type") == "text/html; charset=utf-8")
        let policy = try #require(response.header("content-security-policy"))
        #expect(
          policy.split(separator: "; ").map { String($0) } == [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
            "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
            "trusted-types 'none'",
          ])
        let page = String(decoding: response.body, as: UTF8.self)
        for inline in [" style=", "<style", "<script>", " onclick=", "javascript:"] {
          #expect(!page.contains(inline), "\(inline) on \(path)")
        }
      }
    }
  }

  @Test func pagesAreSentOnce() async throws {
    try await TestPlatform.run([GatewayPlugin.self, AuthPlugin.self]) { test in
      for path in Self.pages {
        let first = try await test.send(.get, path)
        #expect(first.header("cache-control") == "public, no-cache")
        let tag = try #require(first.header("etag"))
        let second = try await test.send(.get, path, headers: [("if-none-match", tag)])
        #expect(second.status == 304, "\(path)")
        #expect(second.body.isEmpty)
      }
    }
  }

  @Test(arguments: ["/docs/nothing", "/problems/nothing", "/problems/%3Cscript%3E"])
  func whatIsNotThereIsNotFound(_ path: String) async throws {
    try await TestPlatform.run([GatewayPlugin.self, AuthPlugin.self]) { test in
      let response = try await test.send(.get, path)
      #expect(response.status == 404)
      #expect(response.header("content-type") == "application/problem+json")
    }
  }

  /// The files that the pages name are in the folder of the client, under these paths.
  @Test func theFilesAreThere() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Services/Web/Client").standardized.path
    let client = try WebClient.load(root)
    for name in ["icon.svg", "docs/style.css", "docs/main.js", "docs/search.js", "docs/try.js", "docs/copy.js"] {
      guard case .file = client.find("/assets/\(client.build)/\(name)") else {
        Issue.record("\(name) is not served")
        continue
      }
    }
  }
}
