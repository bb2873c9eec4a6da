import Logging
import Synchronization
import TestKit
import Testing

@testable import ServiceKit

/// How background work is repeated.
struct WorkerTests {
  private struct Broken: Error {}

  /// Keeps the messages of a logger.
  private struct Recorder: LogHandler {
    let messages: AsyncStream<String>.Continuation
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { messages.yield("\(event.level) \(event.message)") }
  }

  @Test func failuresAreRepeatedSoonAndLoggedOnce() async throws {
    let (messages, continuation) = AsyncStream.makeStream(of: String.self)
    let logger = Logger(label: "test") { _ in Recorder(messages: continuation) }
    let rounds = Mutex(0)
    let task = PeriodicTask("test", every: .seconds(3600), logger: logger) {
      let round = rounds.withLock { rounds in
        rounds += 1
        return rounds
      }
      if round < 4 { throw Broken() }
    }
    let running = Task { try await task.run() }
    var seen: [String] = []
    for await message in messages {
      seen.append(message)
      if message.hasPrefix("info") { break }
    }
    #expect(seen == ["warning background work failed", "info background work succeeds again"])
    #expect(rounds.withLock { $0 } == 4)
    running.cancel()
    try await running.value
  }
}
