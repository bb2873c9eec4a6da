import Contracts
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

/// Cursors that are almost valid are refused, or mean the same when they are given out again.
@Suite(.long)
struct CursorFuzzTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func materials() async throws {
    try await Fuzzer.runCursors(MaterialStore.Cursor.self, "materials", ["65536_\(Self.id)"])
  }

  @Test func workouts() async throws {
    try await Fuzzer.runCursors(WorkoutStore.Cursor.self, "workouts", ["1700000000000000_\(Self.id)"])
  }

  @Test func cards() async throws {
    let examples = ["a0", "Zz~!"].map { Base64URL.encode("\(Self.id)\($0)".utf8) }
    try await Fuzzer.runCursors(CardCursor.self, "cards", examples)
  }

  /// The bytes are changed beneath the Base64.
  @Test func devices() async throws {
    let time = try #require(Timestamp(seconds: 1_700_000_000))
    var cursor = SyncCursor(issuedAt: time, positions: [1: 5, 300: 70_000])
    var examples = [cursor.text]
    cursor.refetch = SyncCursor.Refetch(collections: [.cards], positions: [1: .max])
    examples.append(cursor.text)
    let corpus = FuzzCorpus(try examples.map { try #require(Base64URL.decode($0)) }, maxBytes: 400)
    try await Fuzzer("cursor-devices", corpus, inputs: 10_000).run { input, _ in
      guard let cursor = SyncCursor(Base64URL.encode(input)) else { return false }
      let again = SyncCursor(cursor.text)
      try confirm(again == cursor, "\(cursor) becomes \(String(describing: again))")
      return true
    }
  }
}
