@testable import NATSClient
import TestKit
import Testing

/// Against a real `nats-server`.
struct NATSClientTests {
  private static let stream = StreamConfiguration(name: "work", subjects: ["work.>"], maxAgeSeconds: 3600)

  @Test("what is published by one id is stored once, and delivered with its headers in the order of the stream")
  func publishing() async throws {
    try await withNATS { server async throws in
      let client = try await connected(to: server)
      defer { client.close() }
      try await client.ensure(Self.stream)
      let first = try await client.publish([1, 0, 255], to: "work.a", id: "one", headers: ["Lane": "3"])
      #expect(first == StreamAcknowledgment(stream: "work", sequence: 1, isDuplicate: false))
      let again = try await client.publish([1, 0, 255], to: "work.a", id: "one", headers: ["Lane": "3"])
      #expect(again == StreamAcknowledgment(stream: "work", sequence: 1, isDuplicate: true))
      _ = try await client.publish([], to: "work.b.c", id: "two")
      try await client.ensure(ConsumerConfiguration(name: "all", filter: "work.>"), of: "work")
      let messages = try await NATSConsumer("all", of: "work", client).fetch(upTo: 10)
      #expect(messages.map(\.subject) == ["work.a", "work.b.c"])
      #expect(messages.map(\.data) == [[1, 0, 255], []])
      #expect(messages.map(\.id) == ["one", "two"])
      #expect(messages.map { $0.headers["Lane"] } == ["3", nil])
      #expect(messages.map { $0.delivery?.sequence } == [1, 2])
      #expect(messages.map { $0.delivery?.pending } == [1, 0])
    }
  }

  @Test("streams and consumers are set up again and again, and changed where they differ")
  func setUp() async throws {
    try await withNATS { server async throws in
      let client = try await connected(to: server)
      defer { client.close() }
      // Several processes at once.
      let states = try await concurrently(0..<8) { _ in try await client.ensure(Self.stream) }
      #expect(states.allSatisfy { $0 == StreamState(messages: 0, firstSequence: 0, lastSequence: 0) })
      var wider = Self.stream
      wider.subjects = ["work.>", "play.>"]
      wider.duplicateSeconds = 60
      try await client.ensure(wider)
      #expect(try await client.publish([1], to: "play.x", id: "x").stream == "work")
      try await client.ensure(ConsumerConfiguration(name: "one", filter: "work.>"), of: "work")
      try await client.ensure(ConsumerConfiguration(name: "one", filter: "play.>", acknowledgeSeconds: 5), of: "work")
      let messages = try await NATSConsumer("one", of: "work", client).fetch(upTo: 10)
      #expect(messages.map(\.subject) == ["play.x"])
    }
  }

  @Test("two processes share a consumer: every message is delivered to one of them, and again until it is settled")
  func sharedConsumer() async throws {
    try await withNATS { server async throws in
      let client = try await connected(to: server)
      let other = try await connected(to: server)
      defer {
        client.close()
        other.close()
      }
      try await client.ensure(Self.stream)
      try await client.ensure(
        ConsumerConfiguration(name: "shared", filter: "work.>", acknowledgeSeconds: 5), of: "work")
      for number in 0..<10 { _ = try await client.publish([UInt8(number)], to: "work.a", id: "\(number)") }
      let consumers = [NATSConsumer("shared", of: "work", client), NATSConsumer("shared", of: "work", other)]
      let first = try await consumers[0].fetch(upTo: 5)
      let second = try await consumers[1].fetch(upTo: 100)
      #expect(first.map { $0.data[0] } == [0, 1, 2, 3, 4])
      #expect(second.map { $0.data[0] } == [5, 6, 7, 8, 9])
      try await other.settle(Array(second.dropFirst(2)), .acknowledged)
      try await other.settle([second[0]], .abandoned)
      try await client.settle([second[1]], .again(seconds: 0))
      // The first process has died without an answer.
      var redelivered: [UInt8: Int] = [:]
      try await eventually("the unsettled messages are delivered again") {
        for message in try await consumers[1].fetch(upTo: 100) {
          redelivered[message.data[0]] = message.delivery?.attempt
          try await other.settle([message], .acknowledged)
        }
        return redelivered.count >= 6
      }
      #expect(redelivered == [0: 2, 1: 2, 2: 2, 3: 2, 4: 2, 6: 2])
      #expect(try await consumers[0].fetch(upTo: 10, seconds: 1.5).isEmpty)
    }
  }

