package import Contracts

/// Dates of HTTP headers (RFC 9110 §5.6.7).
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func format(_ time: Timestamp) -> String {
    let text = time.description  // 1994-11-06T08:49:37.000Z
    let days = Int((Double(time.unixSeconds) / 86_400).rounded(.down))
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][((days % 7) + 7) % 7]
    let month = months[(Int(text.dropFirst(5).prefix(2)) ?? 1) - 1]
    return "\(weekday), \(text.dropFirst(8).prefix(2)) \(month) \(text.prefix(4)) \(text.dropFirst(11).prefix(8)) GMT"
  }

  /// Reads the three forms that a recipient must accept: `Sun, 06 Nov 1994 08:49:37 GMT`,
  /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
  ///
  /// - Returns: `nil` when it is none of them.
  static func parse(_ text: String?) -> Timestamp? {
    guard let text else { return nil }
    let words = text.split(separator: " ").map { String($0) }
    if words.count == 6, words[0].count == 4, words[0].hasSuffix(","), words[5] == "GMT" {
      return time(year: words[3], month: words[2], day: words[1], words[4])
    }
    if words.count == 4, words[0].hasSuffix(","), words[3] == "GMT" {
      let date = words[1].split(separator: "-").map { String($0) }
      guard date.count == 3, date[2].count == 2, let short = Int(date[2]) else { return nil }
      // Two digits stand for a year from 1970 to 2069.
      return time(year: String(short < 70 ? 2000 + short : 1900 + short), month: date[1], day: date[0], words[2])
    }
    if words.count == 5, words[0].count == 3 {
      let day = words[2].count == 1 ? "0" + words[2] : words[2]
      return time(year: words[4], month: words[1], day: day, words[3])
    }
    return nil
  }

  private static func time(year: String, month: String, day: String, _ clock: String) -> Timestamp? {
    guard let index = months.firstIndex(of: month), year.count == 4, day.count == 2, clock.count == 8 else {
      return nil
    }
    let number = index + 1
    return Timestamp("\(year)-\(number < 10 ? "0" : "")\(number)-\(day)T\(clock)Z")
  }
}

extension Timestamp {
  /// The date as header fields have it: `Sun, 06 Nov 1994 08:49:37 GMT`.
  package var httpDate: String { HTTPDate.format(self) }
}
