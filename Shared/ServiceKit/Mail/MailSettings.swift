import CurlClient

/// Settings of outgoing mail.
enum MailSettings {
  static let url = Setting<String?>(
    "mail.url",
    default: .some(nil),
    expects: "smtp://host:port or smtps://host:port",
    "SMTP server; if unset, emails are written to files in the folder mail of the data folder"
  ) { $0.hasPrefix("smtp://") || $0.hasPrefix("smtps://") ? .some($0) : nil }
  static let sender = Setting<String>("mail.sender", default: "quintet@localhost", "Sender address of emails")
  static let username = Setting<String?>(optional: "mail.username", "User name for the mail server")
  static let password = Setting<String?>(optional: "mail.password", isSecret: true, "Password for the mail server")
  static let requiresTLS = Setting<Bool>(
    "mail.requiresTls",
    default: true,
    expects: "true or false",
    "Whether email is sent over TLS only"
  ) { Bool($0) }
  static let authoritiesFile = Setting<String?>(
    optional: "mail.authoritiesFile",
    expects: "a PEM file",
    "Certificate authorities that are trusted for the mail server; if unset, the system's"
  )

  static let all: [any SettingDescription] = [url, sender, username, password, requiresTLS, authoritiesFile]
}
