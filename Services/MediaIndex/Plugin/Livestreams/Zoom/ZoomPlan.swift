import Contracts
import Persistence
import ServiceKit

/// The plan of a Zoom account, which decides how many requests of a class it may send
/// (developers.zoom.us/docs/api/rate-limits).
enum ZoomPlan: String, CaseIterable, Sendable {
  case free, pro, business

  /// Half of what Zoom allows per second, since Zoom counts the requests of fixed seconds, into one of which requests of
  /// two of ours can fall.
  func limit(_ rate: ZoomRate) -> RateLimit {
    let perSecond =
      switch (self, rate) {
      case (.free, .light): 4
      case (.free, .medium): 2
      case (.pro, .light): 30
      case (.pro, .medium): 20
      case (.business, .light): 80
      case (.business, .medium): 60
      }
    return RateLimit(perSecond / 2, per: 1, pause: .untilOneIsForgotten)
  }
}

/// The classes of Zoom's operations by their cost.
enum ZoomRate: String, Sendable {
  /// Getting, ending and deleting meetings.
  case light
  /// Creating and listing meetings.
  case medium
}

/// Keeps the account's requests below Zoom's rate limits, together with every other instance of the service.
struct ZoomPace: Sendable {
  let plan: ZoomPlan
  let database: any Database
  let keys: DataKeys

  /// Counts a request.
  /// - Returns: The seconds to wait when there are too many; the request is then not counted.
  func take(_ rate: ZoomRate, in tx: Transaction) throws -> Int? {
    try StoredLimit(plan.limit(rate), of: "account", for: "zoom-\(rate.rawValue)", keys).take(in: tx)
  }

  /// Counts a request.
  /// - Throws: ``ZoomError/limited(seconds:)`` when there are too many.
  func take(_ rate: ZoomRate) async throws(ZoomError) {
    let seconds: Int?
    do {
      seconds = try await database.write { tx in try take(rate, in: tx) }
    } catch {
      throw .notSent("the rate cannot be counted: \(error)")
    }
    if let seconds { throw .limited(seconds: seconds) }
  }
}
