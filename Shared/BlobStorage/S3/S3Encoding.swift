import Foundation

/// Texts as S3 wants them.
enum S3Encoding {
  /// A key as it is sent and signed: bytes other than `A-Z a-z 0-9 - . _ ~ /` are percent-encoded.
  static func path(_ text: String) -> String { encode(text, keeping: Self.unreserved.union("/".utf8)) }

  /// A name or value of a query, where slashes are encoded too.
  static func query(_ text: String) -> String { encode(text, keeping: unreserved) }

  private static let unreserved = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

  private static func encode(_ text: String, keeping kept: Set<UInt8>) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if kept.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `20261120T180000Z` for seconds since 1970.
  static func timestamp(_ seconds: Int64) -> String {
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    return [
      digits(parts.tm_year + 1900, 4), digits(parts.tm_mon + 1, 2), digits(parts.tm_mday, 2), "T",
      digits(parts.tm_hour, 2), digits(parts.tm_min, 2), digits(parts.tm_sec, 2), "Z",
    ].joined()
  }

  private static func digits(_ value: Int32, _ count: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  /// Seconds since 1970 of `2026-11-20T18:00:00.000Z`, as in lists.
  static func seconds(ofISO text: String) -> Int64? {
    (try? Date("\(text.prefix(19))Z", strategy: .iso8601)).map { Int64($0.timeIntervalSince1970) }
  }

  /// Seconds since 1970 of `Fri, 20 Nov 2026 18:00:00 GMT`, as in fields of responses.
  static func seconds(ofHTTP text: String) -> Int64? {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard let match = text.wholeMatch(of: /[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) GMT/),
      let month = months.firstIndex(of: String(match.2))
    else { return nil }
    return seconds(ofISO: "\(match.3)-\(digits(Int32(month) + 1, 2))-\(match.1)T\(match.4)")
  }
}
