/// W3C Trace Context (https://www.w3.org/TR/trace-context/): which trace a piece of work belongs to.
public struct TraceContext: Sendable, Hashable {
  /// 32 lowercase hex digits, not all zero.
  public let traceID: String
  /// 16 lowercase hex digits, not all zero.
  public let spanID: String
  public let isSampled: Bool

  /// The context of the current task; propagated to calls, log lines and events.
  @TaskLocal public static var current: TraceContext?

  /// Starts a new trace.
  /// - Parameter isSampled: Whether it is recorded.
  public init(isSampled: Bool = true) {
    traceID = Self.hex(.random(in: 1 ... .max)) + Self.hex(.random(in: 0 ... .max))
    spanID = Self.hex(.random(in: 1 ... .max))
    self.isSampled = isSampled
  }

  private init(traceID: String, spanID: String, isSampled: Bool) {
    self.traceID = traceID
    self.spanID = spanID
    self.isSampled = isSampled
  }

  /// Parses a `traceparent` header; `nil` if it violates the specification, in which case callers start a new trace.
  public init?(traceparent: String) {
    let bytes = Array(traceparent.utf8)
    guard bytes.count >= 55, bytes[2] == dash, bytes[35] == dash, bytes[52] == dash else { return nil }
    let digits = [0..<2, 3..<35, 36..<52, 53..<55]
    guard digits.allSatisfy({ bytes[$0].allSatisfy(Self.isLowerHex) }) else { return nil }
    let isFirstVersion = bytes[0] == zero && bytes[1] == zero
    guard bytes[0..<2] != [UInt8(ascii: "f"), UInt8(ascii: "f")],
      isFirstVersion ? bytes.count == 55 : bytes.count == 55 || bytes[55] == dash,
      !bytes[3..<35].allSatisfy({ $0 == zero }), !bytes[36..<52].allSatisfy({ $0 == zero })
    else { return nil }
    traceID = String(decoding: bytes[3..<35], as: UTF8.self)
    spanID = String(decoding: bytes[36..<52], as: UTF8.self)
    let lowNibble = bytes[54]
    isSampled = (lowNibble < UInt8(ascii: "a") ? lowNibble - zero : lowNibble - UInt8(ascii: "a") + 10) & 1 == 1
  }

  /// A new span of the same trace.
  public func child() -> TraceContext {
    TraceContext(traceID: traceID, spanID: Self.hex(.random(in: 1 ... .max)), isSampled: isSampled)
  }

  /// The value of a `traceparent` header.
  public var traceparent: String { "00-\(traceID)-\(spanID)-0\(isSampled ? 1 : 0)" }

  private static func isLowerHex(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }

  private static func hex(_ word: UInt64) -> String {
    String(unsafeUninitializedCapacity: 16) { buffer in
      for position in 0..<16 {
        let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * position)) & 0xF
        buffer[position] = digit < 10 ? zero + digit : UInt8(ascii: "a") + digit - 10
      }
      return 16
    }
  }
}

private let dash = UInt8(ascii: "-")
private let zero = UInt8(ascii: "0")
