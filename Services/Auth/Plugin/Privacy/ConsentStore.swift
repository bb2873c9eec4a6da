import Contracts
import Persistence
import ServiceKit

/// Users' consent decisions; rows are only added.
struct ConsentStore: Sendable {
  let ids: IDGenerator

  /// The decisions that count, and the latest 1,000 of all.
  func find(_ user: UserID, in db: any Connection) throws -> Consents {
    let history = try db.all(
      """
      SELECT purpose, text_version, is_given, decided_at FROM consents WHERE user_id = \(user)
      ORDER BY decided_at DESC, id DESC LIMIT 1000
      """
    ) { row in
      Consent(
        purpose: try row["purpose"], textVersion: try row["text_version"],
        isGiven: try row["is_given"], decidedAt: try row["decided_at"]
      )
    }
    return Consents(
      current: try ConsentPurpose.allCases.compactMap { try Self.latest($0, of: user, in: db) },
      history: history.reversed())
  }

  /// The latest decision about a purpose.
  static func latest(_ purpose: ConsentPurpose, of user: UserID, in db: any Connection) throws -> Consent? {
    try db.first(
      """
      SELECT purpose, text_version, is_given, decided_at FROM consents
      WHERE user_id = \(user) AND purpose = \(purpose) ORDER BY decided_at DESC, id DESC LIMIT 1
      """
    ) { row in
      Consent(
        purpose: try row["purpose"], textVersion: try row["text_version"],
        isGiven: try row["is_given"], decidedAt: try row["decided_at"]
      )
    }
  }

  func insert(_ consent: Consent, of user: UserID, in tx: Transaction) throws {
    // The last one counts, whichever instance stores it.
    let last: String? = try tx.value("SELECT id FROM consents WHERE user_id = \(user) ORDER BY id DESC LIMIT 1")
    try tx.execute(
      """
      INSERT INTO consents (id, user_id, purpose, text_version, is_given, decided_at)
      VALUES (\(ids.text(after: last)), \(user), \(consent.purpose), \(consent.textVersion), \(consent.isGiven),
              \(consent.decidedAt))
      """
    )
  }

  func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM consents WHERE user_id = \(user)")
  }
}
