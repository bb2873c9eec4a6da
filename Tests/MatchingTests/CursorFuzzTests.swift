import Contracts
import TestKit
import Testing

@testable import MatchingService

/// Cursors that are almost valid are refused, or mean the same when they are given out again.
@Suite(.long)
struct CursorFuzzTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func messages() async throws {
    try await Fuzzer.runCursors(MessageCursor.self, "messages", ["\(Self.id)_before_17", "\(Self.id)_after_0"])
  }

  @Test func connections() async throws {
    try await Fuzzer.runCursors(StoredConnection.Cursor.self, "connections", ["1700000000000000_\(Self.id)"])
  }

  @Test func conversations() async throws {
    try await Fuzzer.runCursors(ConversationRow.Cursor.self, "conversations", ["1700000000000000_\(Self.id)"])
  }
}
