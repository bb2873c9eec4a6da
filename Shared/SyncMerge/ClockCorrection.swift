/// Puts the timestamps of a device whose clock is wrong right, in the order of its operations: a wrong clock neither wins
/// over the edits of others nor is refused.
public struct ClockCorrection: Sendable {
  /// How far a device's clock may be off without a correction, in milliseconds.
  public static let tolerance: Int64 = 60_000

  private let now: UInt64
  /// The correction of the device's times, in milliseconds; 0 within the tolerance.
  public let offset: Int64
  private var last = HybridTime.zero

  /// - Parameters:
  ///   - now: The server's clock, in milliseconds since 1970.
  ///   - deviceTime: What the device's clock showed when it sent the request.
  public init(now: UInt64, deviceTime: UInt64) {
    self.now = min(now, HybridTime.maxMilliseconds)
    let difference = Int64(self.now) - Int64(min(deviceTime, HybridTime.maxMilliseconds))
    offset = difference.magnitude > UInt64(Self.tolerance) ? difference : 0
  }

  /// Whether a time was read from a wrong clock.
  public func isWrong(_ milliseconds: UInt64) -> Bool {
    offset != 0 || milliseconds > now + UInt64(Self.tolerance)
  }

  /// A time by the server's clock, never in its future.
  public func correct(_ milliseconds: UInt64) -> UInt64 {
    guard isWrong(milliseconds) else { return milliseconds }
    return UInt64(min(max(Int64(min(milliseconds, HybridTime.maxMilliseconds)) + offset, 0), Int64(now)))
  }

  /// - Parameters:
  ///   - time: The operation's timestamp. Operations are passed in the order in which they were done.
  ///   - seen: The version of the record that the device knew; the result is greater, so that an edit wins over what it
  ///     was based on. Must be one that the server has issued.
  ///   - own: The greatest version of the record that the device itself has issued, as the server stored it. A device
  ///     knows its own edits, even when the response that confirmed them was lost or its clock was set since.
  public mutating func correct(_ time: HybridTime, seen: HybridTime, own: HybridTime = .zero) -> HybridTime {
    var corrected = time
    corrected.milliseconds = correct(time.milliseconds)
    let floor = max(seen, own, last)
    if corrected <= floor { corrected = floor.next(device: time.device) }
    last = corrected
    return corrected
  }
}
