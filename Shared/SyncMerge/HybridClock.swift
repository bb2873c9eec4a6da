/// Issues the timestamps of one device. Whoever stores a timestamp shows it to the clock first, so that every later one
/// is greater than everything that its author has seen.
public struct HybridClock: Sendable, Equatable {
  public let device: UInt64
  /// The greatest timestamp issued or seen; stored, so that a restarted device continues above it.
  public private(set) var last: HybridTime

  public init(device: UInt64, last: HybridTime = .zero) { (self.device, self.last) = (device, last) }

  /// - Parameter milliseconds: The wall clock, in milliseconds since 1970.
  public mutating func next(at milliseconds: UInt64) -> HybridTime {
    let now = HybridTime(milliseconds: milliseconds, counter: 0, device: device)
    last = now.milliseconds > last.milliseconds ? now : last.next(device: device)
    return last
  }

  /// Takes note of a timestamp of another device.
  public mutating func observe(_ time: HybridTime) { last = max(last, time) }

  /// Continues from a timestamp that the server has put in the place of those of a wrong clock.
  public mutating func reset(to time: HybridTime) { last = time }
}

/// Puts the timestamps of a device whose clock is wrong right, in the order of its operations: a wrong clock neither wins
/// over the edits of others nor is refused.
public struct ClockCorrection: Sendable {
  /// How far a device's clock may be off without a correction, in milliseconds.
  public static let tolerance: Int64 = 60_000

  private let now: UInt64
  /// What is added to the device's times, in milliseconds; 0 within the tolerance.
  public let offset: Int64
  private var lastOriginal = HybridTime.zero
  private var lastCorrected = HybridTime.zero
  /// Whether a timestamp was changed.
  public private(set) var hasCorrected = false

  /// - Parameters:
  ///   - now: The server's clock, in milliseconds since 1970.
  ///   - deviceTime: What the device's clock showed when it sent the request.
  public init(now: UInt64, deviceTime: UInt64) {
    self.now = min(now, HybridTime.maxMilliseconds)
    let difference = Int64(self.now) - Int64(min(deviceTime, HybridTime.maxMilliseconds))
    offset = difference.magnitude > UInt64(Self.tolerance) ? difference : 0
  }

  /// - Parameters:
  ///   - time: Timestamps in the order of the device's operations.
  ///   - seen: The version of the record that the device knew; the result is greater, so that an edit wins over what it
  ///     was based on. Must be one that the server has issued.
  public mutating func correct(_ time: HybridTime, seen: HybridTime) -> HybridTime {
    var corrected = time
    let isAhead = time.milliseconds > now + UInt64(Self.tolerance)
    if offset != 0 || isAhead {
      let moved = Int64(time.milliseconds) + offset
      corrected.milliseconds = UInt64(min(max(moved, 0), Int64(now)))
      corrected = max(corrected, seen.next(device: time.device))
    }
    if time > lastOriginal, corrected <= lastCorrected { corrected = lastCorrected.next(device: time.device) }
    lastOriginal = max(lastOriginal, time)
    lastCorrected = max(lastCorrected, corrected)
    if corrected != time { hasCorrected = true }
    return corrected
  }
}
