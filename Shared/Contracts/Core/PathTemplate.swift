/// A path with named parameters, such as `/v1/users/{id}`.
public struct PathTemplate: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The text between two slashes.
  public enum Segment: Sendable, Hashable {
    case literal(String)
    case parameter(String)
  }

  public let segments: [Segment]

  /// Properties of a request with a body that travel in the query nevertheless.
  public let queryParameters: [String]

  /// Parses a template; `{name}` is a parameter, `{?name,other}` at the end names query parameters (RFC 6570 §3.2.8),
  /// everything else is literal.
  public init(_ text: String) {
    let parts = text.split(separator: "{?", maxSplits: 1)
    queryParameters = parts.count > 1 ? parts[1].dropLast().split(separator: ",").map { String($0) } : []
    segments = (parts.first ?? "").split(separator: "/").map { part in
      part.hasPrefix("{") && part.hasSuffix("}")
        ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
    }
  }

  public init(stringLiteral value: String) { self.init(value) }

  /// Names of the parameters in order.
  public var parameters: [String] {
    segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
  }

  public var description: String {
    if segments.isEmpty { return "/" }
    return segments.reduce(into: "") { text, segment in
      switch segment {
      case .literal(let literal): text += "/" + literal
      case .parameter(let name): text += "/{" + name + "}"
      }
    }
  }

  /// Whether some path matches both templates.
  public func overlaps(_ other: PathTemplate) -> Bool {
    segments.count == other.segments.count
      && zip(segments, other.segments).allSatisfy { first, second in
        guard case .literal(let literal) = first, case .literal(let other) = second else { return true }
        return literal == other
      }
  }

  /// The path with every parameter filled in and percent-encoded.
  ///
  /// - Parameter value: Returns the value of a parameter.
  /// - Returns: `nil` if a value is missing, empty, `.` or `..`; the latter three would change the route.
  public func expand(_ value: (String) -> String?) -> String? {
    var path = ""
    for segment in segments {
      switch segment {
      case .literal(let literal): path += "/" + literal
      case .parameter(let name):
        guard let filled = value(name), !filled.isEmpty, filled != ".", filled != ".." else { return nil }
        path += "/" + PercentCoding.encode(filled)
      }
    }
    return path
  }

  /// The values of the parameters if a path (without query, still percent-encoded) matches, otherwise `nil`.
  public func match(_ path: Substring) -> [String: String]? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard parts.count == segments.count else { return nil }
    var values: [String: String] = [:]
    for (segment, part) in zip(segments, parts) {
      switch segment {
      case .literal(let literal): guard literal == part else { return nil }
      case .parameter(let name):
        guard let decoded = PercentCoding.decode(part) else { return nil }
        values[name] = decoded
      }
    }
    return values
  }
}
