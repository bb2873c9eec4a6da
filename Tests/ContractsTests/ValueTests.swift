import Foundation
import TestKit
import Testing

@testable import Contracts

struct ValueTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00.5Z", 951_825_600_500_000),
    ("2026-03-01T09:05:07.042Z", 1_772_355_907_042_000), ("2026-03-01T10:05:07.042+01:00", 1_772_355_907_042_000),
    ("1969-12-31T23:59:59.999Z", -1000), ("2026-03-01t09:05:07.042999z", 1_772_355_907_042_999),
  ])
  func readsTimes(text: String, microseconds: Int64) {
    #expect(Timestamp(text)?.microseconds == microseconds)
  }

  @Test(arguments: [
    "", "2026-03-01", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T00:00:00",
    "2026-03-01T00:00:00+1:00", "2026-03-01T00:00:00.Z", "2026-03-01 00:00:00Z", "2026-03-01T00:00:00Zx", "x",
  ])
  func refusesTimes(text: String) { #expect(Timestamp(text) == nil) }

  @Test func timesRoundTrip() {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    var generator = SeededGenerator()
    for _ in 0..<2000 {
      let time = Timestamp(microseconds: .random(in: -60_000_000_000...4_102_444_800_000, using: &generator) * 1000)
      #expect(Timestamp(time.description) == time, "\(generator)")
      let date = Date(timeIntervalSince1970: Double(time.microseconds) / 1e6)
      #expect(formatter.string(from: date) == time.description, "\(generator)")
    }
  }

  @Test func idsGrowAndAreVersion7() {
    let stopped = TimeSource { Timestamp(microseconds: 1_700_000_000_000_000) }
    let generator = IDGenerator(time: stopped)
    let ids = (0..<10_000).map { _ in generator.text() }
    #expect(ids == ids.sorted())
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { UUID(uuidString: $0) != nil })
    #expect(ids.allSatisfy { Array($0)[14] == "7" })
    #expect(ids.allSatisfy { "89ab".contains(Array($0)[19]) })
    #expect(ids[0].hasPrefix("018bcfe5-6800"))
  }

  /// Another machine's clock is an hour ahead.
  @Test func anIDFollowsAnyOther() {
    let late = IDGenerator(time: TimeSource { Timestamp(microseconds: 1_700_000_000_000_000) })
    let early = IDGenerator(time: TimeSource { Timestamp(microseconds: 1_700_003_600_000_000) })
    var last: String?
    for _ in 0..<5000 {
      for generator in [early, late] {
        let next = generator.text(after: last)
        #expect(last.map { $0 < next } ?? true)
        last = next
      }
    }
    #expect(late.text(after: "not an id") > last ?? "")
  }

  @Test func idsAcceptAnyCaseAndNothingElse() {
    #expect(UserID("01890A5D-AC96-774B-BCCE-B302099A8057")?.rawValue == "01890a5d-ac96-774b-bcce-b302099a8057")
    for text in [
      "", "01890a5d-ac96-774b-bcce-b302099a805", "01890a5dxac96-774b-bcce-b302099a8057",
      "01890a5d-ac96-774b-bcce-b302099a805g",
    ] {
      #expect(UserID(text) == nil)
    }
  }

  @Test(arguments: ["ada@example.com", "A.da+x@sub.example.co", "x@y.zz"])
  func acceptsEmail(text: String) throws { #expect(try EmailAddress(validating: text).rawValue == text.lowercased()) }

  @Test(arguments: [
    "ada", "@example.com", "ada@", "a@b", "a b@example.com", "a@@example.com", ".a@example.com", "a@-x.com", "a@x..com",
    "a\r\nb@example.com",
  ])
  func refusesEmail(text: String) { #expect(throws: ValueError.self) { try EmailAddress(validating: text) } }

  @Test func passwordsStayHidden() throws {
    let password = try Password(validating: "correct horse")
    #expect("\(password)" == "(hidden)")
    #expect(throws: ValueError.self) { try Password(validating: "short") }
    #expect(throws: ValueError.self) { try Password(validating: String(repeating: "x", count: 129)) }
    #expect(throws: Never.self) { try Password(validating: String(repeating: "漢", count: 128)) }
  }

  struct PatchForm: Codable, Equatable {
    var bio: Patch<Biography>
    var name: DisplayName?
  }

  @Test func patchesDistinguishAbsentFromNull() throws {
    #expect(try WireJSON.decode(PatchForm.self, from: "{}".utf8).bio == .keep)
    #expect(try WireJSON.decode(PatchForm.self, from: #"{"bio":null}"#.utf8).bio == .remove)
    #expect(try WireJSON.decode(PatchForm.self, from: #"{"bio":"x"}"#.utf8).bio == .set(Biography(checked: "x")))
    for form in [PatchForm(bio: .keep), PatchForm(bio: .remove), PatchForm(bio: .set(Biography(checked: "x")))] {
      #expect(try WireJSON.decode(PatchForm.self, from: WireJSON.encode(form)) == form)
    }
  }

  @Test func entityTags() throws {
    #expect(EntityTag(version: 3).rawValue == "\"3\"")
    func allows(_ text: String) -> Bool { EntityTag(rawValue: text).allows(3) }
    #expect(allows("*"))
    #expect(allows("\"2\", \"3\""))
    #expect(allows("\"3.0a1b\""))
    #expect(allows("\"3.0a1b-gzip\""))
    #expect(allows("\"3-gzip\""))
    #expect(!allows("\""))
    #expect(!allows("\"2\""))
    #expect(!allows("\"30.3\""))
    #expect(!allows("3"))
    #expect(!allows("W/\"3\""))
  }

  @Test func entityTagsOfContent() throws {
    let tag = EntityTag(version: 3, digest: "0a1b")
    #expect(tag.rawValue == "\"3.0a1b\"")
    #expect(EntityTag(version: nil, digest: "0a1b").rawValue == "\"0a1b\"")
    #expect(tag.compressed.rawValue == "\"3.0a1b-gzip\"")
    // The tag that the caller knows is repeated, so that its cache finds what it has stored.
    #expect(tag.match(in: "\"x\", \"3.0a1b-gzip\"") == "\"3.0a1b-gzip\"")
    #expect(tag.match(in: "W/\"3.0a1b\"") == "W/\"3.0a1b\"")
    #expect(tag.match(in: "*") == "\"3.0a1b\"")
    // The version alone says nothing of the bytes.
    #expect(tag.match(in: "\"3\"") == nil)
    #expect(tag.match(in: "\"4.0a1b\"") == nil)
  }

  /// Test vectors of the W3C specification and its test suite.
  @Test(arguments: [
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", true),
    ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-will-be-like", true),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x", false),
    ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.x", false),
    ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
    ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false),
    ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01", false),
    ("", false),
  ])
  func traceContext(header: String, isValid: Bool) {
    let trace = TraceContext(traceparent: header)
    #expect((trace != nil) == isValid)
    if let trace {
      #expect(trace.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
      #expect(trace.child().traceID == trace.traceID)
      #expect(trace.child().spanID != trace.spanID)
      #expect(TraceContext(traceparent: trace.child().traceparent) != nil)
    }
  }
}
