import Contracts
import Foundation
import Synchronization

/// The `Date` header (RFC 9110 §5.6.7), formatted at most once a second.
final class DateHeader: Sendable {
  private struct Cached {
    var second: Int64 = -1
    var text = ""
  }

  private let time: TimeSource
  private let cached = Mutex(Cached())

  init(time: TimeSource) { self.time = time }

  var value: String {
    let now = time.now()
    return cached.withLock { cached in
      if cached.second != now.unixSeconds {
        cached = Cached(second: now.unixSeconds, text: Self.format(now))
      }
      return cached.text
    }
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func format(_ time: Timestamp) -> String {
    let text = time.description  // 1994-11-06T08:49:37.000Z
    let days = Int((Double(time.unixSeconds) / 86_400).rounded(.down))
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][((days % 7) + 7) % 7]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let month = months[(Int(text.dropFirst(5).prefix(2)) ?? 1) - 1]
    return "\(weekday), \(text.dropFirst(8).prefix(2)) \(month) \(text.prefix(4)) \(text.dropFirst(11).prefix(8)) GMT"
  }
}

extension Timestamp {
  /// As header fields have it: `Sun, 06 Nov 1994 08:49:37 GMT`.
  package var httpDate: String { DateHeader.format(self) }
}
