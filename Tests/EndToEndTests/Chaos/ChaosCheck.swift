import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit

@testable import OrdersService

/// Compares what the platform has with what it has acknowledged, while it is at rest.
struct ChaosCheck: Sendable {
  let shop: ChaosShop

  /// - Parameter rounds: All rounds so far, or those of which everything is asked for.
  /// - Returns: What is wrong; empty when all invariants hold.
  func violations(in rounds: [ChaosRecord]) async throws -> [String] {
    try await settle()
    var found = try await money(rounds.map(\.all)) + stock()
    for round in rounds.map(\.all) {
      found += round.violations
      for person in round.people where try await person.refresh() {
        found.append("\(person.name): the session is lost")
      }
      for person in round.people {
        found += try await rights(of: person) + matches(of: person, round) + records(of: person, round)
      }
      found += try await messages(round) + bids(round) + uploads(round)
    }
    return found
  }

  // MARK: the shop

  /// Waits until the jobs have driven every order to a final state. The claim of a job by a dead process lasts two
  /// minutes; this time passes at once.
  private func settle() async throws {
    try await shop.platform.withDatabase(of: "orders") { orders in
      var hastenedAt: ContinuousClock.Instant?
      try await eventually("all orders are settled") {
        if hastenedAt.map({ ContinuousClock.now - $0 > .seconds(15) }) ?? true {
          _ = try? await orders.write { tx in
            try tx.execute("UPDATE jobs SET due_at = \(tx.now) WHERE kind IN ('order', 'payment-cancel')")
          }
          hastenedAt = ContinuousClock.now
        }
        let unfinished = try? await orders.read { db in
          try db.exists(
            """
            SELECT 1 FROM orders WHERE stock IN ('reserving', 'releasing')
              OR status = 'pendingPayment' AND payment_status = 'paid'
              OR EXISTS (SELECT 1 FROM refunds r WHERE r.order_id = orders.id AND r.status = 'pending')
            """)
        }
        return unfinished == false
      }
    }
  }

  private struct Sale: Sendable {
    var id, status: String
    var total, received, returned: Int64
    var licenses, licensed: Int
  }

  /// The ledger's own proof, and that every order was paid once, is known to its buyer, and has given what it sold.
  private func money(_ rounds: [ChaosRecord.State]) async throws -> [String] {
    try await shop.platform.withDatabase(of: "orders") { orders in
      var found = try await LedgerReconciliation.discrepancies(in: orders).map { "ledger: \($0)" }
      let people = rounds.flatMap(\.people).map(\.id)
      let sales = try await orders.read { db in
        try db.all(
          """
          SELECT o.id, o.status, o.total,
            (SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM ledger_transfers
             WHERE order_id = o.id AND debit LIKE 'provider:%') AS received,
            (SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM ledger_transfers
             WHERE order_id = o.id AND credit LIKE 'provider:%') AS returned,
            (SELECT COUNT(*) FROM licenses WHERE order_id = o.id AND status = 'active') AS licenses,
            (SELECT COUNT(*) FROM order_lines WHERE order_id = o.id AND listing_id IS NOT NULL) AS licensed
          FROM orders o WHERE o.user_id IN \(list: people) ORDER BY o.id
          """
        ) { row in
          Sale(
            id: try row["id"], status: try row["status"], total: try row["total"], received: try row["received"],
            returned: try row["returned"], licenses: try row["licenses"], licensed: try row["licensed"])
        }
      }
      let known = Set(rounds.flatMap { $0.orders.keys.map(\.rawValue) })
      for sale in sales {
        let isPlaced = sale.status == "placed"
        let due = isPlaced ? sale.total : 0
        if sale.received - sale.returned != due || sale.received > sale.total {
          found.append("order \(sale.id): received \(sale.received), returned \(sale.returned), due \(due)")
        }
        if isPlaced, !known.contains(sale.id) { found.append("order \(sale.id): its buyer did not ask for it") }
        let licensed = isPlaced ? sale.licensed : 0
        if sale.licenses != licensed {
          found.append("order \(sale.id): \(sale.licenses) rights instead of \(licensed)")
        }
      }
      let stored = Set(sales.map(\.id))
      found += known.subtracting(stored).sorted().map { "order \($0) is lost" }
      let twice = try await orders.read { db in
        try db.values(
          """
          SELECT listing_id FROM licenses WHERE kind = 'exclusive' AND status = 'active'
          GROUP BY listing_id HAVING COUNT(*) > 1
          """, as: String.self)
      }
      return found + twice.map { "listing \($0) has several owners" }
    }
  }

  private struct Level: Sendable, Equatable {
    var onHand, reserved: Int64
  }

  /// The sum of present and sold stock is the initial stock.
  private func stock() async throws -> [String] {
    let sold = try await shop.platform.withDatabase(of: "orders") { orders in
      try await orders.read { db in
        try db.all(
          """
          SELECT l.product_id AS product, o.stock, CAST(SUM(l.quantity) AS BIGINT) AS n
          FROM order_lines l JOIN orders o ON o.id = l.order_id
          WHERE o.stock IN ('held', 'committed') AND l.product_id IS NOT NULL GROUP BY l.product_id, o.stock
          """
        ) { row -> (product: String, stock: String, count: Int64) in
          (try row["product"], try row["stock"], try row["n"])
        }
      }
    }
    let levels = try await shop.platform.withDatabase(of: "catalog") { catalog in
      try await catalog.read { db in
        try db.all("SELECT item_id, on_hand, reserved FROM stock") { row -> (String, Level) in
          (try row["item_id"], Level(onHand: try row["on_hand"], reserved: try row["reserved"]))
        }
      }
    }
    let stored = Dictionary(levels) { first, _ in first }
    return shop.initial.compactMap { product, count in
      func sum(_ stock: String) -> Int64 {
        sold.filter { $0.product == product && $0.stock == stock }.reduce(0) { $0 + $1.count }
      }
      let wanted = Level(onHand: count - sum("committed"), reserved: sum("held"))
      let found = stored[product]
      return found == wanted ? nil : "stock of \(product): \(String(describing: found)) instead of \(wanted)"
    }
  }

