import ServiceKit

enum AuthSettings {
  static let signingKeys = Setting<String?>(
    optional: "auth.signingKeys",
    expects: "P-256 private keys in PEM; the first signs, all verify",
    isSecret: true,
    "Signing keys of access tokens. If unset, a key is created and stored in the data folder"
  )
  static let accessTokenSeconds = Setting<Double>(
    seconds: "auth.accessTokenSeconds",
    default: 900,
    in: 10...TokenVerifier.maxLifetime,
    "How long an access token is valid"
  )
  static let refreshReuseSeconds = Setting<Double>(
    seconds: "auth.refreshReuseSeconds",
    default: 10,
    in: 0...60,
    "How long the previous refresh token still returns the current one, in case a response was lost"
  )
  static let sessionIdleDays = Setting<Double>(
    "auth.sessionIdleDays",
    default: 30,
    expects: "days from 1m to 3650, such as 30, or with another unit 12h or 15m",
    "Days after which an unused session ends"
  ) { text in
    let unit: Double = text.hasSuffix("m") ? 1440 : text.hasSuffix("h") ? 24 : 1
    let days = Double(unit == 1 ? text : String(text.dropLast())).map { $0 / unit }
    return days.flatMap { (1.0 / 1440...3650).contains($0) ? $0 : nil }
  }
  static let sessionDays = Setting<Double>(
    "auth.sessionDays",
    default: 90,
    expects: "days from 0.001 to 3650",
    "Days after which every session ends"
  ) { Double($0).flatMap { (0.001...3650).contains($0) ? $0 : nil } }

  static let publicURL = Setting<String>(
    "auth.publicUrl",
    default: "http://127.0.0.1:8080",
    "Public URL of the gateway; published in the discovery document"
  )
  static let oidcProviders = Setting<[ProviderSettings]>(
    "auth.oidcProviders",
    default: [],
    expects:
      #"JSON such as [{"name":"google","clients":[{"id":"…","app":"keepfit","nonce":"ifSent"}]}]; providers "#
      + #"other than google and apple need "issuer"; nonce is required, ifSent or ignored; "hashesNonce":true when the "#
      + #"app sends the nonce's SHA-256 to the provider, the default with apple; "web":true for the client of an app's "#
      + #"pages, for which providers other than google need "authorizationURL""#,
    "OpenID Connect providers whose ID tokens are accepted for sign-in"
  ) { ProviderSettings.parse($0) }
  static let providerSeconds = Setting<Double>(
    seconds: "auth.providerSeconds", default: 5, in: 0.1...300,
    "How long an OpenID Connect provider may take to show its public keys")

  static let all: [any SettingDescription] = [
    signingKeys, accessTokenSeconds, refreshReuseSeconds, sessionIdleDays, sessionDays, publicURL, oidcProviders,
    providerSeconds, ConsentRules.versionsSetting, Guardians.textVersion,
  ]

  static func sessionLimits(_ settings: Settings) throws -> SessionLimits {
    SessionLimits(
      reuseSeconds: try settings[refreshReuseSeconds],
      idleSeconds: try settings[sessionIdleDays] * 86_400,
      absoluteSeconds: try settings[sessionDays] * 86_400,
      lagSeconds: 15
    )
  }
}
