import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// Lets media-index keep the recordings of orders, auctions and offers from the start, so that they can be delivered
/// when they are paid: the seller may replace the recording of the listing meanwhile. From the first license on they are
/// kept for all their buyers.
struct OrderMedia: Sendable {
  private let uses: MediaUses

  init(_ environment: ServiceEnvironment) { uses = MediaUses(environment) }

  /// Requires that the recordings exist, and keeps them until the order is made.
  ///
  /// - Throws: ``Problem`` 409 for a listing whose recording is gone or is not its seller's, 503 when media-index does
  ///   not respond.
  func require(_ lines: [CartLine], for order: OrderID) async throws {
    let bySeller = Dictionary(grouping: lines.filter { $0.audio != nil && $0.sellerID != nil }, by: \.sellerID)
    for (seller, lines) in bySeller {
      guard let seller else { continue }
      try await require(lines.compactMap(\.audio), of: seller, for: Self.object(order))
    }
  }

  /// Requires that the recording of a listing exists, and keeps it until it is promised.
  ///
  /// - Throws: As for an order.
  func require(_ listing: SaleItems.Listing, for object: Topic) async throws {
    try await require([listing.audio], of: listing.ownerID, for: object)
  }

  private func require(_ audio: [MediaID], of seller: UserID, for object: Topic) async throws {
    let wanted = audio.map { MediaUses.Wanted($0, .audio, at: "body") }
    do { try await uses.require(wanted, of: seller, for: object) } catch let problem as Problem {
      throw problem.status < 500 ? Problem(.listingNotForSale) : problem
    }
  }

  /// Reports what an auction or an offer that has been made may sell.
  static func promised(_ listing: SaleItems.Listing, by object: Topic, in tx: Transaction) throws {
    try MediaUses.report([MediaUse(listing.audio, .licensed)], of: object, sequence: 1, in: tx)
  }

  /// Reports that an auction or an offer has ended. What it has led to is reported before in the same transaction, so
  /// that the recording is in use throughout.
  static func ended(_ object: Topic, in tx: Transaction) throws {
    try MediaUses.report([], of: object, sequence: 2, in: tx)
  }

  /// Reports what an order that has been made uses.
  static func began(_ order: StoredOrder, _ lines: [StoredLine], in tx: Transaction) throws {
    let audio = Set(lines.compactMap(\.audio)).sorted { $0.rawValue < $1.rawValue }
    guard !audio.isEmpty else { return }
    try report(audio.map { MediaUse($0, .licensed) }, order.id, order.version, in: tx)
  }

  /// Reports that nothing more is delivered for an order.
  static func ended(_ order: OrderID, _ lines: [StoredLine], version: Int, in tx: Transaction) throws {
    guard lines.contains(where: { $0.audio != nil }) else { return }
    try report([], order, version, in: tx)
  }

  /// Reports that a recording is licensed, from its first license on.
  static func licensed(_ audio: MediaID, in tx: Transaction) throws {
    try MediaUses.report([MediaUse(audio, .licensed)], of: Topic("recording", audio.rawValue), sequence: 1, in: tx)
  }

  private static func report(_ uses: [MediaUse], _ order: OrderID, _ version: Int, in tx: Transaction) throws {
    try MediaUses.report(uses, of: object(order), sequence: Int64(version), in: tx)
  }

  private static func object(_ order: OrderID) -> Topic { Topic("order", order.rawValue) }
}
