import Contracts

/// The text of a license, generated once when it is sold. It identifies the parties by id: a name would outlive its
/// account.
enum LicenseContract {
  static func text(
    of terms: LicenseOption,
    title: String,
    listing: ListingID,
    seller: UserID,
    holder: UserID,
    order: OrderID,
    price: Money,
    priorLicenses: Int,
    at date: Timestamp
  ) -> String {
    func limit(_ count: Int?) -> String { count.map { "up to \($0)" } ?? "unlimited" }
    var lines = [
      "License (\(terms.kind.rawValue)) for “\(title)”, listing \(listing)",
      "",
      "Granted on \(date) by user \(seller) to user \(holder), order \(order), for \(price).",
      "Territory: \(terms.territory). Term: \(terms.days.map { "\($0) days" } ?? "unlimited").",
      "Audio streams: \(limit(terms.streams)). Copies: \(limit(terms.copies)). Music videos: \(limit(terms.musicVideos)).",
      "Files: \(terms.files.map(\.rawValue).joined(separator: ", ")).",
      "Royalties: the owner's share is \(terms.ownerShare.value) basis points.",
    ]
    switch terms.kind {
    case .exclusive:
      lines.append("No further license will be granted. \(priorLicenses) licenses granted earlier remain valid.")
    case .free: lines.append("For noncommercial use only.")
    case .lease, .unlimited: lines.append("This license is not exclusive.")
    }
    return lines.joined(separator: "\n")
  }
}
