/// A hybrid logical timestamp, totally ordered: the greater of wall clock and everything seen, then a counter, then the
/// device. Source: Kulkarni et al., "Logical Physical Clocks" (2014).
public struct HybridTime: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970, 48 bits.
  public var milliseconds: UInt64
  public var counter: UInt16
  /// The device that issued it; 0 is the server.
  public var device: UInt64

  public init(milliseconds: UInt64, counter: UInt16, device: UInt64) {
    self.milliseconds = min(milliseconds, Self.maxMilliseconds)
    (self.counter, self.device) = (counter, device)
  }

  static let maxMilliseconds: UInt64 = 1 << 48 - 1

  /// Below every timestamp that is issued; the version of what has none.
  public static let zero = Self(milliseconds: 0, counter: 0, device: 0)

  public static func < (left: Self, right: Self) -> Bool {
    if left.milliseconds != right.milliseconds { return left.milliseconds < right.milliseconds }
    if left.counter != right.counter { return left.counter < right.counter }
    return left.device < right.device
  }

  /// A timestamp of a device that is greater than this one.
  public func next(device: UInt64) -> HybridTime {
    counter < .max
      ? HybridTime(milliseconds: milliseconds, counter: counter + 1, device: device)
      : HybridTime(milliseconds: milliseconds + 1, counter: 0, device: device)
  }
}

// MARK: - Text

extension HybridTime: CustomStringConvertible, LosslessStringConvertible {
  /// 12, 4 and 16 lowercase hexadecimal digits, such as `0199a1b2c3d4-0001-9f8e7d6c5b4a3210`. The order of texts is
  /// the order of timestamps.
  public var description: String {
    String(unsafeUninitializedCapacity: Self.length) { buffer in
      var position = 0
      func put(_ value: UInt64, digits: Int) {
        for offset in 0..<digits {
          let digit = UInt8(truncatingIfNeeded: value >> UInt64(4 * (digits - 1 - offset)) & 15)
          buffer[position + offset] = digit < 10 ? 48 + digit : 87 + digit
        }
        position += digits
      }
      func putHyphen() {
        buffer[position] = Self.hyphen
        position += 1
      }
      put(milliseconds, digits: 12)
      putHyphen()
      put(UInt64(counter), digits: 4)
      putHyphen()
      put(device, digits: 16)
      return position
    }
  }

  /// - Returns: `nil` unless the text is exactly what ``description`` writes.
  public init?(_ text: String) {
    var values: (milliseconds: UInt64, counter: UInt64, device: UInt64) = (0, 0, 0)
    var position = 0
    for byte in text.utf8 {
      let digit: UInt64
      switch byte {
      case 48...57: digit = UInt64(byte - 48)
      case 97...102: digit = UInt64(byte - 87)
      case Self.hyphen where position == 12 || position == 17:
        position += 1
        continue
      default: return nil
      }
      switch position {
      case 0..<12: values.milliseconds = values.milliseconds << 4 | digit
      case 13..<17: values.counter = values.counter << 4 | digit
      case 18..<Self.length: values.device = values.device << 4 | digit
      default: return nil
      }
      position += 1
    }
    guard position == Self.length else { return nil }
    self.init(
      milliseconds: values.milliseconds, counter: UInt16(truncatingIfNeeded: values.counter), device: values.device)
  }

  private static let hyphen = UInt8(ascii: "-")
  private static let length = 34
}
