import AuthService
import Contracts
import CurlClient
import GatewayService
import HTTPTypes
import TestKit
import Testing

/// Entity tags, 304 and `Cache-Control`, through the gateway.
@Suite(.serialized)
struct ValidatorTests {
  /// Repeated reads of what has not changed have no body, whether the first response was compressed or not.
  @Test(arguments: [("/v1/fitness-levels", false), ("/openapi.json", true)])
  func repeatedReadsAreNotSentAgain(target: String, isLarge: Bool) async throws {
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self]) { _, web in
      func get(_ headers: HTTPFields, _ method: HTTPRequest.Method = .get) async throws -> ClientResponse {
        try await web.http.send(ClientRequest(method, origin: web.url, target: target, headers: headers))
      }
      for acceptsGzip in [false, true] {
        let headers: HTTPFields = acceptsGzip ? [.acceptEncoding: "gzip"] : [:]
        let isCompressed = acceptsGzip && isLarge
        let first = try await get(headers)
        let tag = try #require(first.headers[.eTag])
        #expect(first.headers[.cacheControl] == "public, no-cache")
        #expect(first.headers[.contentEncoding] == (isCompressed ? "gzip" : nil))
        #expect(tag.hasSuffix("-gzip\"") == isCompressed)
        #expect(try await get(headers, .head).headers[.eTag] == tag)
        var known = headers
        known[.ifNoneMatch] = "\"other\", \(tag)"
        let second = try await get(known)
        #expect(second.status == 304)
        #expect(second.headers[.eTag] == tag)
        #expect(second.headers[.cacheControl] == "public, no-cache")
        #expect(try await second.body.collect(upTo: 1) == [])
        known[.ifNoneMatch] = "\"other\""
        #expect(try await get(known).status == 200)
      }
    }
  }

  /// Personal data is not kept by caches; an app that keeps it itself may ask whether it has changed.
  @Test func personalReadsAreNotStored() async throws {
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self]) { _, web in
      let session = try await web.client.signUp("ada")
      let ada = web.client.with(accessToken: session.accessToken)
      func get(_ tag: String? = nil) async throws -> ClientResponse {
        var headers: HTTPFields = [.authorization: "Bearer \(session.accessToken)"]
        headers[.ifNoneMatch] = tag
        return try await web.http.send(ClientRequest(origin: web.url, target: "/v1/users/me", headers: headers))
      }
      let first = try await get()
      #expect(first.headers[.cacheControl] == "no-store")
      let tag = try #require(first.headers[.eTag])
      #expect(try await get(tag).status == 304)
      // The tag of the response also stands for the version.
      let change = try AuthAPI.UpdateMe(
        ifMatch: EntityTag(rawValue: tag), displayName: DisplayName(validating: "Ada King")
      )
      _ = try await ada.send(change)
      let changed = try await get(tag)
      #expect(changed.status == 200)
      #expect(changed.headers[.eTag] != tag)
      let late = try await problem { _ = try await ada.send(change) }
      #expect(late?.is(.versionMismatch) == true)
    }
  }
}
