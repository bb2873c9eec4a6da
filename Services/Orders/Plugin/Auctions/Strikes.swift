import Contracts
import Persistence
import ServiceKit

/// Shows staff which bidders have not paid, and lets the owner forgive them.
struct Strikes: Feature {
  let database: any Database

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListAuctionStrikes.self) { request, _ in try await list(request) }
    routes.on(OrdersAPI.LiftAuctionStrike.self) { request, call in try await lift(request.id, call) }
  }

  private func list(_ request: OrdersAPI.ListAuctionStrikes) async throws -> Page<AuctionStrike> {
    let page = try request.page(by: AuctionStrikeID.self)
    return try await database.read { db in
      try page.fetch({ try StrikeStore.list(of: request.user, before: $0, limit: $1, in: db) }, key: \.id).page
    }
  }

  private func lift(_ id: AuctionStrikeID, _ call: Call) async throws {
    try await database.write { tx in
      guard try StrikeStore.lift(id, in: tx) else { throw Problem(.auctionStrikeNotFound) }
      try tx.audit("auction-strike.lifted", object: "auction-strike:\(id)", by: call.auditActor)
    }
  }

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("auctionStrikes", try JSONValue(StrikeStore.list(of: user, before: nil, limit: 10_000, in: db)))]
  }
}