  /// The exclusive rights that the buyer's app shows.
  private func rights(of person: ChaosPerson) async throws -> [String] {
    let licenses = try await person.insist(OrdersAPI.ListLicenses(limit: PageSize(checked: 100))).items
    let listings = licenses.filter { $0.kind == .exclusive }.map(\.listingID)
    return listings.counts.filter { $0.value > 1 }.map { "\(person.name) has \($0.key) twice" }
  }

  private func bids(_ round: ChaosRecord.State) async throws -> [String] {
    guard let auction = round.auction else { return [] }
    return try await shop.platform.withDatabase(of: "orders") { orders in
      let stored = try await orders.read { db in
        try db.all("SELECT bidder_id, maximum FROM auction_bidders WHERE auction_id = \(auction)") {
          row -> (String, Int64) in (try row["bidder_id"], try row["maximum"])
        }
      }
      let maxima = Dictionary(stored) { max($0, $1) }
      let counts = try await orders.read { db in
        try db.first(
          """
          SELECT bid_count, (SELECT COUNT(*) FROM auction_bids b WHERE b.auction_id = a.id) AS bids, leader_maximum
          FROM auctions a WHERE a.id = \(auction)
          """
        ) { row -> (Int64, Int64, Int64?) in (try row["bid_count"], try row["bids"], try row["leader_maximum"]) }
      }
      var found = round.bids.filter { maxima[$0.key.rawValue] != $0.value }.map {
        "auction \(auction): the bid \($0.value) of \($0.key) is \(maxima[$0.key.rawValue] ?? 0)"
      }
      if counts?.0 != counts?.1 || counts?.2 != maxima.values.max() {
        found.append("auction \(auction): \(String(describing: counts)) with maxima \(maxima)")
      }
      return found
    }
  }

  // MARK: Roomi

  /// Users who like each other, and only they, have a match on both sides.
  private func matches(of person: ChaosPerson, _ round: ChaosRecord.State) async throws -> [String] {
    let page = try await person.insist(MatchingAPI.ListRoommateMatches(limit: PageSize(checked: 100)))
    let found = page.items.map(\.userID.rawValue).sorted()
    let expected = round.likes[person.id, default: []].filter { round.likes[$0, default: []].contains(person.id) }
      .map(\.rawValue).sorted()
    return found == expected ? [] : ["\(person.name): matches \(found) instead of \(expected)"]
  }

  /// Every acknowledged message is there once, at its place, and no other is.
  private func messages(_ round: ChaosRecord.State) async throws -> [String] {
    var found: [String] = []
    for (conversation, sent) in round.messages {
      for person in round.people where sent.contains(where: { $0.author == person.id }) {
        let stored = try await messages(of: conversation, as: person)
        if stored != sent.sorted(by: { $0.sequence < $1.sequence }) {
          let (here, there) = (Set(stored.map(\.id)), Set(sent.map(\.id)))
          found.append(
            "\(person.name): of \(sent.count) messages \(there.subtracting(here).count) are lost, "
              + "\(here.subtracting(there).count) are unknown, or they have another order")
        }
        if stored.map(\.sequence) != Array(1...max(1, stored.count)) {
          found.append("\(person.name): the sequence of messages has gaps")
        }
        let own = sent.filter { $0.author == person.id }.map(\.sequence)
        if own != own.sorted() { found.append("\(person.name): messages are not in the order in which they were sent") }
      }
    }
    return found
  }

  private func messages(of conversation: ConversationID, as person: ChaosPerson) async throws -> [ChaosRecord.Sent] {
    var (messages, last): ([ChaosRecord.Sent], Int) = ([], 0)
    while true {
      let page = try await person.insist(
        MatchingAPI.ListMessages(id: conversation, after: last, limit: PageSize(checked: 100)))
      guard let end = page.items.last else { return messages }
      last = end.sequence
      messages += page.items.map {
        .init(id: $0.id, sequence: $0.sequence, author: $0.authorID ?? person.id, text: $0.text ?? "")
      }
    }
  }

  // MARK: study and media

  private func records(of person: ChaosPerson, _ round: ChaosRecord.State) async throws -> [String] {
    let (expected, found) = (round.records[person.id, default: [:]], try await ChaosDevice.texts(of: person))
    if found == expected { return [] }
    let lost = expected.filter { found[$0.key] != $0.value }
    return ["\(person.name): \(lost.count) of \(expected.count) records are lost, \(found.count) are there"]
  }

  /// The file of every upload is what was sent.
  private func uploads(_ round: ChaosRecord.State) async throws -> [String] {
    var found: [String] = []
    for upload in round.uploads {
      let media = try await upload.owner.insist(MediaAPI.GetMedia(id: upload.media))
      guard let hash = media.sha256 else {
        found.append("\(upload.media) has no hash")
        continue
      }
      let path = "\(shop.platform.folder)/media/\(hash.prefix(2))/\(hash.dropFirst(2))"
      if FileManager.default.contents(atPath: path) != Data(upload.bytes) {
        found.append("\(upload.media) is not what was sent")
      }
    }
    return found
  }
}
