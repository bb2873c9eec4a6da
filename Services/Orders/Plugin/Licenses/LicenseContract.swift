import Contracts

/// The text of a license, generated once when it is sold. It identifies the parties by id: a name would outlive its
/// account. The id of a deleted account stays in it, because it is the other party's proof of what was agreed.
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
    until end: Timestamp?,
    at date: Timestamp
  ) -> String {
    func limit(_ count: Int?) -> String { count.map { "up to \($0)" } ?? "unlimited" }
    let term = terms.days.map { days in "\(count(days, "day"))\(end.map { ", until \($0)" } ?? "")" }
    var lines = [
      "License (\(terms.kind.rawValue)) for “\(title)”, listing \(listing)",
      "",
      "Granted on \(date) by user \(seller) to user \(holder), order \(order), "
        + (price.amount == 0 ? "free of charge." : "for \(price)."),
      "Territory: \(terms.territory). Term: \(term ?? "unlimited").",
      "Audio streams: \(limit(terms.streams)). Copies: \(limit(terms.copies)). Music videos: \(limit(terms.musicVideos)).",
      "Files: \(terms.files.map(\.rawValue).joined(separator: ", ")).",
      "Royalties: the owner's share is \(percent(terms.ownerShare)).",
    ]
    switch terms.kind {
    case .exclusive:
      let period = end == nil ? "" : " during the term"
      let earlier =
        "\(count(priorLicenses, "license")) granted earlier \(priorLicenses == 1 ? "remains" : "remain") valid."
      lines.append("No further license will be granted\(period)." + (priorLicenses == 0 ? "" : " \(earlier)"))
    case .free: lines.append("For noncommercial use only.")
    case .lease, .unlimited: lines.append("This license is not exclusive.")
    }
    return lines.joined(separator: "\n")
  }

  private static func count(_ number: Int, _ word: String) -> String {
    number == 1 ? "1 \(word)" : "\(number) \(word)s"
  }

  private static func percent(_ share: BasisPoints) -> String {
    let hundredths = share.value % 100
    let fraction = hundredths == 0 ? "" : hundredths < 10 ? ".0\(hundredths)" : ".\(hundredths)"
    return "\(share.value / 100)\(fraction)%"
  }
}
