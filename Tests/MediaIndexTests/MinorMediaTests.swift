import Contracts
import Foundation
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// Minors without a guardian's consent show media to no one (SD17).
@Suite(.serialized)
struct MinorMediaTests {
  @Test func minorsShowMediaToNoOne() async throws {
    try await LivestreamHost.run(withZoom: false) { host async throws in
      let session = try await host.test.client.signUp("max")
      var patch = ProfilePatch()
      patch.birthday = .set(try #require(CalendarDate("2012-06-01")))
      _ = try await host.test.client.with(accessToken: session.accessToken).send(AuthAPI.UpdateMe(details: patch))
      let renewed = try await host.test.client.send(AuthAPI.Refresh(refreshToken: session.refreshToken))
      let max = TestUser(renewed, host.test.client)
      let stream = try await problem {
        _ = try await host.create("Yoga", by: max, link: "https://example.com/live")
      }
      #expect(stream?.code == "guardian-consent-required")

      func upload(_ visibility: String) async throws -> WireResponse {
        let metadata = "visibility \(Data(visibility.utf8).base64EncodedString())"
        return try await host.test.send(
          .post, "/v1/uploads",
          headers: [
            ("tus-resumable", "1.0.0"), ("upload-length", "10"), ("upload-metadata", metadata),
          ].map { (name: $0.0, value: $0.1) }, by: max)
      }
      for visibility in ["everyone", "connections"] {
        let refused = try await upload(visibility)
        #expect(try refused.problem?.code == "guardian-consent-required", "\(visibility)")
      }
      #expect(try await upload("owner").status == 201)
    }
  }
}
