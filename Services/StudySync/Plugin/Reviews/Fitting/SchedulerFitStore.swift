import Contracts
import Persistence

/// The last fit of each user's weights and the reviews since.
enum SchedulerFitStore {
  struct Stored: Sendable {
    /// Predicted reviews since the last fit was begun.
    var newReviews: Int
    var fit: SchedulerFit?
  }

  static func find(_ user: UserID, in db: any Connection) throws -> Stored? {
    try db.first(
      """
      SELECT new_reviews, fitted_at, result, reviews, held_out, default_loss, fitted_loss FROM scheduler_fits
      WHERE user_id = \(user)
      """
    ) { row in
      let newReviews: Int = try row["new_reviews"]
      let (at, result): (Timestamp?, SchedulerFitResult?) = (try row["fitted_at"], try row["result"])
      guard let at, let result else { return Stored(newReviews: newReviews, fit: nil) }
      return Stored(
        newReviews: newReviews,
        fit: SchedulerFit(
          at: at, result: result, reviews: try row["reviews"], heldOutReviews: try row["held_out"],
          defaultLogLoss: try row["default_loss"], fittedLogLoss: try row["fitted_loss"]))
    }
  }

  static func setNewReviews(_ count: Int, of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO scheduler_fits (user_id, new_reviews, reviews, held_out) VALUES (\(user), \(count), 0, 0)
      ON CONFLICT (user_id) DO UPDATE SET new_reviews = excluded.new_reviews
      """
    )
  }

  static func put(_ fit: SchedulerFit, of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO scheduler_fits
        (user_id, new_reviews, fitted_at, result, reviews, held_out, default_loss, fitted_loss)
      VALUES (\(user), 0, \(fit.at), \(fit.result), \(fit.reviews), \(fit.heldOutReviews), \(fit.defaultLogLoss),
              \(fit.fittedLogLoss))
      ON CONFLICT (user_id) DO UPDATE SET fitted_at = excluded.fitted_at, result = excluded.result,
        reviews = excluded.reviews, held_out = excluded.held_out, default_loss = excluded.default_loss,
        fitted_loss = excluded.fitted_loss
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM scheduler_fits WHERE user_id = \(user)")
  }
}
