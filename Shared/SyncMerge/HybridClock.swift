/// Issues the timestamps of one device. Whoever stores a timestamp shows it to the clock first, so that every later one
/// is greater than everything that its author has seen.
public struct HybridClock: Sendable, Equatable {
  public let device: UInt64
  /// The greatest timestamp issued or seen; stored, so that a restarted device continues above it.
  public private(set) var last: HybridTime

  public init(device: UInt64, last: HybridTime = .zero) { (self.device, self.last) = (device, last) }

  /// - Parameter milliseconds: The wall clock, in milliseconds since 1970.
  public mutating func next(at milliseconds: UInt64) -> HybridTime {
    // A wall clock at the end of the range would leave nothing above it.
    let now = HybridTime(milliseconds: min(milliseconds, HybridTime.maxMilliseconds / 2), counter: 0, device: device)
    last = now.milliseconds > last.milliseconds ? now : last.next(device: device)
    return last
  }

  /// Takes note of a timestamp of another device.
  public mutating func observe(_ time: HybridTime) { last = max(last, time) }

  /// Continues from a timestamp that the server has put in the place of those of a wrong clock.
  public mutating func reset(to time: HybridTime) { last = time }
}
