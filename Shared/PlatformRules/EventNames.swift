import Contracts

/// The owners of the names of events on the streams: apps act on them, so no service speaks in the name of another.
public enum EventNames {
  /// The owners by what precedes the first dot. The kinds of topics belong to the services that declare them, and other
  /// names to whoever uses them, such as services from elsewhere.
  private static let owners: [String: String] = [
    GatewayAPI.name: ["topics", "resync", "access"],
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

  /// The service whose a name is, whatever topics there are; `nil` when it belongs to none.
  public static func owner(of name: String) -> String? { owners[String(name.prefix { $0 != "." })] }
}
