import Contracts
import ServiceKit

/// Settings of Apple's push service; without a key nothing is pushed.
enum APNSSettings {
  static let url = Setting<String>(
    "apns.url",
    default: "https://api.push.apple.com",
    "Apple's push service, or its sandbox"
  )
  static let key = Setting<String?>(
    optional: "apns.key",
    expects: "the PEM text of a .p8 file",
    isSecret: true,
    "The key of provider tokens; unset: no push notifications"
  )
  static let keyID = Setting<String?>(optional: "apns.keyID", "The key's id")
  static let teamID = Setting<String?>(optional: "apns.teamID", "The team's id")
  static let topics = Setting<[ClientApp: String]>(
    "apns.topics",
    default: [:],
    expects: "pairs such as keepfit=com.example.keepfit, parted by commas",
    "The bundle id of each app"
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
    "Certificate authorities of the push service; unset: the system's"
  )

  static let all: [any SettingDescription] = [url, key, keyID, teamID, topics, authoritiesFile]
}
