public import Contracts
import Synchronization

/// Bounds how many of something exist at once, for all callers and for each. Half of the slots are only for members, so
/// that guests, who are easily made, cannot take them all.
public final class CallerSlots: Sendable {
  private struct Taken {
    var byCaller: [String: Int] = [:]
    var all = 0
    var guests = 0
  }

  private let total: Int
  private let perCaller: Int
  private let taken = Mutex(Taken())

  public init(total: Int, perCaller: Int) { (self.total, self.perCaller) = (total, perCaller) }

  /// A slot, which is free again when nothing refers to it any more.
  public final class Slot: Sendable {
    private let slots: CallerSlots
    private let caller: String
    private let isGuest: Bool

    fileprivate init(_ slots: CallerSlots, _ caller: String, isGuest: Bool) {
      (self.slots, self.caller, self.isGuest) = (slots, caller, isGuest)
    }

    deinit { slots.free(caller, isGuest: isGuest) }
  }

  /// - Returns: `nil` when there is no slot for the caller.
  public func take(_ caller: String, isGuest: Bool) -> Slot? {
    let isAllowed = taken.withLock { taken in
      guard taken.all < total, taken.byCaller[caller, default: 0] < perCaller, !isGuest || taken.guests < total / 2
      else { return false }
      taken.byCaller[caller, default: 0] += 1
      taken.all += 1
      if isGuest { taken.guests += 1 }
      return true
    }
    return isAllowed ? Slot(self, caller, isGuest: isGuest) : nil
  }

  /// - Throws: ``Problem`` 503 when there is no slot for the user.
  public func take(_ user: UserCaller, for what: String) throws(Problem) -> Slot {
    guard let slot = take(user.id.rawValue, isGuest: user.roles.contains(.guest)) else {
      throw Problem(.overloaded, detail: "Too many files are being \(what).", retryAfter: 5)
    }
    return slot
  }

  private func free(_ caller: String, isGuest: Bool) {
    taken.withLock { taken in
      let count = taken.byCaller[caller, default: 1] - 1
      taken.byCaller[caller] = count == 0 ? nil : count
      taken.all -= 1
      if isGuest { taken.guests -= 1 }
    }
  }
}
