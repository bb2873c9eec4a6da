import Contracts
import Crypto
import Foundation
import HTTPServing
import HTTPTypes
import Persistence
import ServiceKit

/// An event about a meeting, as reported by Zoom.
struct ZoomMeetingEvent: Sendable, Equatable {
  enum Kind: Sendable { case started, ended }

  var kind: Kind
  var meeting: Int64
  var at: Timestamp
}

/// Webhooks from Zoom (developers.zoom.us/docs/api/webhooks).
struct ZoomWebhooks: Feature {
  /// How far the time of a signature may be from now, in seconds.
  private static let tolerance = 300.0

  private let secret: SymmetricKey?
  private let transitions: LivestreamTransitions
  private let database: any Database
  private let time: TimeSource

  init(_ core: MediaCore, secret: String?, transitions: LivestreamTransitions) {
    self.secret = secret.map { SymmetricKey(data: Data($0.utf8)) }
    self.transitions = transitions
    (database, time) = (core.database, core.time)
  }

  func register(in routes: inout Routes) {
    routes.on(MediaAPI.ReceiveZoomWebhook.self) { request, call in
      guard let secret else { throw Problem(.notFound) }
      guard isSigned(request.body.bytes, call.headers, secret) else { throw Problem(.webhookInvalid) }
      return try await receive(request.body.bytes, secret)
    }
  }

  private func isSigned(_ body: [UInt8], _ headers: HTTPFields, _ secret: SymmetricKey) -> Bool {
    guard let signature = headers[.zoomSignature], let stamp = headers[.zoomTimestamp], let seconds = Int64(stamp),
      // The difference is a `Double`: the header can hold any number, and the subtraction must not overflow.
      abs(Double(time.now().unixSeconds) - Double(seconds)) <= Self.tolerance
    else { return false }
    let wanted = "v0=" + Self.mac(Array("v0:\(stamp):".utf8) + body, secret)
    return SecureBytes.areEqual(Array(signature.utf8), Array(wanted.utf8))
  }

  private static func mac(_ bytes: [UInt8], _ secret: SymmetricKey) -> String {
    HMAC<SHA256>.authenticationCode(for: bytes, using: secret)
      .reduce(into: "") { text, byte in text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
  }

  private func receive(_ body: [UInt8], _ secret: SymmetricKey) async throws -> ZoomWebhookReceipt {
    let webhook: ZoomWebhook
    do { webhook = try WireJSON.decode(ZoomWebhook.self, from: body) } catch { throw Problem(.webhookInvalid) }
    if webhook.event == "endpoint.url_validation" {
      guard let token = webhook.payload?.plainToken else { throw Problem(.webhookInvalid) }
      return ZoomWebhookReceipt(plainToken: token, encryptedToken: Self.mac(Array(token.utf8), secret))
    }
    // Other meetings of the account, and other events, are not of interest.
    guard let event = webhook.meetingEvent else { return ZoomWebhookReceipt() }
    try await database.write { tx in try transitions.apply(event, in: tx) }
    return ZoomWebhookReceipt()
  }
}

private struct ZoomWebhook: Decodable {
  struct Payload: Decodable {
    struct Object: Decodable { var id: JSONValue? }
    var plainToken: String?
    var object: Object?
  }

  var event: String
  /// Milliseconds since 1970.
  var time: Int64?
  var payload: Payload?

  private enum CodingKeys: String, CodingKey {
    case event, payload
    case time = "event_ts"
  }

  var meetingEvent: ZoomMeetingEvent? {
    let kinds: [String: ZoomMeetingEvent.Kind] = ["meeting.started": .started, "meeting.ended": .ended]
    guard let kind = kinds[event], let at = time.flatMap({ Timestamp(milliseconds: $0) }) else { return nil }
    // Zoom writes the number as text.
    let id: Int64? =
      switch payload?.object?.id {
      case .string(let text): Int64(text)
      case .integer(let number): number
      default: nil
      }
    return id.map { ZoomMeetingEvent(kind: kind, meeting: $0, at: at) }
  }
}

extension HTTPField.Name {
  fileprivate static let zoomSignature = Self(known: "x-zm-signature")
  fileprivate static let zoomTimestamp = Self(known: "x-zm-request-timestamp")
}
