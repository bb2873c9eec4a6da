import Contracts
import Crypto
import Persistence

extension Routes {
  /// Lets the gateway learn what the service serves.
  mutating func addDescription(of manifest: Manifest) throws {
    let description =
      try manifest.api.map {
        try ServiceDescription(of: $0, events: manifest.emits, topics: manifest.topics, previews: manifest.previews)
      }
      ?? ServiceDescription(
        name: manifest.name, operations: [], events: manifest.emits.map { $0.type }, topics: manifest.topics,
        previews: manifest.previews, openAPI: OpenAPIDocument.merged([])
      )
    let version = SHA256.hash(data: try WireJSON.encode(description)).hexadecimal
    on(DescriptionAPI.Describe.self) { request, _ in
      DescriptionAPI.Answer(version: version, description: request.known == version ? nil : description)
    }
  }
}
