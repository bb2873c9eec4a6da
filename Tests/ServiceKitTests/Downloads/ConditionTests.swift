import Contracts
import Foundation
import TestKit
import Testing

@testable import HTTPServing
@testable import ServiceKit

/// Conditional requests (RFC 9110 §13) for content with the tag `"text"`, modified at `modified`.
@Suite(.timeLimit(.minutes(60)))
struct ConditionTests {
  private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
  private static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
  private static let after = "Mon, 07 Nov 1994 08:49:37 GMT"

  private static let single: [([String], Int)] = [
    (["If-None-Match: \"text\""], 304), (["If-None-Match: W/\"text\""], 304), (["If-None-Match: *"], 304),
    (["If-None-Match: \"a\", \"text\""], 304), (["If-None-Match: \"a,b\",W/\"text\""], 304),
    (["If-None-Match: \"other\""], 200), (["If-None-Match: text"], 200), (["If-None-Match: \"tex\""], 200),
    (["If-None-Match: \"TEXT\""], 200), (["If-None-Match: \"text"], 200),
    (["If-Match: \"text\""], 200), (["If-Match: *"], 200), (["If-Match: \"a\", \"text\""], 200),
    (["If-Match: \"other\""], 412), (["If-Match: W/\"text\""], 412), (["If-Match: text"], 412),
    (["If-Modified-Since: \(modified)"], 304), (["If-Modified-Since: \(after)"], 304),
    (["If-Modified-Since: \(before)"], 200), (["If-Modified-Since: yesterday"], 200),
    (["If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT"], 304),
    (["If-Modified-Since: Sun Nov  6 08:49:37 1994"], 304),
    (["If-Unmodified-Since: \(modified)"], 200), (["If-Unmodified-Since: \(after)"], 200),
    (["If-Unmodified-Since: \(before)"], 412), (["If-Unmodified-Since: tomorrow"], 200),
  ]

  /// In the order of RFC 9110 §13.2.2.
  private static let together: [([String], Int)] = [
    (["If-None-Match: \"other\"", "If-Modified-Since: \(after)"], 200),
    (["If-None-Match: \"text\"", "If-Modified-Since: \(before)"], 304),
    (["If-Match: \"text\"", "If-Unmodified-Since: \(before)"], 200),
    (["If-Match: \"other\"", "If-None-Match: \"text\""], 412),
    (["If-Match: \"text\"", "If-None-Match: \"text\""], 304),
    (["If-Unmodified-Since: \(before)", "If-None-Match: \"text\""], 412),
    (["If-Unmodified-Since: \(after)", "If-Modified-Since: \(after)"], 304),
    (["If-None-Match: \"text\"", "Range: bytes=0-0"], 304), (["If-Match: \"other\"", "Range: bytes=0-0"], 412),
    (["If-Match: \"text\"", "Range: bytes=0-0"], 206), (["If-None-Match: \"other\"", "Range: bytes=0-0"], 206),
    (["If-None-Match: \"text\"", "Range: bytes=9-"], 304), (["If-None-Match: \"other\"", "Range: bytes=9-"], 416),
  ]

  private static let ranges: [([String], Int)] = [
    (["Range: bytes=0-0", "If-Range: \"text\""], 206), (["Range: bytes=0-0", "If-Range: \"other\""], 200),
    (["Range: bytes=0-0", "If-Range: W/\"text\""], 200), (["Range: bytes=0-0", "If-Range: text"], 200),
    (["Range: bytes=0-0", "If-Range: *"], 200), (["Range: bytes=0-0", "If-Range: \"a\", \"text\""], 200),
    (["Range: bytes=0-0", "If-Range: \(modified)"], 206), (["Range: bytes=0-0", "If-Range: \(after)"], 200),
    (["Range: bytes=0-0", "If-Range: \(before)"], 200), (["Range: bytes=9-", "If-Range: \"other\""], 200),
    (["Range: bytes=+9", "If-Range: \"other\""], 200), (["Range: bytes=9-", "If-Range: \"text\""], 416),
    (["If-Range: \"text\""], 200), (["If-Range: \"other\""], 200),
  ]

