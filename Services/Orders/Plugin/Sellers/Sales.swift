import Contracts
import Persistence
import ServiceKit

/// The sales and earnings of sellers.
struct Sales: Feature {
  let core: OrdersCore

  init(_ core: OrdersCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListSales.self) { request, call in
      let (seller, page) = (try call.user.id, try request.page(by: SalesStore.Cursor.self))
      return try await core.database.read { db in
        try page.fetch(
          { try SalesStore.list(of: seller, before: $0, limit: $1, in: db) }, key: { SalesStore.Cursor($0) }
        ).page
      }
    }
    routes.on(OrdersAPI.GetSalesSummary.self) { _, call in
      let seller = try call.user.id
      return Page(items: try await core.database.read { try SalesStore.months(of: seller, in: $0) })
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("sales", try JSONValue(SalesStore.list(of: user, before: nil, limit: 10_000, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try SalesStore.delete(of: user, in: tx) }
}
