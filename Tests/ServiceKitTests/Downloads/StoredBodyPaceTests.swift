import HTTPTypes
import HummingbirdCore
import NIOCore
import Testing

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

  @Test func playersMayReadAheadAndThenSlowly() {
    let pace = StoredBody.Pace.ofContent
    // Two hours of speech at 24 kbit/s, which is read as it is played.
    #expect(pace.allows(3000 * 7200, in: 7200))
    #expect(pace.allows(0, in: 119))
    #expect(!pace.allows(1000 * 600, in: 600))
  }
}
