package import Contracts
import Synchronization

/// The `Date` header (RFC 9110 §5.6.7), formatted at most once a second.
package final class DateHeader: Sendable {
  private struct Cached {
    var second: Int64 = -1
    var text = ""
  }

  private let time: TimeSource
  private let cached = Mutex(Cached())

  package init(time: TimeSource) { self.time = time }

  package var value: String {
    let now = time.now()
    return cached.withLock { cached in
      if cached.second != now.unixSeconds {
        cached = Cached(second: now.unixSeconds, text: HTTPDate.format(now))
      }
      return cached.text
    }
  }
}
