import Contracts

/// The words of a licence, made once when it is sold. The parties stand in it by id: a name would outlive its account.
enum LicenceContract {
  static func text(
    of terms: LicenceOption,
    title: String,
    listing: ListingID,
    seller: UserID,
    holder: UserID,
    order: OrderID,
    price: Money,
    priorLicences: Int,
    at date: Timestamp
  ) -> String {
    func limit(_ count: Int?) -> String { count.map { "up to \($0)" } ?? "without limit" }
    var lines = [
      "Licence (\(terms.kind.rawValue)) for “\(title)”, listing \(listing)",
      "",
      "Granted on \(date) by user \(seller) to user \(holder), order \(order), for \(price).",
      "Territory: \(terms.territory). Term: \(terms.days.map { "\($0) days" } ?? "unlimited").",
      "Audio streams: \(limit(terms.streams)). Copies: \(limit(terms.copies)). Music videos: \(limit(terms.musicVideos)).",
      "Files: \(terms.files.map(\.rawValue).joined(separator: ", ")).",
      "Royalties: the owner keeps \(terms.ownerShare.value) of 10000 parts.",
    ]
    switch terms.kind {
    case .exclusive:
      lines.append("No further licence will be granted. \(priorLicences) licences granted before stay valid.")
    case .free: lines.append("For uses that earn nothing.")
    case .lease, .unlimited: lines.append("Others may hold licences too.")
    }
    return lines.joined(separator: "\n")
  }
}
