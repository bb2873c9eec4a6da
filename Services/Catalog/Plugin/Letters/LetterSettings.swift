import ServiceKit

/// Settings of contact messages and the newsletter.
enum LetterSettings {
  static let publicURL = Setting<String>(
    "catalog.publicURL",
    default: "http://127.0.0.1:8080",
    expects: "an address without a slash at its end",
    "Where the gateway is reached; stands in the newsletter's mails"
  ) { ($0.hasPrefix("https://") || $0.hasPrefix("http://")) && !$0.hasSuffix("/") ? $0 : nil }
}
