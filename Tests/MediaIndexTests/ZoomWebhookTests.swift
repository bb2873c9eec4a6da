import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import MediaIndexService

/// The events of Zoom, true and forged.
@Suite(.serialized)
struct ZoomWebhookTests {
  private static let empty = #"{"event":"meeting.ended","event_ts":1,"payload":{}}"#

  @Test func theURLIsValidated() async throws {
    try await LivestreamHost.run { host async throws in
      let body = #"{"event":"endpoint.url_validation","payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"},"event_ts":1}"#
      let answer = try await host.webhook(body)
      #expect(answer.status == 200)
      // Computed with Python's hmac.
      let receipt = ZoomWebhookReceipt(
        plainToken: "qgg8vlvZRS6UYooatFL8Aw",
        encryptedToken: "6888178e55e7626f94e88a56224baefbb707ceaa8ec37ce09efc6bbf66b89ea8")
      #expect(try WireJSON.decode(ZoomWebhookReceipt.self, from: answer.body) == receipt)
    }
  }

  @Test func forgedSignaturesAreRefused() async throws {
    try await LivestreamHost.run { host async throws in
      let stamp = String(host.now.unixSeconds)
      let signature = LivestreamHost.signature(of: Self.empty, at: stamp)
      #expect(try await host.webhook(Self.empty, stamp: stamp, signature: signature).status == 200)
      let forged = [
        LivestreamHost.signature(of: Self.empty, at: stamp, secret: "other"), signature.uppercased(),
        String(signature.dropLast()), String(signature.dropFirst(3)), "v0=", "",
      ]
      for signature in forged {
        let answer = try await host.webhook(Self.empty, stamp: stamp, signature: signature)
        #expect(try answer.problem?.code == "webhook-invalid", "\(signature)")
      }
      let other = Self.empty.replacing("ended", with: "started")
      #expect(try await host.webhook(other, stamp: stamp, signature: signature).status == 400)
    }
  }

  @Test func oldSignaturesAreRefused() async throws {
    try await LivestreamHost.run { host async throws in
      let now = host.now.unixSeconds
      for (seconds, status) in [(-300, 200), (-301, 400), (300, 200), (301, 400)] {
        let stamp = String(now + Int64(seconds))
        let signature = LivestreamHost.signature(of: Self.empty, at: stamp)
        #expect(try await host.webhook(Self.empty, stamp: stamp, signature: signature).status == status)
      }
      for stamp in ["", "now", "9223372036854775807", "-9223372036854775808", "1e9"] {
        let signature = LivestreamHost.signature(of: Self.empty, at: stamp)
        #expect(try await host.webhook(Self.empty, stamp: stamp, signature: signature).status == 400, "\(stamp)")
      }
    }
  }

  @Test func signedNonsenseIsRefused() async throws {
    try await LivestreamHost.run { host async throws in
      for body in ["{", "[]", #"{"event":1}"#, #"{"event":"endpoint.url_validation"}"#] {
        #expect(try await host.webhook(body).status == 400, "\(body)")
      }
      for body in [
        #"{"event":"user.created"}"#, #"{"event":"meeting.ended","event_ts":1,"payload":{"object":{"id":true}}}"#,
        #"{"event":"meeting.ended","event_ts":9223372036854775807,"payload":{"object":{"id":"1"}}}"#,
      ] {
        #expect(try await host.webhook(body).status == 200, "\(body)")
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aMeetingGoesLiveAndEnds(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let created = try await host.scheduled("Yoga", by: ada)
      let meeting = try #require(try await host.zoom.meetings.first?.id)
      try await host.advance(3600)
      #expect(try await host.report("meeting.started", meeting, at: host.now) == 200)
      #expect(try await host.get(created.id, by: ada).state == .live)
      try await host.advance(1800)
      #expect(try await host.report("meeting.ended", meeting, at: host.now) == 200)
      #expect(try await host.get(created.id, by: ada).state == .ended)
      try await host.work()
      #expect(try await host.zoom.meetings.isEmpty)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func repeatedAndLateReportsHaveNoEffect(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let created = try await host.scheduled("Yoga", by: ada)
      let meeting = try #require(try await host.zoom.meetings.first?.id)
      try await host.advance(4000)
      let (start, end) = (host.now.advanced(bySeconds: -300), host.now)
      for _ in 0..<3 { #expect(try await host.report("meeting.ended", meeting, at: end) == 200) }
      #expect(try await host.report("meeting.started", meeting, at: start) == 200)
      let seen = try await host.get(created.id, by: ada)
      #expect(seen.state == .ended)
      let events = try await host.test.recorded(UserTopicEvent.self, by: MediaAPI.self)
      #expect(events.map(\.name) == ["livestream.scheduled", "livestream.ended"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aRehearsalDoesNotEndIt(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let created = try await host.scheduled("Yoga", by: ada, startsIn: 7200)
      let meeting = try #require(try await host.zoom.meetings.first?.id)
      #expect(try await host.report("meeting.started", meeting, at: host.now) == 200)
      let end = host.now.advanced(bySeconds: 60)
      #expect(try await host.report("meeting.ended", meeting, at: end) == 200)
      #expect(try await host.get(created.id, by: ada).state == .scheduled)
      // The report of the start comes once more, after that of the end.
      #expect(try await host.report("meeting.started", meeting, at: host.now) == 200)
      #expect(try await host.get(created.id, by: ada).state == .scheduled)
    }
  }
}
