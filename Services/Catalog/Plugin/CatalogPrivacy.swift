import Contracts
import Persistence
import ServiceKit

/// Exports and erases the personal data that catalog stores.
struct CatalogPrivacy: Sendable {
  let database: any Database
  let exercises: ExerciseLibrary
  let newsletter: Newsletter
  let erasures: Erasures

  func personalData(of user: UserID) async throws -> JSONValue {
    let own = try await database.read { db -> [(String, JSONValue?)] in
      let listings = try ListingStore.rows("l.owner_id = \(user)", "l.id", limit: 10_000, for: user, in: db)
      return [
        ("listings", try WireJSON.decode(JSONValue.self, from: WireJSON.encode(listings))),
        ("comments", try Comments.personalData(of: user, in: db)),
        ("marks", try Marks.personalData(of: user, in: db)),
      ]
    }
    return .object(
      own + [
        ("exercises", try await exercises.personalData(of: user)),
        ("newsletter", try await newsletter.personalData(of: user)),
      ]
    )
  }

  /// Deletes the user's listings, comments, likes, archive, saved exercises and newsletter subscriptions. Rows that
  /// others refer to stay without personal data.
  func forget(_ user: UserID, in tx: Transaction) throws {
    let listings = try ListingStore.rows("l.owner_id = \(user)", "l.id", limit: 100_000, for: user, in: tx)
    for listing in listings { try ListingStore.remove(listing.id, in: tx) }
    try tx.execute("UPDATE listings SET owner_id = '', name = '', description = NULL WHERE owner_id = \(user)")
    try Comments.forget(user, in: tx)
    try Marks.forget(user, in: tx)
    try ExerciseLibrary.forget(user, in: tx)
    try Newsletter.forget(user, in: tx)
    try tx.forget(user)
    try erasures.add(in: tx)
  }
}
