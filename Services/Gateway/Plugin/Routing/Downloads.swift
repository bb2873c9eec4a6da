import Contracts
import CurlClient
import ServiceKit

/// Bounds the responses that their readers keep open, since each has one of the client's places for requests to its
/// service: readers who are slow on purpose must leave some for others, and for requests that are answered at once.
struct Downloads: Sendable {
  /// Fewer than ``CurlClient/Configuration/concurrentRequests``.
  private static let total = 384
  private static let (perUser, perNetwork) = (24, 64)
  /// A response of at most this many bytes is received even if it is not read.
  private static let buffered = 256 << 10

  private let users = CallerPlaces(total: total, perCaller: perUser)
  private let networks = CallerPlaces(total: total, perCaller: perNetwork)

  struct Place: Sendable {
    fileprivate let ofNetwork: CallerPlaces.Place
    fileprivate let ofUser: CallerPlaces.Place?
  }

  /// - Returns: `nil` when the response needs none; otherwise the place is taken as long as this is kept.
  /// - Throws: ``Problem`` 503 when there is none.
  func place(for context: RequestContext, length: Int?) throws(Problem) -> Place? {
    if let length, length <= Self.buffered { return nil }
    let user = context.user
    let isGuest = user?.roles.contains(.guest) ?? true
    let network = ClientNetwork.of(context.clientAddress ?? "unknown")
    guard let ofNetwork = networks.take(network, isGuest: isGuest) else { throw Self.full }
    guard let user else { return Place(ofNetwork: ofNetwork, ofUser: nil) }
    guard let ofUser = users.take(user.id.rawValue, isGuest: isGuest) else { throw Self.full }
    return Place(ofNetwork: ofNetwork, ofUser: ofUser)
  }

  private static var full: Problem {
    Problem(.overloaded, detail: "Too many files are being loaded.", retryAfter: 5)
  }
}
