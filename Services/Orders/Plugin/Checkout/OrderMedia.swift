import Contracts
import Persistence
import ServiceKit

/// Lets media-index keep the recordings of an order from the order on, so that they can be delivered when it is paid.
/// From the first license on they are kept for all their buyers.
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
      let wanted = lines.compactMap(\.audio).map { MediaUses.Wanted($0, .audio, at: "body") }
      do { try await uses.require(wanted, of: seller, for: Self.object(order)) } catch let problem as Problem {
        throw problem.status < 500 ? Problem(.listingNotForSale) : problem
      }
    }
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

  private static func report(_ uses: [MediaUse], _ order: OrderID, _ version: Int, in tx: Transaction) throws {
    try MediaUses.report(uses, of: object(order), sequence: Int64(version), in: tx)
  }

  private static func object(_ order: OrderID) -> Topic { Topic("order", order.rawValue) }
}
