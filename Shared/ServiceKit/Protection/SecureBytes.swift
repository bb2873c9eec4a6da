/// Cryptographically secure random bytes and constant-time comparison.
public enum SecureBytes {
  /// Random bytes from the system's cryptographically secure generator.
  public static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Whether two sequences are equal; the running time depends only on their lengths.
  public static func areEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    left.count == right.count && zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
