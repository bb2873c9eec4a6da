import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The viewer of listings. Listings of users who have blocked the viewer, or whom the viewer has blocked, are answered
/// as if they did not exist.
struct ListingViewer: Sendable {
  let id: UserID
  /// Moderators see what users offer who have blocked them.
  private let seesAll: Bool

  init(_ user: UserCaller) { (id, seesAll) = (user.id, user.isModerator) }

  /// Without the rights that roles give.
  init(_ id: UserID) { (self.id, seesAll) = (id, false) }

  /// A condition on the listings `l`.
  var condition: SQL? { seesAll ? nil : "l.owner_id NOT IN \(ReportedBlocks.others(of: id))" }
}
