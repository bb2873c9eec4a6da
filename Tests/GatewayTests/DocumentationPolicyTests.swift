import AuthService
import Contracts
import Crypto
import CurlClient
import Foundation
import GatewayService
import TestKit
import Testing

/// What browsers may load and run on the page of the API.
@Suite(.serialized)
struct DocumentationPolicyTests {
  @Test("browsers apply the page's own style only, which its policy names by a hash")
  func theStyleIsNamedByItsHash() async throws {
    try await TestPlatform.run([GatewayPlugin.self, AuthPlugin.self]) { test in
      let response = try await test.send(.get, "/docs")
      #expect(response.status == 200)
      let page = String(decoding: response.body, as: UTF8.self)
      let style = try #require(page.firstMatch(of: #/<style>([^<]+)<\/style>/#)?.output.1)
      let hash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
      let policy = try #require(response.header("content-security-policy"))
      #expect(
        policy.split(separator: "; ").map { String($0) } == [
          "default-src 'none'", "style-src 'sha256-\(hash)'", "base-uri 'none'", "form-action 'none'",
          "frame-ancestors 'none'",
        ])
      // What the hash does not cover would be ignored.
      #expect(!page.contains(" style="))
      #expect(!page.contains("<script"))
    }
  }
}
