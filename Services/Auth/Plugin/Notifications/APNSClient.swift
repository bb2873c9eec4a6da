import Contracts
import CurlClient
import Foundation
import HTTPServing
import HTTPTypes
import JWTKit
import ServiceKit
import Synchronization

/// Client of the Apple Push Notification service: HTTP/2 through CurlClient, ES256 provider tokens.
/// (Apple, "Sending notification requests to APNs" and "Establishing a token-based connection to APNs".)
final class APNSClient: Sendable {
  enum Answer: Equatable, Sendable {
    case delivered
    /// The installation is gone, or the token belongs to another app.
    case deviceGone
    case refused(String)
    case retry
  }

  private struct ProviderClaims: JWTPayload {
    var iss: String
    var iat: Int64
    func verify(using algorithm: some JWTAlgorithm) {}
  }

  /// Seconds. Apple rejects tokens older than an hour, and clients that create new ones more than once in 20 minutes.
  private static let tokenLife = 2400.0

  private let origin: String
  private let topics: [ClientApp: String]
  private let teamID: String
  private let keys = JWTKeyCollection()
  private let keyID: JWKIdentifier
  private let http: CurlClient
  private let time: TimeSource
  private let token = Mutex<(text: String, madeAt: Timestamp)?>(nil)

  /// `nil` when no key is set.
  init?(_ settings: Settings, time: TimeSource) async throws {
    guard let pem = try settings[APNSSettings.key] else { return nil }
    guard let keyID = try settings[APNSSettings.keyID] else { throw SettingError(APNSSettings.keyID, "is not set") }
    guard let teamID = try settings[APNSSettings.teamID] else { throw SettingError(APNSSettings.teamID, "is not set") }
    guard let key = try? ES256PrivateKey(pem: pem) else { throw SettingError(APNSSettings.key, "is invalid") }
    self.teamID = teamID
    self.keyID = JWKIdentifier(string: keyID)
    origin = try settings[APNSSettings.url]
    topics = try settings[APNSSettings.topics]
    self.time = time
    var configuration = CurlClient.Configuration()
    configuration.usesHTTP2 = true
    configuration.authoritiesFile = try settings[APNSSettings.authoritiesFile]
    http = CurlClient(configuration: configuration)
    await keys.add(ecdsa: key, kid: self.keyID)
  }

  func shutdown() async { await http.shutdown() }

  /// - Parameter id: The same for all attempts, so that Apple's service recognizes duplicates.
  func send(_ push: Push, to device: StoredDevice, id: String) async throws -> Answer {
    guard let topic = topics[device.app] else { return .refused("no topic for \(device.app.rawValue)") }
    var members: [(String, JSONValue?)] = [
      ("aps", ["alert": ["title": .string(push.title), "body": .string(push.text)]])
    ]
    for (name, value) in (push.data ?? [:]).sorted(by: { $0.key < $1.key }) { members.append((name, .string(value))) }
    let payload = JSONValue.object(members)
    let response = try await http.execute(
      ClientRequest(
        .post,
        origin: origin,
        target: "/3/device/\(device.token)",
        headers: [
          .authorization: "bearer \(try await providerToken())",
          .contentType: "application/json",
          HTTPField.Name.apnsTopic: topic,
          HTTPField.Name.apnsPushType: "alert",
          HTTPField.Name.apnsID: id,
          HTTPField.Name.apnsExpiration: "\(time.now().unixSeconds + 86_400)",
        ],
        body: .bytes(try WireJSON.encode(payload)),
        timeouts: .init(firstByte: 20, total: 20),
        isRepeatable: true
      )
    )
    let body = try await response.body.collect(upTo: 10_000)
    struct Refusal: Decodable { var reason: String }
    let reason = (try? WireJSON.decode(Refusal.self, from: body))?.reason ?? ""
    switch (response.status, reason) {
    case (200, _): return .delivered
    case (410, _), (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"): return .deviceGone
    case (403, "ExpiredProviderToken"):
      token.withLock { $0 = nil }
      return .retry
    case (429, _), (500..., _): return .retry
    default: return .refused("status \(response.status) \(reason)")
    }
  }

  private func providerToken() async throws -> String {
    let now = time.now()
    if let known = token.withLock({ $0 }), now.seconds(since: known.madeAt) < Self.tokenLife { return known.text }
    let text = try await keys.sign(ProviderClaims(iss: teamID, iat: now.unixSeconds), kid: keyID)
    token.withLock { $0 = (text, now) }
    return text
  }
}

extension HTTPField.Name {
  fileprivate static let apnsTopic = Self(known: "apns-topic")
  fileprivate static let apnsPushType = Self(known: "apns-push-type")
  fileprivate static let apnsID = Self(known: "apns-id")
  fileprivate static let apnsExpiration = Self(known: "apns-expiration")
}
