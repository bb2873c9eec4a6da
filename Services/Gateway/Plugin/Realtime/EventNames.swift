import Contracts
import ServiceKit

/// Whose the names of events to users are: apps act on them, so no service speaks in the name of another.
enum EventNames {
  /// By what precedes the first dot. The kinds of topics belong to the services that declare them, and other names to
  /// whoever uses them, such as services from elsewhere.
  private static let owners: [String: String] = [
    AuthAPI.name: [
      "account", "session", "sign-in", "settings", "reminder", "entitlement", "guardian", "consents",
    ],
    MatchingAPI.name: ["message", "connection", "roommate"],
    CatalogAPI.name: ["exercise"],
    OrdersAPI.name: ["order", "license", "payout", "plan", "offer"],
    StudyAPI.name: ["studySet", "assignment", "submission", "workout"],
    MediaAPI.name: ["scan", "livestream"],
  ].reduce(into: [:]) { owners, entry in
    for name in entry.value { owners[name] = entry.key }
  }

  static func owner(of name: String) -> String? { owners[String(name.prefix { $0 != "." })] }
}

extension TopicAccess {
  /// Requires that the name of an event to users is not that of another service.
  ///
  /// - Throws: ``Problem`` 403.
  func requireName(_ name: String, of sender: String) throws(Problem) {
    let kind = name.prefix { $0 != "." }
    guard let owner = EventNames.owner(of: name) ?? service(ofTopic: kind), owner != sender else { return }
    throw Problem(.forbidden, detail: "Events named \(kind.prefix(40)) belong to another service.")
  }
}
