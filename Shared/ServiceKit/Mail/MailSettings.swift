import CurlClient

/// Settings of outgoing mail.
enum MailSettings {
  static let url = Setting<String?>(
    "mail.url",
    default: .some(nil),
    expects: "smtp://host:port or smtps://host:port",
    "The server that takes mail; unset: mails become files in the folder mail of the data folder"
  ) { $0.hasPrefix("smtp://") || $0.hasPrefix("smtps://") ? .some($0) : nil }
  static let sender = Setting<String>("mail.sender", default: "quintet@localhost", "The sender's address of mails")
  static let username = Setting<String?>(optional: "mail.username", "Name at the mail server")
  static let password = Setting<String?>(optional: "mail.password", isSecret: true, "Password at the mail server")
  static let requiresTLS = Setting<Bool>(
    "mail.requiresTLS",
    default: true,
    expects: "true or false",
    "Whether mail goes out over TLS only"
  ) { Bool($0) }
  static let authoritiesFile = Setting<String?>(
    optional: "mail.authoritiesFile",
    expects: "a PEM file",
    "Certificate authorities of the mail server; unset: the system's"
  )

  static let all: [any SettingDescription] = [url, sender, username, password, requiresTLS, authoritiesFile]
}
