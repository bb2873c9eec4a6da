import Contracts

/// Stripe's lists of charges, refunds and disputes, newest first (docs.stripe.com/api/pagination).
struct StripeReport: Sendable {
  let client: StripeClient

  /// The size of a page: it is held in memory.
  private static let pageSize = 50

  struct Charge: Decodable, Sendable {
    var id: String
    var status: String
    var amountCaptured: Int64
    var currency: String
    var paymentIntent: String?
    var metadata: [String: String]?

    private enum CodingKeys: String, CodingKey {
      case id, status, currency, metadata
      case amountCaptured = "amount_captured"
      case paymentIntent = "payment_intent"
    }

    /// The amount that Stripe has received; `nil` for a charge that has failed or is not captured.
    var received: Money? {
      guard status == "succeeded", amountCaptured > 0, let currency = Currency(currency.uppercased()) else {
        return nil
      }
      return StripeAmount.decode(amountCaptured, currency)
    }

    var payment: PaymentID? { metadata?["payment"].flatMap { PaymentID($0) } }
  }

  private struct List<Item: Decodable>: Decodable {
    var data: [Item]
    var hasMore: Bool
    private enum CodingKeys: String, CodingKey {
      case data
      case hasMore = "has_more"
    }
  }

  func charges(since: Timestamp, _ body: ([Charge]) async throws -> Void) async throws {
    try await pages("/v1/charges", since, \.id, body)
  }

  func refunds(since: Timestamp, _ body: ([StripeRefund]) async throws -> Void) async throws {
    try await pages("/v1/refunds", since, \.id, body)
  }

  func disputes(since: Timestamp, _ body: ([StripeDispute]) async throws -> Void) async throws {
    try await pages("/v1/disputes", since, \.id, body)
  }

  private func pages<Item: Decodable>(
    _ path: String, _ since: Timestamp, _ id: (Item) -> String, _ body: ([Item]) async throws -> Void
  ) async throws {
    let first = "\(path)?limit=\(Self.pageSize)&created%5Bgte%5D=\(max(0, since.unixSeconds))"
    var page = first
    while true {
      let list: List<Item> = try await client.get(page)
      try await body(list.data)
      guard list.hasMore, let last = list.data.last else { return }
      page = "\(first)&starting_after=\(PercentCoding.encode(id(last)))"
    }
  }

  /// The amount that Stripe has received for a payment; `nil` when it does not know it or has received nothing.
  func received(for intent: String) async throws -> Money? {
    let list: List<Charge> = try await client.get(
      "/v1/charges?limit=\(Self.pageSize)&payment_intent=\(PercentCoding.encode(intent))")
    return list.data.compactMap(\.received).first
  }

  /// A refund or dispute that Stripe made on its own account; `false` when it does not know it.
  func contains(_ reference: String) async throws -> Bool {
    let isRefund = reference.hasPrefix("re_") || reference.hasPrefix("pyr_")
    do {
      let _: StripeNamed = try await client.get(
        "/v1/\(isRefund ? "refunds" : "disputes")/\(PercentCoding.encode(reference))")
      return true
    } catch is StripeClient.Refusal {
      return false
    }
  }
}
