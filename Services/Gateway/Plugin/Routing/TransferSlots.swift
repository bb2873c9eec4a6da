import Contracts
import HTTPServing
import ServiceKit
import Synchronization

/// Slots for long transfers from or to each service, by user, network and the network around it.
final class TransferSlots: Sendable {
  private struct Slots {
    let users, networks, providers: CallerSlots
  }

  private let make: @Sendable () -> Slots
  private let services = Mutex<[String: Slots]>([:])

  init(total: Int, perUser: Int, perNetwork: Int, perProvider: Int) {
    make = {
      Slots(
        users: CallerSlots(total: total, perCaller: perUser),
        networks: CallerSlots(total: total, perCaller: perNetwork),
        providers: CallerSlots(total: total, perCaller: perProvider))
    }
  }

  /// A slot, which is taken as long as this is kept.
  struct Slot: Sendable {
    fileprivate let slots: [CallerSlots.Slot]
  }

  /// - Returns: `nil` when there is no slot for the caller.
  func take(for context: RequestContext, of service: String) -> Slot? {
    take(for: context.user, at: context.clientAddress, of: service)
  }

  /// - Parameter address: The caller's.
  func take(for user: UserCaller?, at address: String?, of service: String) -> Slot? {
    let slots = services.withLock { services in
      if let slots = services[service] { return slots }
      let slots = make()
      services[service] = slots
      return slots
    }
    let address = address ?? "unknown"
    let isGuest = user?.roles.contains(.guest) ?? true
    var taken: [CallerSlots.Slot] = []
    for (kind, caller) in [
      (slots.providers, ClientNetwork.around(address)), (slots.networks, ClientNetwork.of(address)),
      (slots.users, user?.id.rawValue),
    ] {
      guard let caller else { continue }
      guard let slot = kind.take(caller, isGuest: isGuest) else { return nil }
      taken.append(slot)
    }
    return Slot(slots: taken)
  }
}
