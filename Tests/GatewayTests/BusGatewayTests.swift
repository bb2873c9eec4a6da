import Contracts
import ServiceKit
import TestKit
import Testing

@testable import AuthService
@testable import GatewayService

/// Services and two gateways that send events and signals by NATS.
@Suite(.serialized)
struct BusGatewayTests {
  private static let square = Topic("square", "main")

  @Test("events and signals of a service reach the streams of both gateways, also after NATS was killed")
  func twoGateways() async throws {
    try await withNATS { nats async throws in
      try await run(["bus.url": nats.url]) { rooms, gateways async throws in
        let session = try await gateways[0].test.guest()
        var streams: [OpenedStream] = []
        for gateway in gateways {
          let reader = StreamReader(client: gateway.web.http, url: gateway.web.url, token: session.accessToken)
          let (stream, opened) = try await reader.follow([Self.square])
          #expect(opened.topics == [Self.square])
          streams.append(stream)
        }
        for number in 1...10 {
          try await rooms.record(TopicEvent(Self.square, "number.\(number)", [:]))
          for stream in streams { #expect(try await stream.next().name == "number.\(number)") }
        }
        await nats.kill()
        try await rooms.record(TopicEvent(Self.square, "meanwhile", [:]))
        try nats.start()
        for stream in streams { #expect(try await stream.next().name == "meanwhile") }
        // A signal that is sent before a gateway listens again is lost.
        let sender: UserID = gateways[0].test.ids.make()
        let waving = Task {
          while !Task.isCancelled {
            await rooms.signals.send(Self.square, "waving", [:], from: sender)
            try await Task.sleep(for: .seconds(0.1))
          }
        }
        for stream in streams { #expect(try await stream.next().name == "waving") }
        waving.cancel()
      }
    }
  }

  /// Each service has a host of its own.
  private func run(
    _ settings: [String: String],
    _ body: (_ rooms: RoomsPlugin, _ gateways: [TwoGateways]) async throws -> Void
  ) async throws {
    try await TestDatabase.postgresql.withSettings { database in
      var all = database.merging(["limits.read": "0/1"]) { $1 }.merging(settings) { $1 }
      try await TestPlatform.listen([AuthPlugin.self], settings: all) { _, auth in
        all["services.auth.url"] = auth.url
        try await TestPlatform.listen([RoomsPlugin.self], settings: all) { test, web in
          all["services.rooms.url"] = web.url
          let rooms = try #require(test.platform.plugin(RoomsPlugin.self))
          try await TestPlatform.listen([GatewayPlugin.self], settings: all) { first, firstWeb in
            try await TestPlatform.listen([GatewayPlugin.self], settings: all) { second, secondWeb in
              for gateway in [first, second] { try await gateway.client.waitForServices() }
              try await body(
                rooms, [TwoGateways(test: first, web: firstWeb), TwoGateways(test: second, web: secondWeb)])
            }
          }
        }
      }
    }
  }
}
