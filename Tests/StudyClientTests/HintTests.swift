import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import StudyClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Two devices at a listening platform, over URLSession as on iOS.
@Suite(.serialized)
struct HintTests {
  @Test func anotherDeviceHasAnEditWithinMilliseconds() async throws {
    try await TestPlatform.listen(ClientHost.plugins, settings: ClientHost.unlimited) { test, web async throws in
      let host = try ClientHost(test)
      let ada = try await host.user(time: .system)
      let token = [(name: "authorization", value: "Bearer \(ada.token)")]
      let client = APIClient(transport: URLSessionTransport(origin: web.url)) { token }
      let phone = try host.open(host.newFile(), of: ada, transport: client, time: .system)
      let tablet = try host.open(host.newFile(), of: ada, transport: client, time: .system)
      let set = try await phone.addSet(title: "0")
      try await phone.sync()

      let stream = URLSessionStream(origin: web.url) { token }
      let hints = EventStreamHints(user: ada.id, device: tablet.device) { try await stream.open($0) }
      let changes = tablet.changes
      // Only so that lost hints fail the test and do not let it wait forever.
      var schedule = SyncSchedule()
      schedule.interval = 120
      let loop = Task { [schedule] in await tablet.run(hints: hints, schedule: schedule) }
      try await attempt {
        try await eventually("the tablet has the set") { try await tablet.set(set) != nil }
        // The stream is open when a hint has arrived.
        var texts: Set<String> = []
        try await eventually("a hint arrives") {
          let text = UUID().uuidString
          texts.insert(text)
          try await phone.editSet(set, description: text)
          try await phone.sync()
          try await Task.sleep(for: .seconds(0.3))
          let received = try await tablet.set(set)?.description ?? ""
          return texts.contains(received)
        }
        var delays: [Duration] = []
        for number in 1...10 {
          try await phone.editSet(set, title: "\(number)")
          try await phone.sync()
          let sent = ContinuousClock.now
          for await _ in changes where try await tablet.set(set)?.title == "\(number)" { break }
          delays.append(ContinuousClock.now - sent)
        }
        print("from one device to the other: \(delays.sorted().map { $0.formatted(.units(allowed: [.milliseconds])) })")
        // The requirement is 200 ms; a busy machine may take much longer, but no whole interval.
        #expect(delays.sorted()[5] < .seconds(60))
      } finally: {
        // URLSession of Linux can hang when a request is canceled at the moment it ends; afterwards, none is under way.
        _ = try? await tablet.sync()
        loop.cancel()
        await loop.value
      }
    }
  }

  @Test func aStreamThatIsRefusedFails() async throws {
    try await TestPlatform.listen(ClientHost.plugins, settings: ClientHost.unlimited) { _, web async throws in
      let stream = URLSessionStream(origin: web.url) { [] }
      await #expect(throws: URLSessionStream.UnexpectedResponse(status: 401)) {
        for try await _ in try await stream.open("/v1/events?topics=") {}
      }
    }
  }

  @Test func aServerThatIsAwayIsReported() async throws {
    let port = try reservedPort()
    let client = APIClient(transport: URLSessionTransport(origin: "http://127.0.0.1:\(port)"))
    await #expect {
      _ = try await client.synchronize(
        StudyAPI.Sync(device: IDGenerator().make(), deviceTime: TimeSource.system.now()))
    } throws: { error in
      if case .notSent? = error as? CallError { true } else { false }
    }
  }

  @Test func aDevicesOwnChangeIsNoHint() async throws {
    let (own, other): (StudyDeviceID, StudyDeviceID) = (IDGenerator().make(), IDGenerator().make())
    func count(_ data: String) async throws -> Int {
      let hints = EventStreamHints(user: IDGenerator().make(), device: own) { _ in
        AsyncThrowingStream { continuation in
          continuation.yield(Array("event: changed\ndata: \(data)\n\n".utf8))
          continuation.finish()
        }
      }
      var count = 0
      for try await _ in try await hints.connect() { count += 1 }
      return count
    }
    #expect(try await count(#"{"device":"\#(own)"}"#) == 0)
    #expect(try await count(#"{"device":"\#(other)"}"#) == 1)
    // By no device, such as on the web.
    #expect(try await count("{}") == 1)
  }
}