  @Test(arguments: ["GET", "HEAD"])
  func conditionsDecide(method: String) async throws {
    try await DownloadServer.run(["text": .text("abcde")]) { server async throws in
      for (headers, status) in Self.single + Self.together + Self.ranges {
        let response = try await server.send("text", headers, method: method)
        // HEAD has no ranges.
        let expected = method == "HEAD" && [206, 416].contains(status) ? 200 : status
        #expect(response.status == expected, "\(headers)")
        #expect(response.headers["etag"] == (expected < 400 ? "\"text\"" : nil), "\(headers)")
      }
    }
  }

  @Test func notModifiedHasNoBodyAndNothingAboutOne() async throws {
    try await DownloadServer.run(["text": .text("abcde")]) { server async throws in
      let response = try await server.send("text", ["If-None-Match: \"text\""])
      #expect(response.body == "")
      #expect(
        Set(response.headers.keys) == [
          "etag", "last-modified", "cache-control", "content-security-policy", "x-content-type-options", "date",
          "x-request-id", "connection",
        ])
    }
  }

  @Test func withoutADateThereAreConditionsByTagOnly() async throws {
    var content = StoredContent.text("abcde")
    content.modifiedAt = nil
    try await DownloadServer.run(["text": content]) { server async throws in
      for header in ["If-Modified-Since", "If-Unmodified-Since"] {
        #expect(try await server.send("text", ["\(header): \(Self.after)"]).status == 200)
      }
      let response = try await server.send("text", ["Range: bytes=0-0", "If-Range: \(Self.modified)"])
      #expect(response.status == 200)
      #expect(response.headers["last-modified"] == nil)
    }
  }

  // MARK: other headers

  @Test func contentOfUsersHasNoRights() async throws {
    var content = StoredContent.text("<script>alert(1)</script>")
    content.mediaType = "text/html"
    content.variesBy = ["Accept", "Width"]
    try await DownloadServer.run(["page": content]) { server async throws in
      for headers in [[], ["Range: bytes=0-1"], ["If-None-Match: *"]] {
        let response = try await server.send("page", headers)
        #expect(response.headers["x-content-type-options"] == "nosniff")
        #expect(response.headers["content-security-policy"]?.hasSuffix("; sandbox") == true)
        #expect(response.headers["vary"] == "Accept, Width")
      }
    }
  }

  private static let cachings: [(StoredContent.Caching, String)] = [
    (.everyone(), "public, no-cache, no-transform"), (.everyone(seconds: 60), "public, max-age=60, no-transform"),
    (.caller(), "private, no-cache, no-transform"), (.caller(seconds: 9), "private, max-age=9, no-transform"),
    (.nowhere, "no-store, no-transform"),
  ]

  @Test func cachesLearnWhatTheyMayDo() async throws {
    for (caching, expected) in Self.cachings {
      var content = StoredContent.text("abcde")
      content.caching = caching
      try await DownloadServer.run(["text": content]) { server async throws in
        #expect(try await server.send("text").headers["cache-control"] == expected)
      }
    }
  }

  private static let dispositions: [(StoredContent.Disposition, String)] = [
    (.inline(), "inline"),
    (.inline(name: "a.png"), "inline; filename=\"a.png\"; filename*=UTF-8''a.png"),
    (
      .attachment(name: "a\"b\r\nX: y.txt"),
      "attachment; filename=\"a_b__X_ y.txt\"; filename*=UTF-8''a%22b%0D%0AX%3A%20y.txt"
    ),
    (.attachment(name: "für.txt"), "attachment; filename=\"f_r.txt\"; filename*=UTF-8''f%C3%BCr.txt"),
  ]

  @Test func namesCannotBreakOutOfTheirHeader() async throws {
    for (disposition, expected) in Self.dispositions {
      var content = StoredContent.text("abcde")
      content.disposition = disposition
      try await DownloadServer.run(["text": content]) { server async throws in
        #expect(try await server.send("text").headers["content-disposition"] == expected)
      }
    }
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func theThreeFormsOfDatesAreRead(text: String) {
    #expect(HTTPDate.parse(text) == Timestamp(microseconds: 784_111_777_000_000))
  }

  @Test(arguments: [
    "", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
    "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
    "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
  ])
  func otherDatesAreNone(text: String) { #expect(HTTPDate.parse(text) == nil) }
}
