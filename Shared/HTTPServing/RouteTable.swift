import Contracts

/// Finds the route of a method and path; literal segments take precedence over parameters.
struct RouteTable<Route: Sendable>: Sendable {
  enum Match {
    case route(Route, parameters: [String: String])
    /// The path is known; these methods are allowed.
    case methodNotAllowed([String])
    case notFound
  }

  private struct Leaf: Sendable {
    let names: [String]
    let route: Route
  }

  private final class Node: Sendable {
    let literals: [Substring: Node]
    let parameter: Node?
    let leaves: [String: Leaf]

    init(literals: [Substring: Node], parameter: Node?, leaves: [String: Leaf]) {
      self.literals = literals
      self.parameter = parameter
      self.leaves = leaves
    }
  }

  private let root: Node

  init(_ routes: [(method: String, path: PathTemplate, route: Route)]) {
    root = Self.build(
      routes.map { ($0.path.segments[...], $0.method, Leaf(names: $0.path.parameters, route: $0.route)) }
    )
  }

  private static func build(_ entries: [(segments: ArraySlice<PathTemplate.Segment>, method: String, leaf: Leaf)])
    -> Node
  {
    var literals: [Substring: [(segments: ArraySlice<PathTemplate.Segment>, method: String, leaf: Leaf)]] = [:]
    var parameters: [(segments: ArraySlice<PathTemplate.Segment>, method: String, leaf: Leaf)] = []
    var leaves: [String: Leaf] = [:]
    for entry in entries {
      let rest = (entry.segments.dropFirst(), entry.method, entry.leaf)
      switch entry.segments.first {
      case nil: leaves[entry.method] = entry.leaf
      case .literal(let text): literals[Substring(text), default: []].append(rest)
      case .parameter: parameters.append(rest)
      }
    }
    return Node(
      literals: literals.mapValues(build),
      parameter: parameters.isEmpty ? nil : build(parameters),
      leaves: leaves
    )
  }

  /// - Parameter path: Without query, percent-encoded.
  func match(method: String, path: Substring) -> Match {
    let slash = UInt8(ascii: "/")
    // "/a/b" starts with an empty segment; no other segment may be empty, except in "/".
    let parts = path.utf8.split(separator: slash, omittingEmptySubsequences: false).map { Substring($0) }
    let rest = path == "/" ? [] : parts.dropFirst()
    var values: [Substring] = []
    guard path.utf8.first == slash, rest.allSatisfy({ !$0.isEmpty }), let node = find(root, rest, &values) else {
      return .notFound
    }
    guard let leaf = node.leaves[method] ?? (method == "HEAD" ? node.leaves["GET"] : nil) else {
      return .methodNotAllowed(node.leaves.keys.sorted())
    }
    var parameters: [String: String] = [:]
    for (name, value) in zip(leaf.names, values) {
      guard let decoded = PercentCoding.decode(value), !decoded.utf8.contains(slash), decoded != "..", decoded != "."
      else {
        return .notFound
      }
      parameters[name] = decoded
    }
    return .route(leaf.route, parameters: parameters)
  }

  private func find(_ node: Node, _ parts: ArraySlice<Substring>, _ values: inout [Substring]) -> Node? {
    guard let part = parts.first else { return node.leaves.isEmpty ? nil : node }
    if let child = node.literals[part], let found = find(child, parts.dropFirst(), &values) { return found }
    guard let child = node.parameter else { return nil }
    values.append(part)
    if let found = find(child, parts.dropFirst(), &values) { return found }
    values.removeLast()
    return nil
  }
}
