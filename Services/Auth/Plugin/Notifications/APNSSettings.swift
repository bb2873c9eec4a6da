import Contracts
import ServiceKit

/// Settings of the Apple Push Notification service; without a key, no notifications are sent.
enum APNSSettings {
  static let url = Setting<String>(
    "apns.url",
    default: "https://api.push.apple.com",
    "URL of the Apple Push Notification service or its sandbox"
  )
  static let key = Setting<String?>(
    optional: "apns.key",
    expects: "the PEM text of a .p8 file",
    isSecret: true,
    "Signing key of provider tokens. If unset, push notifications are disabled"
  )
  static let keyID = Setting<String?>(optional: "apns.keyId", "ID of the signing key")
  static let teamID = Setting<String?>(optional: "apns.teamId", "ID of the Apple developer team")
  static let topics = Setting<[ClientApp: String]>(
    "apns.topics",
    default: [:],
    expects: "pairs such as keepfit=com.example.keepfit, separated by commas",
    "Bundle ID of each app"
  ) { text in
    let pairs = text.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    let topics = pairs.compactMap { pair -> (ClientApp, String)? in
      guard pair.count == 2, let app = ClientApp(rawValue: pair[0]) else { return nil }
      return (app, pair[1])
    }
    return topics.count == pairs.count ? Dictionary(topics) { $1 } : nil
  }
  static let authoritiesFile = Setting<String?>(
    optional: "apns.authoritiesFile",
    expects: "a PEM file",
    "Certificate authorities of the push service. If unset, the system's are used"
  )

  static let all: [any SettingDescription] = [url, key, keyID, teamID, topics, authoritiesFile]
}
