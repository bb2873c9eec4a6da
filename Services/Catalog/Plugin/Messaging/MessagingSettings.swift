import ServiceKit

enum MessagingSettings {
  static let publicURL = Setting<String>(
    "catalog.publicUrl",
    default: "http://127.0.0.1:8080",
    expects: "a URL without a trailing slash",
    "The public URL of the gateway, used in newsletter emails"
  ) { ($0.hasPrefix("https://") || $0.hasPrefix("http://")) && !$0.hasSuffix("/") ? $0 : nil }
}
