import HTTPTypes
import HummingbirdCore
import NIOCore
import Testing
import Timing

@testable import HTTPServing
@testable import ServiceKit

/// The least speed at which stored content must be read.
struct StoredBodyPaceTests {
  private struct Sink: ResponseBodyWriter {
    func write(_ buffer: ByteBuffer) {}
    func finish(_ trailingHeaders: HTTPFields?) {}
  }

  private static let length = 1 << 20

  private static let sources: [StoredBody.Source] = [
    .bytes([UInt8](repeating: 0, count: length)),
    .remote { range in
      AsyncThrowingStream<ByteBuffer, any Error> { continuation in
        continuation.yield(ByteBuffer(repeating: 0, count: range.count))
        continuation.finish()
      }
    },
  ]

  @Test(arguments: sources.indices)
  func contentThatIsReadTooSlowlyEnds(_ index: Int) async throws {
    // No time is allowed at all.
    let pace = StoredBody.Pace(bytesPerSecond: .infinity, graceSeconds: -1)
    let body = StoredBody(Self.sources[index], [.range(0..<Self.length)], pace: pace)
    await #expect(throws: StoredBody.TooSlow.self) { try await body.responseBody.write(Sink()) }
  }

  /// Takes a moment for everything it is given.
  private struct SlowSink: ResponseBodyWriter {
    static let seconds = 0.03

    func write(_ buffer: ByteBuffer) async {
      let start = MonotonicClock.now()
      while MonotonicClock.now() - start < Self.seconds { await Task.yield() }
    }
    func finish(_ trailingHeaders: HTTPFields?) {}
  }

  @Test(arguments: sources.indices)
  func theRangesOfAResponseShareItsTime(_ index: Int) async throws {
    // Enough for two of the ranges.
    let pace = StoredBody.Pace(bytesPerSecond: .infinity, graceSeconds: 2.5 * SlowSink.seconds)
    let body = StoredBody(Self.sources[index], (0..<4).map { .range($0..<$0 + 1) }, pace: pace)
    await #expect(throws: StoredBody.TooSlow.self) { try await body.responseBody.write(SlowSink()) }
  }

  @Test func whatIsLeftOfThePaceCountsWhatWasRead() {
    let pace = StoredBody.Pace(bytesPerSecond: 1000, graceSeconds: 10)
    let left = pace.left(after: 5000, in: 12)
    #expect(left.allows(0, in: 3))
    #expect(!left.allows(0, in: 3.1))
    #expect(left.allows(2000, in: 5))
  }

  @Test func playersMayReadAheadAndThenSlowly() {
    let pace = StoredBody.Pace.ofContent
    // Two hours of speech at 24 kbit/s, which is read as it is played.
    #expect(pace.allows(3000 * 7200, in: 7200))
    #expect(pace.allows(0, in: 119))
    #expect(!pace.allows(1000 * 600, in: 600))
  }
}
