import ServiceKit

/// Rate limits of users, which each instance counts for itself.
enum MatchingSettings {
  static let messages = Setting<RateLimit>(
    "matching.messages",
    default: RateLimit("30/10"),
    expects: "messages/seconds, such as 30/10; 0/1 for no limit",
    "The maximum rate of messages that a user sends to one instance"
  ) { RateLimit($0) }

  static let searches = Setting<RateLimit>(
    "matching.searches",
    default: RateLimit("60/60"),
    expects: "requests/seconds, such as 60/60; 0/1 for no limit",
    "The maximum rate at which a user searches messages on one instance"
  ) { RateLimit($0) }

  static let all: [any SettingDescription] = [messages, searches]
}
