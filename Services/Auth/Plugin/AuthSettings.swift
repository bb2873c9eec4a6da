import ServiceKit

/// Settings of the auth service.
enum AuthSettings {
  static let signingKeys = Setting<String?>(
    optional: "auth.signingKeys",
    expects: "P-256 private keys in PEM; the first signs, all verify",
    isSecret: true,
    "Keys of access tokens. Unset: one key is made and kept in the data folder"
  )
  static let accessTokenSeconds = Setting<Double>(
    seconds: "auth.accessTokenSeconds",
    default: 900,
    in: 10...3600,
    "How long an access token is valid"
  )
  static let refreshReuseSeconds = Setting<Double>(
    seconds: "auth.refreshReuseSeconds",
    default: 10,
    in: 0...60,
    "How long the token before the current one still answers the current one, for answers that got lost"
  )
  static let sessionIdleDays = Setting<Double>(
    "auth.sessionIdleDays",
    default: 30,
    expects: "days from 0.001 to 3650",
    "Days after which an unused session ends"
  ) { Double($0).flatMap { (0.001...3650).contains($0) ? $0 : nil } }
  static let sessionDays = Setting<Double>(
    "auth.sessionDays",
    default: 90,
    expects: "days from 0.001 to 3650",
    "Days after which every session ends"
  ) { Double($0).flatMap { (0.001...3650).contains($0) ? $0 : nil } }

  static let all: [any SettingDescription] = [
    signingKeys, accessTokenSeconds, refreshReuseSeconds, sessionIdleDays, sessionDays,
  ]
}
