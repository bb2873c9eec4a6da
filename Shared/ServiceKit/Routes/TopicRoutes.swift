import Contracts

extension Routes {
  /// Lets the gateway ask which of the service's topics a user may follow.
  mutating func addTopics() {
    guard !topicGuards.isEmpty else { return }
    on(TopicsAPI.Authorize.self) { [topicGuards] request, _ in
      guard request.topics.count <= Topic.maxPerStream else {
        let message = "may have at most \(Topic.maxPerStream) items"
        throw Problem(.invalidRequest, errors: [.init(location: "body.topics", message: message)])
      }
      let reader = TopicReader(id: request.user, roles: Set(request.roles))
      var allowed: Set<Topic> = []
      for (kind, topics) in Dictionary(grouping: request.topics, by: { String($0.kind) }) {
        guard let allow = topicGuards[kind] else { continue }
        allowed.formUnion(try await allow(reader, topics))
      }
      return TopicsAPI.AllowedTopics(topics: request.topics.filter { allowed.contains($0) })
    }
  }

  /// The mistakes in the handlers of the topics.
  var topicViolations: [String] {
    let declared = Set(manifest.topics)
    return declared.filter { topicGuards[$0] == nil }.map { "topic \($0) has no handler" }
      + topicGuards.keys.filter { !declared.contains($0) }.map {
        "topic \($0) is handled but not declared in the manifest"
      }
  }
}
