import Contracts
import HTTPTypes

/// The conditions of a request for content that exists (RFC 9110 §13).
struct Preconditions {
  enum Outcome: Equatable {
    case proceed
    /// 304: the caller has it.
    case notModified
    /// 412.
    case failed
  }

  let tag: EntityTag?
  let modifiedAt: Timestamp?

  /// Evaluates the conditions of GET or HEAD in the order of RFC 9110 §13.2.2.
  func evaluate(_ headers: HTTPFields) -> Outcome {
    if let condition = headers[.ifMatch] {
      guard matches(condition, weakly: false) else { return .failed }
    } else if let seconds = modifiedAt?.unixSeconds, let since = HTTPDate.parse(headers[.ifUnmodifiedSince]) {
      guard seconds <= since.unixSeconds else { return .failed }
    }
    if let condition = headers[.ifNoneMatch] { return matches(condition, weakly: true) ? .notModified : .proceed }
    if let seconds = modifiedAt?.unixSeconds, let since = HTTPDate.parse(headers[.ifModifiedSince]) {
      return seconds <= since.unixSeconds ? .notModified : .proceed
    }
    return .proceed
  }

  /// Whether `Range` applies (RFC 9110 §13.1.5): without `If-Range`, or when that is the tag, or the exact date, of the
  /// content.
  func allowsRange(_ headers: HTTPFields) -> Bool {
    guard let condition = headers[.ifRange] else { return true }
    if let tag, condition == tag.rawValue { return true }
    guard let modifiedAt, let date = HTTPDate.parse(condition) else { return false }
    return date.unixSeconds == modifiedAt.unixSeconds
  }

  /// Whether `*` or one of a list of tags is the tag of the content.
  private func matches(_ list: String, weakly: Bool) -> Bool {
    if list == "*" { return true }
    guard let tag else { return false }
    var rest = list[...]
    while let quote = rest.firstIndex(of: "\"") {
      let isWeak = rest[..<quote].hasSuffix("W/")
      guard let end = rest[rest.index(after: quote)...].firstIndex(of: "\"") else { return false }
      if rest[quote...end] == tag.rawValue, weakly || !isWeak { return true }
      rest = rest[rest.index(after: end)...]
    }
    return false
  }
}
