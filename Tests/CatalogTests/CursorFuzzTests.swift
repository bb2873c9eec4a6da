import Contracts
import TestKit
import Testing

@testable import CatalogService

/// Cursors that are almost valid are refused, or mean the same when they are given out again.
@Suite(.long)
struct CursorFuzzTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func exercises() async throws {
    try await Fuzzer.runCursors(SavedExerciseStore.Cursor.self, "exercises", ["1700000000000000_\(Self.id)"])
  }

  @Test func slugs() async throws { try await Fuzzer.runCursors(Slug.self, "slugs", ["a-page", "news2024"]) }
}
