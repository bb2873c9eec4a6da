import Contracts
import Foundation
import ServiceKit

enum LivestreamSettings {
  static let accountID = Setting<String?>(
    optional: "zoom.accountId",
    "The account of Zoom's server-to-server OAuth app; without it, live streams need a link of another provider"
  )
  static let clientID = Setting<String?>(
    optional: "zoom.clientId", "The client ID of Zoom's server-to-server OAuth app")
  static let clientSecret = Setting<String?>(
    optional: "zoom.clientSecret", isSecret: true, "The client secret of Zoom's server-to-server OAuth app"
  )
  static let webhookSecret = Setting<String?>(
    optional: "zoom.webhookSecret", isSecret: true, "The secret token with which Zoom signs webhooks"
  )
  static let users = Setting<[String]>(
    "zoom.users", default: ["me"],
    expects: "IDs or email addresses of at most 100 users of the Zoom account, separated by commas",
    "The users of Zoom in whose names meetings are created, each at most \(ZoomRequestStore.dailyLimit) a day",
    describe: { $0.joined(separator: ",") }
  ) { text in
    let users = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    return (1...100).contains(users.count) && Set(users).count == users.count ? users : nil
  }
  static let plan = Setting<ZoomPlan>("zoom.plan", default: .free, "The plan of the Zoom account, for its rate limits")
  static let apiURL = Setting<String>("zoom.apiUrl", default: "https://api.zoom.us", "The URL of Zoom's API")
  static let oauthURL = Setting<String>("zoom.oauthUrl", default: "https://zoom.us", "The URL of Zoom's OAuth server")
  static let graceHours = Setting<Int>(
    "livestreams.graceHours", default: 24, in: 1...720,
    "Hours after the planned end of a live stream after which it is deleted"
  )

  static let all: [any SettingDescription] = [
    accountID, clientID, clientSecret, webhookSecret, users, plan, apiURL, oauthURL, graceHours,
  ]
}
