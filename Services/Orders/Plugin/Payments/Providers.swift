import Contracts
import ServiceKit

/// The configured payment providers.
struct Providers: Sendable {
  private let providers: [PaymentProviderName: any PaymentProvider]
  /// `nil` if Stripe is not configured.
  let stripeSubscriptions: StripeSubscriptions?
  /// `nil` if StoreKit is not configured.
  let storeKit: StoreKitVerifier?

  init(_ environment: ServiceEnvironment) throws {
    let settings = environment.settings
    var providers: [PaymentProviderName: any PaymentProvider] = [:]
    // The test provider moves no money, so it is not available where real cards are charged.
    let isLive = try settings[OrdersSettings.stripeKey]?.hasPrefix("sk_live") == true
    if try !isLive && !settings[OrdersSettings.isProduction] {
      providers[.test] = TestProvider(secret: try settings[OrdersSettings.testSecret])
    }
    if let key = try settings[OrdersSettings.stripeKey] {
      guard let secret = try settings[OrdersSettings.stripeWebhookSecret] else {
        throw SettingError(OrdersSettings.stripeWebhookSecret, "is not set, but stripe.key is")
      }
      let url = try settings[OrdersSettings.stripeURL]
      let client = StripeClient(http: environment.http, origin: url, key: key)
      providers[.stripe] = StripeProvider(client: client, webhookSecret: secret, time: environment.time)
      stripeSubscriptions = StripeSubscriptions(client: client)
    } else {
      stripeSubscriptions = nil
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

  /// - Throws: ``Problem`` when the provider is not configured. StoreKit is never among these providers: the app
  ///   submits completed transactions.
  subscript(name: PaymentProviderName) -> any PaymentProvider {
    get throws(Problem) {
      guard let provider = providers[name] else { throw Problem(.providerNotAvailable) }
      return provider
    }
  }
}
