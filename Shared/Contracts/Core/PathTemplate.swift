/// A path with named parameters, such as `/v1/users/{id}`.
public struct PathTemplate: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The text between two slashes.
  public enum Segment: Sendable, Hashable {
    case literal(String)
    case parameter(String)
  }

  public let segments: [Segment]

  /// Parses a template; `{name}` is a parameter, everything else is literal.
  public init(_ text: String) {
    segments = text.split(separator: "/").map { part in
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
    segments.reduce(into: "") { text, segment in
      switch segment {
      case .literal(let literal): text += "/" + literal
      case .parameter(let name): text += "/{" + name + "}"
      }
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
