import Contracts
import Persistence

/// Stripe's customers (docs.stripe.com/api/customers). Every payment, kept card and subscription of a user is that of
/// one customer: Stripe refuses to charge a kept card with any other.
struct StripeCustomers: Sendable {
  let database: any Database
  let client: StripeClient

  private struct Customer: Decodable { var id: String }

  /// The user's only customer, created when it is first needed.
  func id(of user: UserID) async throws -> String {
    if let known = try await database.read({ db in try StripeCustomerStore.find(user, in: db) }) { return known }
    let made: Customer = try await client.post(
      "/v1/customers", [("metadata[user]", user.rawValue)], idempotencyKey: "customer-\(user)")
    return try await database.write { tx in
      try StripeCustomerStore.insert(made.id, of: user, in: tx)
      return try StripeCustomerStore.find(user, in: tx) ?? made.id
    }
  }

  /// Deletes a customer with its cards and subscriptions.
  func delete(_ customer: String) async throws {
    let _: Customer = try await client.delete("/v1/customers/\(PercentCoding.encode(customer))")
  }
}
