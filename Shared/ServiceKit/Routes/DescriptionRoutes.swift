import Contracts
import Crypto
import Persistence
import Synchronization

extension Routes {
  /// Lets the gateway learn what the service serves.
  mutating func addDescription(of manifest: Manifest) throws {
    let (description, version) = try MadeDescription.of(manifest)
    on(DescriptionAPI.Describe.self) { request, _ in
      DescriptionAPI.Answer(version: version, description: request.known == version ? nil : description)
    }
  }
}

/// A service's description, which follows from its manifest. It takes long to make, and tests mount each service hundreds of
/// times, so a process makes it once.
private enum MadeDescription {
  typealias Value = (description: ServiceDescription, version: String)

  private struct Key: Hashable {
    let name: String
    let api: ObjectIdentifier?
    let events: [String]
    let topics: [String]
    let previews: [String]
  }

  private static let made = Mutex<[Key: Value]>([:])

  static func of(_ manifest: Manifest) throws -> Value {
    let key = Key(
      name: manifest.name, api: manifest.api.map { ObjectIdentifier($0) }, events: manifest.emits.map { $0.type },
      topics: manifest.topics, previews: manifest.previews)
    if let known = made.withLock({ $0[key] }) { return known }
    let description =
      try manifest.api.map {
        try ServiceDescription(of: $0, events: manifest.emits, topics: key.topics, previews: key.previews)
      }
      ?? ServiceDescription(
        name: key.name, operations: [], events: key.events, topics: key.topics, previews: key.previews,
        openAPI: OpenAPIDocument.merged([]))
    let value = (description, SHA256.hash(data: try WireJSON.encode(description)).hexadecimal)
    made.withLock { $0[key] = value }
    return value
  }
}
