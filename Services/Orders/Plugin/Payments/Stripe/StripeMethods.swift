import Contracts

/// Cards kept for later payments (docs.stripe.com/payments/save-and-reuse): a setup intent asks the bank for its
/// consent and attaches the card to the user's customer.
struct StripeMethods: Sendable {
  let client: StripeClient
  let customers: StripeCustomers

  /// Starts the setup of a card, or queries one that has been started. The id is the idempotency key.
  func setUp(_ id: PaymentMethodID, _ token: ProviderToken?, of user: UserID) async throws -> ProviderMethod {
    var form = [
      ("usage", "off_session"), ("payment_method_types[]", "card"), ("metadata[method]", id.rawValue),
      ("expand[]", "payment_method"),
    ]
    if let token { form += [("payment_method", token.rawValue), ("confirm", "true")] }
    do {
      form.append(("customer", try await customers.id(of: user)))
      let setup: StripeSetup = try await client.post("/v1/setup_intents", form, idempotencyKey: id.rawValue)
      return try await method(of: setup)
    } catch let refusal as StripeClient.Refusal {
      return ProviderMethod(reference: refusal.setup, state: .failed, failure: refusal.reason)
    }
  }

  /// The state of a setup that has been started.
  func find(_ setup: String) async throws -> ProviderMethod {
    let setup: StripeSetup = try await client.get("\(Self.path(ofSetup: setup))?expand[]=payment_method")
    return try await method(of: setup)
  }

  private func method(of setup: StripeSetup) async throws -> ProviderMethod {
    var method = setup.method
    if method.state == .ready, method.card == nil, let token = method.token {
      let found: StripeMethod = try await client.get(Self.path(of: token))
      method.card = found.card?.shown
    }
    return method
  }

  // MARK: the end of a method; what has ended already is refused

  /// Detaches a card from its customer: it can no longer be charged.
  func detach(_ token: ProviderToken) async throws {
    do {
      let _: StripeMethod = try await client.post("\(Self.path(of: token))/detach", [], idempotencyKey: nil)
    } catch is StripeClient.Refusal {}
  }

  /// Cancels a setup; the card of one that has succeeded is detached.
  func cancel(_ setup: String) async throws {
    do {
      let _: StripeSetup = try await client.post("\(Self.path(ofSetup: setup))/cancel", [], idempotencyKey: nil)
    } catch is StripeClient.Refusal {
      let known = try await find(setup)
      if known.state == .ready, let token = known.token { try await detach(token) }
    }
  }

  private static func path(of token: ProviderToken) -> String {
    "/v1/payment_methods/\(PercentCoding.encode(token.rawValue))"
  }

  private static func path(ofSetup id: String) -> String { "/v1/setup_intents/\(PercentCoding.encode(id))" }
}

/// A setup intent (docs.stripe.com/api/setup_intents).
struct StripeSetup: Decodable {
  var id: String
  var status: String
  var clientSecret: String?
  var lastError: StripeIntent.Failure?
  var paymentMethod: StripeMethod?
  /// `method` is our id of the payment method.
  var metadata: [String: String]?

  private enum CodingKeys: String, CodingKey {
    case id, status, metadata
    case clientSecret = "client_secret"
    case lastError = "last_setup_error"
    case paymentMethod = "payment_method"
  }

  var method: ProviderMethod {
    let state: PaymentMethod.State =
      switch status {
      case "succeeded": .ready
      case "canceled": .failed
      case "requires_payment_method" where lastError != nil: .failed
      case "processing": .pending
      default: .requiresAction
      }
    return ProviderMethod(
      reference: id, state: state, token: paymentMethod.flatMap { try? ProviderToken(validating: $0.id) },
      card: paymentMethod?.card?.shown, clientSecret: clientSecret,
      failure: state == .failed ? lastError?.code ?? status : nil
    )
  }
}

/// A payment method: its id alone, unless the request expands it.
struct StripeMethod: Decodable {
  struct Card: Decodable {
    var brand: String
    var last4: String
    var month: Int
    var year: Int
    private enum CodingKeys: String, CodingKey {
      case brand, last4
      case month = "exp_month"
      case year = "exp_year"
    }

    var shown: PaymentMethod.Card {
      PaymentMethod.Card(brand: brand, lastFour: last4, expiryMonth: month, expiryYear: year)
    }
  }

  var id: String
  var card: Card?

  private enum CodingKeys: String, CodingKey { case id, card }

  init(from decoder: any Decoder) throws {
    if let id = try? decoder.singleValueContainer().decode(String.self) {
      self.id = id
    } else {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      id = try fields.decode(String.self, forKey: .id)
      card = try fields.decodeIfPresent(Card.self, forKey: .card)
    }
  }
}

/// Events about setups and kept cards.
enum StripeMethodEvent {
  static func content(of type: String, _ body: [UInt8]) throws -> ProviderNotification.Content {
    if type.hasPrefix("setup_intent.") {
      let setup: StripeSetup = try StripeEvent.object(in: body)
      return .method(.setup(id: setup.metadata?["method"].flatMap { PaymentMethodID($0) }, reference: setup.id))
    }
    let method: StripeMethod = try StripeEvent.object(in: body)
    guard let token = try? ProviderToken(validating: method.id) else { return .other }
    if type == "payment_method.detached" { return .method(.detached(token)) }
    return method.card.map { .method(.updated(token, $0.shown)) } ?? .other
  }
}
