/// The dead letters that are tried again.
public enum DeadLetterSelection: Sendable {
  case all
  case type(String)
  case event(String)

  /// Creates a selection as requests name it: an event, otherwise a type, otherwise all.
  public init(type: String?, eventID: String?) {
    if let eventID { self = .event(eventID) } else if let type { self = .type(type) } else { self = .all }
  }
}
