import Contracts
import Crypto
import Persistence

/// Grants licenses, whose recordings are kept from the first one on.
struct LicenseTransitions: Sendable {
  let ids: IDGenerator

  /// Grants the licenses that an order has bought.
  func grant(_ order: StoredOrder, _ lines: [StoredLine], in tx: Transaction) throws {
    guard let holder = order.userID else { return }
    for stored in lines {
      guard let listing = stored.line.listingID, let terms = stored.terms, let seller = stored.sellerID,
        let audio = stored.audio
      else { continue }
      let prior = try LicenseStore.count(of: listing, at: tx.now, in: tx)
      let expiresAt = terms.days.map { tx.now.advanced(bySeconds: Double($0) * 86_400) }
      let text = LicenseContract.text(
        of: terms,
        title: stored.line.title,
        listing: listing,
        seller: seller,
        holder: holder,
        order: order.id,
        price: stored.line.gross,
        priorLicenses: prior,
        until: expiresAt,
        at: tx.now
      )
      // Whatever becomes of the listing and the seller.
      if try !LicenseStore.exists(for: audio, in: tx) { try OrderMedia.licensed(audio, in: tx) }
      let license = License(
        id: ids.make(), listingID: listing, kind: terms.kind, holderID: holder, sellerID: seller, orderID: order.id,
        price: Money(stored.line.unitPrice.amount, order.currency), status: .active, grantedAt: tx.now,
        expiresAt: expiresAt, terms: text, termsHash: SHA256.hash(data: Array(text.utf8)).hexadecimal,
        files: terms.files, priorLicenses: prior)
      try LicenseStore.insert(license, audio: audio, in: tx)
      if terms.kind == .exclusive { try ExclusiveRights.publish(listing, in: tx) }
    }
  }
}
