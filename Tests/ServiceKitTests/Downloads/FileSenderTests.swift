import Foundation
import NIOCore
import TestKit
import Testing

@testable import HTTPServing
@testable import ServiceKit

/// The bytes that are written of a file, and when its reader is too slow: decisions without a connection.
@Suite
struct FileSenderTests {
  private static let mebibyte = 1 << 20

  private func sender(
    _ range: Range<Int>, of bytes: Int, pace: StoredBody.Pace? = nil, _ body: (FileSender, String) async throws -> Void
  ) async throws {
    try await TemporaryFolder.run { folder async throws in
      let path = "\(folder)/file"
      try Data(count: bytes).write(to: URL(fileURLWithPath: path))
      let file = try await OpenFile.open(path)
      try await body(FileSender(file, range, pace, at: 0), path)
    }
  }

  @Test func twoRegionsWaitForTheSocket() async throws {
    let (first, end) = (100, 2 * Self.mebibyte + 300)
    try await sender(first..<end, of: end) { sender, _ in
      let regions = [sender.nextRegion(), sender.nextRegion()].compactMap { $0 }
      #expect(regions.map(\.readerIndex) == [first, first + Self.mebibyte])
      #expect(sender.nextRegion()?.readerIndex == nil)
      #expect(!sender.regionSent())
      let last = try #require(sender.nextRegion())
      #expect((last.readerIndex, last.endIndex) == (first + 2 * Self.mebibyte, end))
      #expect(!sender.regionSent())
      #expect(sender.regionSent())
    }
  }

  @Test func progressIsWhatTheSocketHasTaken() async throws {
    try await sender(0..<Self.mebibyte, of: Self.mebibyte) { sender, _ in
      _ = sender.nextRegion()
      #expect(sender.check(unsent: Self.mebibyte, at: 1) == .none)
      #expect(sender.check(unsent: Self.mebibyte - 32_767, at: 2) == .none)
      #expect(sender.check(unsent: Self.mebibyte - 32_768, at: 3) == .some)
      #expect(sender.check(unsent: Self.mebibyte - 32_768, at: 4) == .none)
    }
  }

  @Test func aPaceIsKept() async throws {
    let pace = StoredBody.Pace(bytesPerSecond: 1000, graceSeconds: 10)
    try await sender(0..<Self.mebibyte, of: Self.mebibyte, pace: pace) { sender, _ in
      _ = sender.nextRegion()
      #expect(sender.check(unsent: Self.mebibyte - 5000, at: 15) == .none)
      #expect(sender.check(unsent: Self.mebibyte - 5000, at: 15.1) == .failed)
    }
  }

  @Test func aTruncatedFileIsNoticed() async throws {
    try await sender(0..<Self.mebibyte, of: Self.mebibyte) { sender, path in
      _ = sender.nextRegion()
      #expect(truncate(path, off_t(Self.mebibyte - 1)) == 0)
      #expect(sender.check(unsent: 0, at: 1) == .failed)
    }
  }
}
