import Contracts
import Crypto
import Persistence
import ServiceKit

/// A request to a guardian, as stored.
struct GuardianRequest: Sendable {
  enum State: String, Sendable { case asked, given, refused, withdrawn }

  var id: String
  var user: UserID
  var guardian: String
  var textVersion: String
  var state: State
  var expiresAt: Timestamp
}

/// Countries of users, and what their guardians have decided. Addresses of guardians are encrypted, tokens are hashed.
struct GuardianStore: Sendable {
  let keys: DataKeys

  static let guardianColumn = SealedColumn("guardian_requests", "guardian")

  private static let columns: SQL = "id, user_id, guardian, text_version, state, expires_at"

  // MARK: reading

  static func country(of user: UserID, in db: any Connection) throws -> CountryCode? {
    try db.first("SELECT country FROM user_countries WHERE user_id = \(user)") { row in try row["country"] }
  }

  static func countries(of users: [UserID], in db: any Connection) throws -> [UserID: CountryCode] {
    guard !users.isEmpty else { return [:] }
    let rows = try db.all("SELECT user_id, country FROM user_countries WHERE user_id IN \(list: users)") {
      row -> (user: UserID, country: CountryCode) in (try row["user_id"], try row["country"])
    }
    return Dictionary(rows.map { ($0.user, $0.country) }) { first, _ in first }
  }

  /// The users whose guardians consent.
  static func consented(among users: [UserID], in db: any Connection) throws -> Set<UserID> {
    guard !users.isEmpty else { return [] }
    let given = GuardianRequest.State.given
    return Set(
      try db.values(
        "SELECT user_id FROM guardian_requests WHERE user_id IN \(list: users) AND state = \(given)", as: UserID.self))
  }

  /// The request that counts: one that was consented to, otherwise the latest one that did not expire unanswered.
  func latest(of user: UserID, at now: Timestamp, in db: any Connection) throws -> GuardianRequest? {
    try db.first(
      """
      SELECT \(Self.columns) FROM guardian_requests
      WHERE user_id = \(user) AND (state <> \(GuardianRequest.State.asked) OR expires_at > \(now))
      ORDER BY CASE WHEN state = \(GuardianRequest.State.given) THEN 0 ELSE 1 END, id DESC LIMIT 1
      """, decode)
  }

  /// The last request to which a guardian has said no, or no longer says yes.
  func refusal(of user: UserID, in db: any Connection) throws -> GuardianRequest? {
    try db.first(
      """
      SELECT \(Self.columns) FROM guardian_requests
      WHERE user_id = \(user)
        AND (state = \(GuardianRequest.State.refused) OR state = \(GuardianRequest.State.withdrawn))
      ORDER BY id DESC LIMIT 1
      """, decode)
  }

  /// The request of a token, unless it expired unanswered.
  func find(_ token: GuardianToken, at now: Timestamp, in db: any Connection) throws -> GuardianRequest? {
    let found = try db.first(
      "SELECT \(Self.columns) FROM guardian_requests WHERE token_hash = \(Self.hash(token))", decode)
    guard let found, found.state != .asked || found.expiresAt > now else { return nil }
    return found
  }

  func list(of user: UserID, in db: any Connection) throws -> [JSONValue] {
    try db.all(
      """
      SELECT \(Self.columns), asked_at, decided_at FROM guardian_requests WHERE user_id = \(user) ORDER BY id LIMIT 1000
      """
    ) { row in
      let request = try decode(row)
      let (askedAt, decidedAt): (Timestamp, Timestamp?) = (try row["asked_at"], try row["decided_at"])
      let members: [(String, JSONValue?)] = [
        ("guardian", .string(request.guardian)), ("textVersion", .string(request.textVersion)),
        ("state", .string(request.state.rawValue)), ("askedAt", .string(askedAt.description)),
        ("decidedAt", decidedAt.map { .string($0.description) }),
      ]
      return .object(members)
    }
  }

  private func decode(_ row: Row) throws -> GuardianRequest {
    let id: String = try row["id"]
    let state: String = try row["state"]
    let guardian = try keys.open(try row["guardian"], in: Self.guardianColumn, row: id)
    return GuardianRequest(
      id: id, user: try row["user_id"], guardian: String(decoding: guardian, as: UTF8.self),
      textVersion: try row["text_version"], state: GuardianRequest.State(rawValue: state) ?? .refused,
      expiresAt: try row["expires_at"])
  }

  private static func hash(_ token: GuardianToken) -> String {
    Base64URL.encode(SHA256.hash(data: Array("guardian\n\(token.rawValue)".utf8)))
  }

  // MARK: writing

  static func setCountry(_ country: CountryCode, of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO user_countries (user_id, country) VALUES (\(user), \(country))
      ON CONFLICT (user_id) DO UPDATE SET country = excluded.country
      """
    )
  }

  /// Replaces requests that were not answered.
  func insert(_ request: GuardianRequest, _ token: GuardianToken, in tx: Transaction) throws {
    try Self.deleteUnanswered(of: request.user, in: tx)
    let sealed = try keys.seal(Array(request.guardian.utf8), in: Self.guardianColumn, row: request.id)
    try tx.execute(
      """
      INSERT INTO guardian_requests
        (id, user_id, guardian, token_hash, text_version, state, asked_at, expires_at)
      VALUES (\(request.id), \(request.user), \(sealed), \(Self.hash(token)), \(request.textVersion),
              \(request.state), \(tx.now), \(request.expiresAt))
      """
    )
  }

  /// Deletes the unanswered requests of a user.
  static func deleteUnanswered(of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      "DELETE FROM guardian_requests WHERE user_id = \(user) AND state = \(GuardianRequest.State.asked)")
  }

  /// Withdraws all consents of a user's guardians, who may have several links to consent by.
  /// - Returns: How many there were.
  static func withdrawAll(of user: UserID, in tx: Transaction) throws -> Int {
    try tx.execute(
      """
      UPDATE guardian_requests SET state = \(GuardianRequest.State.withdrawn), decided_at = \(tx.now)
      WHERE user_id = \(user) AND state = \(GuardianRequest.State.given)
      """
    )
  }

  /// - Returns: `false` when it was in another state meanwhile.
  static func decide(
    _ request: GuardianRequest, _ state: GuardianRequest.State, in tx: Transaction
  ) throws -> Bool {
    try tx.execute(
      """
      UPDATE guardian_requests SET state = \(state), decided_at = \(tx.now)
      WHERE id = \(request.id) AND state = \(request.state)
      """
    ) == 1
  }

  /// Deletes the requests to guardians who have said no, and those that were not answered.
  /// - Returns: How many there were.
  static func deleteRefused(of user: UserID, in tx: Transaction) throws -> Int {
    try tx.execute(
      "DELETE FROM guardian_requests WHERE user_id = \(user) AND state <> \(GuardianRequest.State.given)")
  }

  /// Deletes unanswered requests that have expired.
  static func deleteExpired(in tx: Transaction) throws {
    try tx.execute(
      "DELETE FROM guardian_requests WHERE state = \(GuardianRequest.State.asked) AND expires_at < \(tx.now)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM guardian_requests WHERE user_id = \(user)")
    try tx.execute("DELETE FROM user_countries WHERE user_id = \(user)")
  }
}
