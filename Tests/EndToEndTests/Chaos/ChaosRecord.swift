import Contracts
import Foundation
import Synchronization

/// The changes that the platform has acknowledged to the users of a round.
final class ChaosRecord: Sendable {
  struct Sent: Sendable, Equatable {
    var id: MessageID
    var sequence: Int
    var author: UserID
    var text: String
  }

  struct Upload: Sendable {
    var owner: ChaosPerson
    var media: MediaID
    var bytes: [UInt8]
  }

  struct State: Sendable {
    var people: [ChaosPerson] = []
    /// The messages by conversation, in the order in which the server has answered its authors.
    var messages: [ConversationID: [Sent]] = [:]
    /// The users whom each user has liked.
    var likes: [UserID: Set<UserID>] = [:]
    var auction: AuctionID?
    /// The last maximum of each bidder.
    var bids: [UserID: Int64] = [:]
    var orders: [OrderID: Order] = [:]
    /// The texts of synchronized records, by owner and record.
    var records: [UserID: [String: String]] = [:]
    var uploads: [Upload] = []
    var violations: [String] = []
  }

  private let state = Mutex(State())
  /// How often the platform has answered a step of the load.
  private let steps = Mutex(0)

  var all: State { state.withLock { $0 } }
  var answered: Int { steps.withLock { $0 } }

  func note(_ change: @Sendable (inout State) -> Void) {
    state.withLock { change(&$0) }
    steps.withLock { $0 += 1 }
  }
}
