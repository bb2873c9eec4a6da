import Contracts
import PlatformRules
import ServiceKit

extension TopicAccess {
  /// The services whose events matching passes on, on the topics of users.
  private static let publishers: Set<String> = [CatalogAPI.name, StudyAPI.name, MediaAPI.name]

  /// Requires that the name of an event on the streams is not that of another service.
  ///
  /// - Parameter topic: The only receiver, if it is one; on the topics of users, matching passes on what other services
  ///   publish there.
  /// - Throws: ``Problem`` 403.
  func requireName(_ name: String, of sender: String, on topic: Topic? = nil) throws(Problem) {
    let kind = name.prefix { $0 != "." }
    guard let owner = EventNames.owner(of: name) ?? service(ofTopic: kind), owner != sender else { return }
    let isPassedOn = sender == MatchingAPI.name && topic?.kind == UserTopic.kind[...] && Self.publishers.contains(owner)
    guard !isPassedOn else { return }
    throw Problem(.forbidden, detail: "Events named \(kind.prefix(40)) belong to another service.")
  }
}
