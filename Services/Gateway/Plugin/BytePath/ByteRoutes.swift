import Contracts
import HTTPServing
import ServiceKit

/// Finds the operation of a method and path in the bytes of a request, without making strings of them. It knows the
/// operations of services in other processes; other requests are for the standard pipeline.
struct ByteRoutes: Sendable {
  /// The destination of an operation's requests, and how they are treated.
  final class Route: Sendable {
    let operation: PublicOperation
    let service: String
    let instances: Instances
    let metrics: RouteMetrics
    /// Whether the gateway decides who keeps the responses, because tokens may be in them.
    let setsCaching: Bool

    init(_ operation: PublicOperation, service: String, instances: Instances, metrics: RouteMetrics) {
      (self.operation, self.service, self.instances, self.metrics) = (operation, service, instances, metrics)
      setsCaching = operation.path.hasPrefix("/v1/auth/")
    }
  }

  private final class Node: Sendable {
    /// The literal segments by a hash of their bytes, and compared by these.
    let literals: [UInt64: [(text: [UInt8], node: Node)]]
    let parameter: Node?
    let leaves: [String: Route]

    init(literals: [UInt64: [(text: [UInt8], node: Node)]], parameter: Node?, leaves: [String: Route]) {
      (self.literals, self.parameter, self.leaves) = (literals, parameter, leaves)
    }
  }

  private typealias Entry = (segments: ArraySlice<PathTemplate.Segment>, route: Route)

  private let root: Node

  init(_ routes: [Route]) {
    root = Self.build(routes.map { (PathTemplate($0.operation.path).segments[...], $0) })
  }

  private static func build(_ entries: [Entry]) -> Node {
    var literals: [String: [Entry]] = [:]
    var parameters: [Entry] = []
    var leaves: [String: Route] = [:]
    for entry in entries {
      let rest = (entry.segments.dropFirst(), entry.route)
      switch entry.segments.first {
      case nil: leaves[entry.route.operation.method.rawValue] = entry.route
      case .literal(let text): literals[text, default: []].append(rest)
      case .parameter: parameters.append(rest)
      }
    }
    var byHash: [UInt64: [(text: [UInt8], node: Node)]] = [:]
    for (text, entries) in literals {
      let bytes = Array(text.utf8)
      let hash = bytes.withUnsafeBytes { Self.hash($0, 0..<bytes.count) }
      byHash[hash, default: []].append((bytes, build(entries)))
    }
    return Node(literals: byHash, parameter: parameters.isEmpty ? nil : build(parameters), leaves: leaves)
  }

  /// - Parameter path: In the bytes, begins with a slash, and holds nothing that is encoded.
  func find(_ method: RequestHead.Method, _ bytes: UnsafeRawBufferPointer, _ path: Range<Int>) -> Route? {
    find(root, bytes, path.dropFirst().startIndex..<path.upperBound)?.leaves[method.rawValue]
  }

  /// The same precedence as that of the usual table: literals first.
  private func find(_ node: Node, _ bytes: UnsafeRawBufferPointer, _ rest: Range<Int>) -> Node? {
    var end = rest.lowerBound
    while end < rest.upperBound, bytes[end] != UInt8(ascii: "/") { end += 1 }
    let segment = rest.lowerBound..<end
    // Neither an empty segment, nor one that a service could take for a step through folders.
    guard !segment.isEmpty, !Self.isDots(bytes, segment) else { return nil }
    let isLast = end == rest.upperBound
    func go(_ child: Node) -> Node? {
      if isLast { return child.leaves.isEmpty ? nil : child }
      return find(child, bytes, end + 1..<rest.upperBound)
    }
    for literal in node.literals[Self.hash(bytes, segment)] ?? []
    where literal.text.elementsEqual(UnsafeRawBufferPointer(rebasing: bytes[segment])) {
      if let found = go(literal.node) { return found }
    }
    return node.parameter.flatMap { go($0) }
  }

  private static func isDots(_ bytes: UnsafeRawBufferPointer, _ segment: Range<Int>) -> Bool {
    segment.count <= 2 && bytes[segment].allSatisfy { $0 == UInt8(ascii: ".") }
  }

  /// FNV-1a.
  private static func hash(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for offset in range { hash = (hash ^ UInt64(bytes[offset])) &* 0x100_0000_01B3 }
    return hash
  }
}
