import Contracts

/// The operations of the services behind the gateway. No request can match operations of two services.
struct ServiceDirectory: Sendable {
  private struct Route: Sendable {
    let method: Contracts.Operation.Method
    let path: PathTemplate
    var name: String { "\(method.rawValue) \(path)" }

    func overlaps(_ other: Route) -> Bool { method == other.method && path.overlaps(other.path) }
  }

  /// The accepted descriptions, by the name of their service.
  private(set) var descriptions: [String: ServiceDescription]
  private var routes: [String: [Route]]

  /// - Parameter own: What the gateway serves itself.
  init(own: ServiceDescription) {
    descriptions = [own.name: own]
    routes = [own.name: own.operations.map { Route(method: $0.method, path: PathTemplate($0.path)) }]
  }

  /// The reason why a description is not accepted.
  struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ service: String, _ reason: String) { description = "the service \(service) cannot be routed: \(reason)" }
  }

  /// Accepts a description in place of the service's earlier one.
  ///
  /// - Parameter name: The name by which the service is configured.
  mutating func accept(_ description: ServiceDescription, of name: String) throws(Refusal) {
    guard description.name == name else { throw Refusal(name, "it is \(description.name.prefix(64))") }
    guard description.operations.count <= 1000, description.schemas.count <= 2000 else {
      throw Refusal(name, "it has more than 1000 operations or 2000 schemas")
    }
    var own: [Route] = []
    for operation in description.operations {
      let route = Route(method: operation.method, path: PathTemplate(operation.path))
      if let violation = operation.violation(by: name) {
        throw Refusal(name, "\(operation.method.rawValue) \(operation.path.prefix(256)) \(violation)")
      }
      own.append(route)
    }
    for (other, taken) in routes.filter({ $0.key != name }).sorted(by: { $0.key < $1.key }) {
      for route in own {
        guard let taken = taken.first(where: { $0.overlaps(route) }) else { continue }
        throw Refusal(name, "\(route.name) overlaps with \(taken.name) of \(other)")
      }
    }
    try check(description.topics, "topics", of: description.name) { service(ofTopic: $0) }
    try check(description.previews, "links", of: description.name) { service(ofPreview: $0) }
    (descriptions[name], routes[name]) = (description, own)
  }

  /// The service that decides who may follow the topics of a kind.
  func service(ofTopic kind: some StringProtocol) -> String? {
    descriptions.first { $0.value.topics.contains { $0 == kind } }?.key
  }

  /// The service that answers for links to objects of a kind.
  func service(ofPreview kind: String) -> String? {
    descriptions.first { $0.value.previews.contains(kind) }?.key
  }

  private func check(_ kinds: [String], _ what: String, of name: String, owner: (String) -> String?) throws(Refusal) {
    guard kinds.count <= 100,
      kinds.allSatisfy({
        (1...40).contains($0.utf8.count) && $0.utf8.allSatisfy((UInt8(ascii: "a")...UInt8(ascii: "z")).contains)
      })
    else {
      throw Refusal(name, "its kinds of \(what) are not at most 100 lowercase words")
    }
    for kind in kinds {
      guard let other = owner(kind), other != name else { continue }
      throw Refusal(name, "\(what) of the kind \(kind) are those of \(other)")
    }
  }
}

extension ServiceDescription {
  fileprivate var schemas: [JSONValue.Member] { openAPI["components"]?["schemas"]?.members ?? [] }
}

extension PublicOperation {
  /// The paths at which users prove who they are: no other service may answer there, even if it is asked before auth.
  private static let reserved: Set = [
    ["v1", "auth"], ["v1", "users"], [".well-known"], ["internal"], ["events"],
  ]

  /// The reason why the operation cannot be one of the service's; `nil` if it can.
  fileprivate func violation(by service: String) -> String? {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard path.hasPrefix("/"), path.utf8.count <= 256, segments.count <= 16,
      segments.allSatisfy(Self.isLiteralOrParameter)
    else { return "is not a path of literals and {parameters}" }
    guard let first = segments.first, !first.hasPrefix("{") else { return "begins with a parameter" }
    let isReserved = Self.reserved.contains { zip($0, segments).allSatisfy { $0 == $1 || $1.hasPrefix("{") } }
    if isReserved, service != AuthAPI.name { return "is reserved" }
    guard (0.001...600).contains(seconds), (0...(1 << 40)).contains(bodyBytes) else { return "has impossible limits" }
    return nil
  }

  private static func isLiteralOrParameter(_ segment: Substring) -> Bool {
    guard segment.hasPrefix("{"), segment.hasSuffix("}") else {
      return !segment.isEmpty && segment.utf8.allSatisfy { isLetter($0) || isDigit($0) || "._~-".utf8.contains($0) }
    }
    let name = segment.utf8.dropFirst().dropLast()
    return name.first.map(isLetter) == true
      && name.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
