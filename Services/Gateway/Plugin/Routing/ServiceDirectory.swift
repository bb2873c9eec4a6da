import Contracts

/// The operations of the services behind the gateway. No request can match operations of two services.
struct ServiceDirectory: Sendable {
  private struct Place: Sendable {
    let method: Contracts.Operation.Method
    let path: PathTemplate
    var name: String { "\(method.rawValue) \(path)" }

    func overlaps(_ other: Place) -> Bool { method == other.method && path.overlaps(other.path) }
  }

  /// The accepted descriptions, by the name of their service.
  private(set) var descriptions: [String: ServiceDescription]
  private var places: [String: [Place]]

  /// - Parameter own: What the gateway serves itself.
  init(own: ServiceDescription) {
    descriptions = [own.name: own]
    places = [own.name: own.operations.map { Place(method: $0.method, path: PathTemplate($0.path)) }]
  }

  /// Why a description is not accepted.
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
    var own: [Place] = []
    for operation in description.operations {
      let place = Place(method: operation.method, path: PathTemplate(operation.path))
      if let complaint = operation.complaint(of: name) {
        throw Refusal(name, "\(operation.method.rawValue) \(operation.path.prefix(256)) \(complaint)")
      }
      own.append(place)
    }
    for (other, taken) in places.filter({ $0.key != name }).sorted(by: { $0.key < $1.key }) {
      for place in own {
        guard let taken = taken.first(where: { $0.overlaps(place) }) else { continue }
        throw Refusal(name, "\(place.name) overlaps with \(taken.name) of \(other)")
      }
    }
    try check(description.topics, "topics", of: description.name) { service(ofTopic: $0) }
    try check(description.previews, "links", of: description.name) { service(ofPreview: $0) }
    (descriptions[name], places[name]) = (description, own)
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
  /// Where users prove who they are: no other service may answer there, even if it is asked before auth.
  private static let reserved: Set = [
    ["v1", "auth"], ["v1", "users"], [".well-known"], ["internal"], ["events"],
  ]

  /// Why the operation cannot be one of the service's; `nil` if it can.
  fileprivate func complaint(of service: String) -> String? {
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
