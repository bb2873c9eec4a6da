import Contracts
import Persistence
import ServiceKit

/// Shows staff which bidders have not paid, and lets the owner forgive them.
struct Strikes: Feature {
  let core: OrdersCore

  init(_ core: OrdersCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListAuctionStrikes.self) { request, call in
      try await list(request, by: call.auditActor)
    }
    routes.on(OrdersAPI.LiftAuctionStrike.self) { request, call in try await lift(request.id, call) }
  }

  private func list(_ request: OrdersAPI.ListAuctionStrikes, by staff: AuditActor) async throws -> Page<AuctionStrike> {
    let page = try request.page(by: AuctionStrikeID.self)
    return try await core.database.readAudited(by: staff) { db in
      try page.fetch({ try StrikeStore.list(of: request.user, before: $0, limit: $1, in: db) }, key: \.id).page
    } as: {
      AuditedRead(
        "auction-strikes.viewed", object: "auction-strikes", viewed: $0.items.map { "auction-strike:\($0.id)" })
    }
  }

  private func lift(_ id: AuctionStrikeID, _ call: Call) async throws {
    try await core.database.write { tx in
      guard try StrikeStore.lift(id, in: tx) else { throw Problem(.auctionStrikeNotFound) }
      try tx.audit("auction-strike.lifted", object: "auction-strike:\(id)", by: call.auditActor)
    }
  }

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("auctionStrikes", try JSONValue(StrikeStore.list(of: user, before: nil, limit: 10_000, in: db)))]
  }
}
