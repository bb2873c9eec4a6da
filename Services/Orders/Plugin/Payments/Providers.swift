import Contracts
import Logging
import ServiceKit

/// The configured payment providers.
struct Providers: Sendable {
  private let providers: [PaymentProviderName: any PaymentProvider]
  /// `nil` if Stripe is not configured, as are the two below.
  let stripeSubscriptions: StripeSubscriptions?
  let stripeCustomers: StripeCustomers?
  let stripeMethods: StripeMethods?
  /// `nil` if StoreKit is not configured.
  let storeKit: StoreKitVerifier?

  init(_ environment: ServiceEnvironment) throws {
    let settings = environment.settings
    var providers: [PaymentProviderName: any PaymentProvider] = [:]
    if try settings[OrdersSettings.acceptsTestPayments] {
      // The test provider moves no money, so it is refused where others do.
      guard try !Self.isLive(settings[OrdersSettings.stripeKey]) else {
        throw SettingError(OrdersSettings.acceptsTestPayments, "is true, but stripe.key charges real cards")
      }
      guard try settings[OrdersSettings.storeKitBundle] == nil || settings[OrdersSettings.acceptsSandbox] else {
        throw SettingError(
          OrdersSettings.acceptsTestPayments,
          "is true, but purchases of storekit.bundleId cost money unless storekit.sandbox is true")
      }
      environment.logger.warning(
        "payments of the test provider are accepted: whoever uses it gets everything for free",
        metadata: ["setting": "\(OrdersSettings.acceptsTestPayments.key)"])
      providers[.test] = TestProvider(secret: try settings[OrdersSettings.testSecret])
    }
    if let key = try settings[OrdersSettings.stripeKey] {
      guard let secret = try settings[OrdersSettings.stripeWebhookSecret] else {
        throw SettingError(OrdersSettings.stripeWebhookSecret, "is not set, but stripe.key is")
      }
      let url = try settings[OrdersSettings.stripeURL]
      let client = StripeClient(http: environment.http, origin: url, key: key)
      let customers = StripeCustomers(database: try environment.database, client: client)
      providers[.stripe] = StripeProvider(
        client: client, customers: customers, webhookSecret: secret, time: environment.time)
      stripeSubscriptions = StripeSubscriptions(client: client)
      (stripeCustomers, stripeMethods) = (customers, StripeMethods(client: client, customers: customers))
    } else {
      (stripeSubscriptions, stripeCustomers, stripeMethods) = (nil, nil, nil)
    }
    if try settings[OrdersSettings.storeKitBundle] != nil {
      guard let root = try settings[OrdersSettings.storeKitRoot] else {
        throw SettingError(OrdersSettings.storeKitRoot, "is not set, but storekit.bundleId is")
      }
      let asks = try settings[OrdersSettings.storeKitChecksRevocation]
      do {
        storeKit = try StoreKitVerifier(rootFile: root, http: asks ? environment.http : nil, time: environment.time)
      } catch {
        throw SettingError(OrdersSettings.storeKitRoot, "cannot be read as a certificate")
      }
    } else {
      storeKit = nil
    }
    self.providers = providers
  }

  /// Whether a key of Stripe charges real cards: a secret key or a restricted one.
  static func isLive(_ key: String?) -> Bool {
    key.map { $0.hasPrefix("sk_live_") || $0.hasPrefix("rk_live_") } ?? false
  }

  /// - Throws: ``Problem`` when the provider is not configured. StoreKit is never among these providers: the app
  ///   submits completed transactions.
  subscript(name: PaymentProviderName) -> any PaymentProvider {
    get throws(Problem) {
      guard let provider = providers[name] else { throw Problem(.providerNotAvailable) }
      return provider
    }
  }
}
