/// A version of a resource: returned in `ETag`, sent back in `If-Match` (RFC 9110 §8.8.3, §13.1.1).
public struct EntityTag: Codable, Sendable, Hashable {
  /// The quoted header value, such as `"3"`.
  public let rawValue: String

  /// Creates the tag of a version number.
  public init(version: Int) { rawValue = "\"\(version)\"" }

  public init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(String.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }

  /// Requires a version, for handlers: `try request.ifMatch?.require(version)`.
  /// - Throws: ``Problem`` 412 when the resource has another version.
  public func require(_ version: Int) throws(Problem) {
    guard allows(EntityTag(version: version)) else { throw Problem(.versionMismatch) }
  }

  /// Whether an `If-Match` with this value allows a write to the given version: `*`, or a list with it as a strong tag.
  public func allows(_ current: EntityTag) -> Bool {
    rawValue == "*"
      || rawValue.split(separator: ",").contains { $0.trimmingSpaces() == current.rawValue }
  }
}

extension Substring {
  fileprivate func trimmingSpaces() -> Substring {
    drop { $0 == " " }.reversedTrim()
  }

  private func reversedTrim() -> Substring {
    var copy = self
    while copy.last == " " { copy.removeLast() }
    return copy
  }
}

/// A response that has a version, which every change increments and which is sent as its `ETag`.
public protocol Versioned {
  var version: Int { get }
}
