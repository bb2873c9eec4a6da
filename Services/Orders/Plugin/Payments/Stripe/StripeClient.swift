import Contracts
import CurlClient
import Foundation
import HTTPServing
import HTTPTypes
import ServiceKit

/// A client of Stripe's API: form-encoded requests, JSON responses (docs.stripe.com/api).
struct StripeClient: Sendable {
  /// Stripe did not respond, or its response does not show whether the request took effect.
  struct Unavailable: Error { var status: Int? }
  /// Stripe rejected the request.
  struct Refusal: Error {
    var reason: String
    /// The id of the rejected payment intent.
    var payment: String?
    /// The id of the rejected setup intent.
    var setup: String?
  }

  private let http: CurlClient
  private let origin: String
  private let key: String

  init(http: CurlClient, origin: String, key: String) {
    self.http = http
    self.origin = origin
    self.key = key
  }

  /// - Parameter idempotencyKey: Identifies a repeated request to Stripe for 24 hours, during which Stripe repeats its
  ///   first response, even a refusal. `nil` for a request whose repetition does nothing.
  func post<Answer: Decodable>(_ path: String, _ form: [(String, String)], idempotencyKey: String?) async throws
    -> Answer
  {
    let body = form.map { "\(PercentCoding.encode($0.0))=\(PercentCoding.encode($0.1))" }.joined(separator: "&")
    var headers = authorized
    headers[.contentType] = "application/x-www-form-urlencoded"
    if let idempotencyKey { headers[.idempotencyKey] = idempotencyKey }
    return try await send(
      ClientRequest(
        .post,
        origin: origin,
        target: path,
        headers: headers,
        body: .bytes(Array(body.utf8)),
        timeouts: Self.timeouts,
        isRepeatable: true
      )
    )
  }

  func get<Answer: Decodable>(_ path: String) async throws -> Answer {
    try await send(
      ClientRequest(
        .get,
        origin: origin,
        target: path,
        headers: authorized,
        timeouts: Self.timeouts,
        isRepeatable: true
      )
    )
  }

  func delete<Answer: Decodable>(_ path: String) async throws -> Answer {
    try await send(
      ClientRequest(
        .delete,
        origin: origin,
        target: path,
        headers: authorized,
        timeouts: Self.timeouts,
        isRepeatable: true
      )
    )
  }

  /// The version whose objects are decoded here; by default it would be that of the account.
  private static let version = "2024-06-20"

  private var authorized: HTTPFields {
    var headers: HTTPFields = [.authorization: "Bearer \(key)"]
    if let name = HTTPField.Name("Stripe-Version") { headers[name] = Self.version }
    return headers
  }
  private static let timeouts = ClientRequest.Timeouts(firstByte: 15, total: 20)

  private struct Failure: Decodable {
    struct Details: Decodable {
      struct Intent: Decodable { var id: String }
      var code: String?
      var type: String?
      var paymentIntent: Intent?
      var setupIntent: Intent?
      private enum CodingKeys: String, CodingKey {
        case code, type
        case paymentIntent = "payment_intent"
        case setupIntent = "setup_intent"
      }
    }
    var error: Details
  }

  private func send<Answer: Decodable>(_ request: ClientRequest) async throws -> Answer {
    let response = try await http.execute(request)
    let body = try await response.body.collect(upTo: 1 << 20)
    switch response.status {
    case 200..<300:
      // The effect of a success that cannot be read is unknown.
      do { return try WireJSON.decode(Answer.self, from: body) } catch { throw Unavailable(status: response.status) }
    // Invalid API keys, rate limits and idempotency key conflicts are not caused by the buyer.
    case 401, 403, 409, 429, 500...: throw Unavailable(status: response.status)
    default:
      let details = try? WireJSON.decode(Failure.self, from: body).error
      throw Refusal(
        reason: details?.code ?? details?.type ?? "status_\(response.status)",
        payment: details?.paymentIntent?.id,
        setup: details?.setupIntent?.id
      )
    }
  }
}
