import Contracts
import ServiceKit
import Synchronization

/// Places for long transfers from or to each service, by user, network and the network around it.
final class TransferPlaces: Sendable {
  private struct Places {
    let users, networks, providers: CallerPlaces
  }

  private let make: @Sendable () -> Places
  private let services = Mutex<[String: Places]>([:])

  init(total: Int, perUser: Int, perNetwork: Int, perProvider: Int) {
    make = {
      Places(
        users: CallerPlaces(total: total, perCaller: perUser),
        networks: CallerPlaces(total: total, perCaller: perNetwork),
        providers: CallerPlaces(total: total, perCaller: perProvider))
    }
  }

  /// A place, which is taken as long as this is kept.
  struct Place: Sendable {
    fileprivate let places: [CallerPlaces.Place]
  }

  /// - Returns: `nil` when there is no place for the caller.
  func take(for context: RequestContext, of service: String) -> Place? {
    take(for: context.user, at: context.clientAddress, of: service)
  }

  /// - Parameter address: The caller's.
  func take(for user: UserCaller?, at address: String?, of service: String) -> Place? {
    let places = services.withLock { services in
      if let places = services[service] { return places }
      let places = make()
      services[service] = places
      return places
    }
    let address = address ?? "unknown"
    let isGuest = user?.roles.contains(.guest) ?? true
    var taken: [CallerPlaces.Place] = []
    for (kind, caller) in [
      (places.providers, ClientNetwork.around(address)), (places.networks, ClientNetwork.of(address)),
      (places.users, user?.id.rawValue),
    ] {
      guard let caller else { continue }
      guard let place = kind.take(caller, isGuest: isGuest) else { return nil }
      taken.append(place)
    }
    return Place(places: taken)
  }
}
