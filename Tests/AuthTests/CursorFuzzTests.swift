import Contracts
import TestKit
import Testing

@testable import AuthService

/// Cursors that are almost valid are refused, or mean the same when they are given out again.
@Suite(.long)
struct CursorFuzzTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func reminders() async throws {
    try await Fuzzer.runCursors(
      ReminderStore.Cursor.self, "reminders", ["0_1700000000000000_\(Self.id)", "1_-5_\(Self.id)"])
  }

  @Test func endedSessions() async throws {
    try await Fuzzer.runCursors(SessionStore.EndedCursor.self, "ended-sessions", ["1700000000000000_\(Self.id)"])
  }
}
