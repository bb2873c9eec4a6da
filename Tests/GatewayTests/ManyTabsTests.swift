import Contracts
import CurlClient
import TestKit
import Testing

@testable import GatewayService

/// Twenty tabs of a browser, which opens at most six connections to a server over HTTP/1.1.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct ManyTabsTests {
  private static let topics = (0..<20).map { Topic("square", "tab\($0)") }

  /// Over HTTP/2, each tab has a stream, and all streams have one connection.
  @Test func tabsShareAConnection() async throws {
    try await TemporaryFolder.run { folder in
      let tls = try await Certificates.make(in: folder)
      let settings = ["tls.certificate": tls.certificate, "tls.key": tls.key]
      try await TestPlatform.rooms(settings: settings) { test, web in
        let user = try await test.person()
        var configuration = CurlClient.Configuration()
        configuration.authoritiesFile = tls.certificate
        configuration.usesHTTP2 = true
        try await CurlClient.running(configuration) { client in
          let reader = StreamReader(client: client, url: web.url, token: user.token)
          var streams: [OpenedStream] = []
          for topic in Self.topics {
            let (stream, followed) = try await reader.follow([topic])
            #expect(followed.topics == [topic])
            streams.append(stream)
          }
          for topic in Self.topics {
            try await test.events.send(TopicEvent(topic, "moved", ["topic": .string(topic.rawValue)]))
          }
          try await test.events.send(RealtimeEvent(to: user.id, "mark"))
          for (topic, stream) in zip(Self.topics, streams) {
            let events = try await stream.events(until: "mark")
            #expect(events.map(\.name) == ["moved", "mark"])
            #expect(events.first?.data == #"{"topic":"\#(topic)"}"#)
          }
          // A connection is counted when the transfer that opened it ends.
          streams.removeAll()
          try await eventually("the end of the streams") { client.statistics.inFlight == 0 }
          #expect(client.statistics.newConnections == 1)
        }
      }
    }
  }

  /// Over HTTP/1.1, the tabs share one stream, whose topics change as tabs open and close.
  @Test func tabsShareAStream() async throws {
    try await TestPlatform.rooms { test, web in
      let user = try await test.person()
      let reader = StreamReader(client: web.http, url: web.url, token: user.token)
      let (stream, opened) = try await reader.follow([Self.topics[0]])
      for count in 2...Self.topics.count {
        let wanted = Array(Self.topics.prefix(count))
        let answer = try await user.client.send(GatewayAPI.FollowTopics(stream: opened.stream, topics: wanted))
        #expect(answer.topics == wanted)
        try await test.events.send(TopicEvent(wanted[count - 1], "moved", [:]))
      }
      try await test.events.send(RealtimeEvent(to: user.id, "mark"))
      let names = try await stream.events(until: "mark").map(\.name)
      #expect(names == (2...Self.topics.count).flatMap { _ in ["topics", "moved"] } + ["mark"])
    }
  }
}
