import Contracts
import CurlClient
import ServiceKit
import Synchronization

/// Bounds the responses that their readers keep open, since each has one of the client's places for requests to its
/// service: readers who are slow on purpose must leave some for others, and for requests that are answered at once.
final class Downloads: Sendable {
  /// Of each service. With the uploads that media-index receives at once, clearly fewer than
  /// ``CurlClient/Configuration/concurrentRequests``.
  static let total = 256
  static let (perUser, perNetwork, perProvider) = (16, 48, 64)
  /// A response of at most this many bytes is received even if it is not read.
  private static let buffered = 256 << 10

  /// The places of one service.
  private struct Places {
    let users = CallerPlaces(total: total, perCaller: perUser)
    let networks = CallerPlaces(total: total, perCaller: perNetwork)
    let providers = CallerPlaces(total: total, perCaller: perProvider)
  }

  private let services = Mutex<[String: Places]>([:])

  struct Place: Sendable {
    fileprivate let places: [CallerPlaces.Place]
  }

  /// - Returns: `nil` when the response needs none; otherwise the place is taken as long as this is kept.
  /// - Throws: ``Problem`` 503 when there is none.
  func place(for context: RequestContext, length: Int?, of service: String) throws(Problem) -> Place? {
    if let length, length <= Self.buffered { return nil }
    let places = services.withLock { services in
      if let places = services[service] { return places }
      let places = Places()
      services[service] = places
      return places
    }
    let (user, address) = (context.user, context.clientAddress ?? "unknown")
    let isGuest = user?.roles.contains(.guest) ?? true
    var taken: [CallerPlaces.Place] = []
    for (kind, caller) in [
      (places.providers, ClientNetwork.around(address)), (places.networks, ClientNetwork.of(address)),
      (places.users, user?.id.rawValue),
    ] {
      guard let caller else { continue }
      guard let place = kind.take(caller, isGuest: isGuest) else {
        throw Problem(.overloaded, detail: "Too many files are being loaded.", retryAfter: 5)
      }
      taken.append(place)
    }
    return Place(places: taken)
  }
}