  @Test("requests that no one answers hold up no messages of streams")
  func unansweredRequests() async throws {
    try await withNATS { server async throws in
      let client = try await connected(to: server)
      try await client.ensure(Self.stream)
      let (listening, received, ended) = (Counter(), Counter(), Counter())
      let silent = Task {
        for await _ in client.messages(on: "questions", onConnect: { listening.add() }) { received.add() }
      }
      try await eventually("it listens") { listening.value == 1 }
      let asking = (0..<16).map { _ in
        Task {
          _ = try? await client.request([1], to: "questions", seconds: Waiting.limit)
          ended.add()
        }
      }
      try await eventually("questions wait") { received.value > 0 }
      #expect(try await client.publish([1], to: "work.a", id: "1").sequence == 1)
      #expect(ended.value == 0)
      client.close()
      silent.cancel()
      for task in asking { await task.value }
    }
  }

  @Test("signals reach whoever listens, one of a queue, and requests are answered")
  func signals() async throws {
    try await withNATS { server async throws in
      let client = try await connected(to: server)
      defer { client.close() }
      let listening = Counter()
      let everyone = client.messages(on: "signals.*") { listening.add() }
      let answers = Task {
        for await message in client.messages(on: "questions", queue: "answerers", onConnect: { listening.add() }) {
          guard let reply = message.reply else { continue }
          try await client.send(message.data.reversed(), to: reply)
        }
      }
      try await eventually("both listen") { listening.value == 2 }
      try await client.send([7], to: "signals.a")
      var heard = everyone.makeAsyncIterator()
      let message = try #require(await heard.next())
      #expect(message.subject == "signals.a")
      #expect(message.data == [7])
      #expect(message.delivery == nil)
      #expect(try await client.request([1, 2], to: "questions", seconds: Waiting.limit).data == [2, 1])
      await #expect(throws: NATSError.self) { _ = try await client.request([1], to: "nobody") }
      answers.cancel()
    }
  }

  @Test("what fails says why")
  func failures() async throws {
    try await withNATS { server async throws in
      let client = try await connected(to: server)
      try await client.ensure(Self.stream)
      #expect(await kind { _ = try await client.state(of: "missing") } == .notFound)
      #expect(await kind { _ = try await NATSConsumer("missing", of: "work", client).fetch(upTo: 1) } == .notFound)
      #expect(await kind { _ = try await client.request([1], to: "nobody") } == .notFound)
      let large = [UInt8](repeating: 0, count: 2 << 20)
      #expect(await kind { _ = try await client.publish(large, to: "work.a", id: "large") } == .tooLarge)
      let overlapping = StreamConfiguration(name: "other", subjects: ["work.a"], maxAgeSeconds: 3600)
      #expect(await kind { try await client.ensure(overlapping) } == .refusedByStream(code: 10065))
      client.close()
      #expect(client.state == .closed)
      #expect(await kind { _ = try await client.publish([1], to: "work.a", id: "late") } == .closed)
    }
    let nowhere = NATSClient(try #require(NATSAddress("nats://127.0.0.1:\(try reservedPort())")), name: "test")
    #expect(await kind { try await nowhere.connect() } == .disconnected)
    #expect(nowhere.state == .reconnecting)
    nowhere.close()
  }
}

/// Waits until the server has started.
func connected(to server: NATSServer, _ address: String? = nil, publishers: Int = 8) async throws -> NATSClient {
  let address = try #require(NATSAddress(address ?? server.url))
  let client = NATSClient(address, name: "test", publishers: publishers)
  try await eventually("the server accepts connections and JetStream is ready") {
    do {
      _ = try await client.state(of: "missing")
      return true
    } catch let error as NATSError {
      return error.kind == .notFound
    }
  }
  return client
}

/// The reason why a body fails; `nil` when it does not, or for another reason.
func kind(_ body: () async throws -> Void) async -> NATSError.Kind? {
  do { try await body() } catch { return (error as? NATSError)?.kind }
  return nil
}
