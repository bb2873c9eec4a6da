import Contracts
import TestKit
import Testing

@testable import MediaIndexService

/// Cursors that are almost valid are refused, or mean the same when they are given out again.
@Suite(.long)
struct CursorFuzzTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func livestreams() async throws {
    try await Fuzzer.runCursors(StoredLivestream.Cursor.self, "livestreams", ["1700000000000000_\(Self.id)"])
  }

  @Test func scans() async throws { try await Fuzzer.runCursors(ScanCursor.self, "scans", ["1", "42", "100000"]) }
}
