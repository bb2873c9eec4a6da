public import Contracts

/// Someone who asks to see objects.
public struct ObjectReader: Sendable {
  /// `nil` for callers who have not signed in.
  public let id: UserID?
  public let roles: Set<Role>
}

extension Routes {
  public typealias ReaderGuard = @Sendable (ObjectReader, [Topic]) async throws -> [Topic]

  /// Decides who may load the media that the service uses in objects of a kind. Without it, those who may follow the
  /// realtime topics of the kind.
  ///
  /// - Parameter allow: Receives objects of the kind and returns those that the reader may see now.
  public mutating func readers(_ kind: String, _ allow: @escaping ReaderGuard) { readerGuards[kind] = allow }

  /// Lets media-index ask who may see objects in which media are used.
  mutating func addReaders() {
    guard !readerGuards.isEmpty || !topicGuards.isEmpty else { return }
    on(ReadersAPI.Authorize.self) { [readerGuards, topicGuards] request, _ in
      guard request.objects.count <= Topic.maxPerStream else {
        let message = "may have at most \(Topic.maxPerStream) items"
        throw Problem(.invalidRequest, errors: [.init(location: "body.objects", message: message)])
      }
      let reader = ObjectReader(id: request.user, roles: Set(request.roles))
      var allowed: Set<Topic> = []
      for (kind, objects) in Dictionary(grouping: request.objects, by: { String($0.kind) }) {
        if let allow = readerGuards[kind] {
          allowed.formUnion(try await allow(reader, objects))
        } else if let allow = topicGuards[kind], let user = reader.id {
          allowed.formUnion(try await allow(TopicReader(id: user, roles: reader.roles), objects))
        }
      }
      return ReadersAPI.ReadableObjects(objects: request.objects.filter { allowed.contains($0) })
    }
  }
}
