import Contracts
import Persistence
import ServiceKit

/// A saved payment method, as stored.
struct StoredMethod: Sendable, Equatable {
  var id: PaymentMethodID
  var userID: UserID
  var provider: PaymentProviderName
  /// Encrypted.
  var token: String?
  var label: String
  var state: PaymentMethod.State
  /// The provider's id of the setup.
  var setup: String?
  /// Encrypted.
  var clientSecret: String?
  var failure: String?
  var card: PaymentMethod.Card?
  var createdAt: Timestamp

  /// Whether its setup may still go on; the app can repeat one that failed.
  var isOpen: Bool { state != .ready }
}

/// Saved payment methods; the providers' tokens and client secrets are encrypted.
struct PaymentMethodStore: Sendable {
  let keys: DataKeys

  static let tokenColumn = SealedColumn("payment_methods", "token")
  static let secretColumn = SealedColumn("payment_methods", "client_secret")

  // MARK: reading

  func list(of user: UserID, in db: any Connection) throws -> [StoredMethod] {
    try db.all("SELECT \(Self.columns) FROM payment_methods WHERE user_id = \(user) ORDER BY id", Self.decode)
  }

  func find(_ id: PaymentMethodID, in db: any Connection) throws -> StoredMethod? {
    try db.first("SELECT \(Self.columns) FROM payment_methods WHERE id = \(id)", Self.decode)
  }

  /// - Throws: ``Problem`` when the user has no such payment method.
  func get(_ id: PaymentMethodID, of user: UserID, in db: any Connection) throws -> StoredMethod {
    guard let method = try find(id, in: db), method.userID == user else { throw Problem(.paymentMethodNotFound) }
    return method
  }

  func find(setup: String, in db: any Connection) throws -> StoredMethod? {
    try db.first("SELECT \(Self.columns) FROM payment_methods WHERE setup = \(setup)", Self.decode)
  }

  /// Whether a user keeps a card.
  func exists(_ token: ProviderToken, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM payment_methods WHERE token_lookup = \(lookup(token))")
  }

  /// The provider token of a choice: that of the saved payment method it refers to, or the one it contains.
  func token(of choice: PaymentChoice, user: UserID, in db: any Connection) throws -> ProviderToken? {
    guard let id = choice.paymentMethodID else { return choice.token }
    let method = try get(id, of: user, in: db)
    guard method.provider == choice.provider else { throw Problem(.paymentMethodNotFound) }
    guard method.state == .ready, let token = try token(of: method) else { throw Problem(.paymentMethodNotReady) }
    return token
  }

  private static let columns: SQL = """
    id, user_id, provider, token, label, state, setup, client_secret, failure, brand, last_four, expiry_month,
    expiry_year, created_at
    """

  private static func decode(_ row: Row) throws -> StoredMethod {
    StoredMethod(
      id: try row["id"], userID: try row["user_id"], provider: try row["provider"], token: try row["token"],
      label: try row["label"], state: try row["state"], setup: try row["setup"],
      clientSecret: try row["client_secret"], failure: try row["failure"], card: try card(row),
      createdAt: try row["created_at"]
    )
  }

  private static func card(_ row: Row) throws -> PaymentMethod.Card? {
    let brand: String? = try row["brand"]
    return try brand.map {
      PaymentMethod.Card(
        brand: $0, lastFour: try row["last_four"], expiryMonth: try row["expiry_month"],
        expiryYear: try row["expiry_year"])
    }
  }

  // MARK: writing

  func insert(_ method: StoredMethod, token: ProviderToken?, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO payment_methods (id, user_id, provider, token, token_lookup, label, state, created_at)
      VALUES (\(method.id), \(method.userID), \(method.provider), \(seal(token, of: method.id)),
              \(lookup(token)), \(method.label), \(method.state), \(method.createdAt))
      """
    )
  }

  /// Stores the provider's state of a method.
  func update(_ id: PaymentMethodID, to known: ProviderMethod, in tx: Transaction) throws {
    let secret = known.state == .requiresAction ? known.clientSecret : nil
    let sealed = try secret.map { try keys.seal(Array($0.utf8), in: Self.secretColumn, row: id.rawValue) }
    try tx.execute(
      """
      UPDATE payment_methods SET state = \(known.state), setup = COALESCE(\(known.reference), setup),
        token = COALESCE(\(seal(known.token, of: id)), token),
        token_lookup = COALESCE(\(lookup(known.token)), token_lookup), client_secret = \(sealed),
        failure = \(known.failure), brand = \(known.card?.brand), last_four = \(known.card?.lastFour),
        expiry_month = \(known.card?.expiryMonth), expiry_year = \(known.card?.expiryYear)
      WHERE id = \(id)
      """
    )
  }

  /// Notes that the provider is asked for the state of a method.
  /// - Returns: `false` when it was asked less than so many seconds ago.
  static func claimQuestion(_ id: PaymentMethodID, every seconds: Double, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      UPDATE payment_methods SET asked_at = \(tx.now)
      WHERE id = \(id) AND COALESCE(asked_at, 0) <= \(tx.now.advanced(bySeconds: -seconds))
      """
    ) == 1
  }

  /// Stores what a card shows after its bank has replaced it.
  func update(_ token: ProviderToken, to card: PaymentMethod.Card, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE payment_methods SET brand = \(card.brand), last_four = \(card.lastFour),
        expiry_month = \(card.expiryMonth), expiry_year = \(card.expiryYear)
      WHERE token_lookup = \(lookup(token))
      """
    )
  }

  /// Deletes a method that its provider no longer charges.
  func delete(_ token: ProviderToken, in tx: Transaction) throws {
    try tx.execute("DELETE FROM payment_methods WHERE token_lookup = \(lookup(token))")
  }

  static func delete(_ id: PaymentMethodID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM payment_methods WHERE id = \(id)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM payment_methods WHERE user_id = \(user)")
  }

  // MARK: encrypted fields

  func token(of method: StoredMethod) throws -> ProviderToken? {
    try method.token.map { sealed in
      let bytes = try keys.open(sealed, in: Self.tokenColumn, row: method.id.rawValue)
      return ProviderToken(checked: String(decoding: bytes, as: UTF8.self))
    }
  }

  /// The method as shown to the user it belongs to.
  func response(_ method: StoredMethod) throws -> PaymentMethod {
    let secret = try method.clientSecret.map { sealed in
      String(decoding: try keys.open(sealed, in: Self.secretColumn, row: method.id.rawValue), as: UTF8.self)
    }
    return PaymentMethod(
      id: method.id, provider: method.provider, label: method.label, state: method.state, card: method.card,
      clientSecret: secret, failure: method.failure, createdAt: method.createdAt
    )
  }

  private func seal(_ token: ProviderToken?, of id: PaymentMethodID) throws -> String? {
    try token.map { try keys.seal(Array($0.rawValue.utf8), in: Self.tokenColumn, row: id.rawValue) }
  }

  private func lookup(_ token: ProviderToken?) -> String? {
    token.map { keys.lookup($0.rawValue, for: "payment-method") }
  }
}
