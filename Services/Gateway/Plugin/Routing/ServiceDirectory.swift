import Contracts

/// The operations of the services behind the gateway. No request can match operations of two services.
struct ServiceDirectory: Sendable {
  /// The accepted descriptions, by the name of their service.
  private(set) var descriptions: [String: ServiceDescription]

  /// - Parameter own: What the gateway serves itself.
  init(own: ServiceDescription) { descriptions = [own.name: own] }

  /// Why a description is not accepted.
  struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ service: String, _ reason: String) { description = "the service \(service) cannot be routed: \(reason)" }
  }

  /// Accepts a description in place of the service's earlier one.
  ///
  /// - Parameter name: The name by which the service is configured.
  mutating func accept(_ description: ServiceDescription, of name: String) throws(Refusal) {
    guard description.name == name else { throw Refusal(name, "it is \(description.name)") }
    let others = descriptions.filter { $0.key != name }.sorted { $0.key < $1.key }
    for operation in description.operations {
      let place = "\(operation.method.rawValue) \(operation.path)"
      guard operation.path.hasPrefix("/"), !operation.path.hasPrefix("/internal/"), operation.bodyBytes >= 0,
        operation.seconds > 0
      else { throw Refusal(name, "\(place) is not a public operation") }
      for (other, described) in others {
        guard let taken = described.operations.first(where: { $0.overlaps(operation) }) else { continue }
        throw Refusal(name, "\(place) overlaps with \(taken.method.rawValue) \(taken.path) of \(other)")
      }
    }
    descriptions[name] = description
  }
}
