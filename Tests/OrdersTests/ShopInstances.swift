import Contracts
import Persistence
import TestKit

@testable import OrdersService

/// The instances on which a test of concurrent use runs: one instance of the shop, or two that share a PostgreSQL.
enum ShopInstances: String, CaseIterable, CustomStringConvertible {
  case sqlite, postgresql, twoInstances

  var description: String { rawValue }

  /// Runs a body with the instances; both are the same when there is only one.
  func run(
    settings: [String: String] = [:], time: ManualTime = ManualTime(), _ body: (TwoInstances) async throws -> Void
  ) async throws {
    switch self {
    case .sqlite, .postgresql:
      let database: TestDatabase = self == .sqlite ? .sqlite : .postgresql
      try await TestPlatform.orders(settings: settings, database: database, time: time) { host async throws in
        try await body(TwoInstances(one: host, two: host))
      }
    case .twoInstances: try await TwoInstances.run(settings: settings, time: time, body)
    }
  }
}

extension TestPlatform {
  /// The amount that the shop has kept of its buyers' payments, in minor units.
  func moneyKept() async throws -> Int {
    try await orders.core.database.read { db in
      try db.count("SELECT COALESCE(SUM(amount), 0) FROM payments WHERE status = 'succeeded'")
        - db.count(
          "SELECT COALESCE(SUM(amount), 0) FROM refunds WHERE status = 'succeeded' AND payment_id IS NOT NULL")
    }
  }
}
