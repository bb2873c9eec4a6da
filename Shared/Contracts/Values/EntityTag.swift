/// The version of a resource when it was read: returned in `ETag`, sent back in `If-Match` to change that version only,
/// or in `If-None-Match` to read another one only (RFC 9110 §8.8.3, §13.1).
///
/// The tag of a response to GET is `"3.5f2c…"`: the version of the resource, if it has one, and a digest of the bytes,
/// which also depend on what is not versioned, such as the number of likes.
public struct EntityTag: Codable, Sendable, Hashable {
  /// The quoted header value, such as `"3"` or `"3.5f2c…"`.
  public let rawValue: String

  /// Creates the tag of a version number.
  public init(version: Int) { rawValue = "\"\(version)\"" }

  /// Creates the tag of a response with a resource of this version.
  public init(version: Int?, digest: some StringProtocol) {
    rawValue = version.map { "\"\($0).\(digest)\"" } ?? "\"\(digest)\""
  }

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
    guard allows(version) else { throw Problem(.versionMismatch) }
  }

  /// Whether an `If-Match` with this value allows a write to the given version: `*`, or a list with a strong tag of it.
  public func allows(_ version: Int) -> Bool {
    if rawValue == "*" { return true }
    return Self.list(rawValue).contains { tag in
      guard tag.first == "\"", tag.last == "\"", tag.count > 1 else { return false }
      // Behind the version stand the digest and what the edge adds when it compresses.
      return tag.dropFirst().dropLast().prefix { $0 != "." && $0 != "-" } == "\(version)"
    }
  }

  /// The tag of an `If-None-Match` that stands for a response with this tag: the same, compressed or not.
  public func match(in ifNoneMatch: String) -> Substring? {
    if ifNoneMatch == "*" { return rawValue[...] }
    return Self.list(ifNoneMatch).first { tag in
      let strong = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
      return strong == rawValue || strong == compressed.rawValue
    }
  }

  /// The tag of the response when the edge has compressed it.
  public var compressed: EntityTag {
    rawValue.last == "\"" ? EntityTag(rawValue: rawValue.dropLast() + "-gzip\"") : self
  }

  /// Takes a header value as it is.
  public init(rawValue: String) { self.rawValue = rawValue }

  private static func list(_ value: String) -> [Substring] {
    value.split(separator: ",").map { $0.trimmingSpaces() }
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
