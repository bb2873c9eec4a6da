import Contracts
import TestKit
import Testing

@testable import OrdersService

/// Cursors that are almost valid are refused, or mean the same when they are given out again.
@Suite(.long)
struct CursorFuzzTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  @Test func sales() async throws {
    try await Fuzzer.runCursors(SalesStore.Cursor.self, "sales", ["1700000000000000_\(Self.id)_3"])
  }

  @Test func purchases() async throws {
    try await Fuzzer.runCursors(StoreKitStore.Cursor.self, "purchases", ["1700000000000000_2000000123456789"])
  }

  @Test func balances() async throws {
    try await Fuzzer.runCursors(LedgerStore.EntryCursor.self, "balances", ["1700000000000000_\(Self.id)"])
  }
}
