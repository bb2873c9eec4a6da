import Foundation

/// An IPv4 or IPv6 address; one that is IPv4 mapped to IPv6 (RFC 4291 §2.5.5.2), as dual-stack listeners report it, is
/// IPv4.
public struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
  /// 4 or 16 bytes.
  let bytes: [UInt8]

  var isIPv4: Bool { bytes.count == 4 }

  /// - Parameter text: As in a socket's address or an entry of `X-Forwarded-For`: a zone, a port and the brackets around
  ///   an IPv6 address are ignored. `nil` when it is not an address.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count <= 100 else { return nil }
    var text = text[...]
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      text = text[text.index(after: text.startIndex)..<end]
    } else if let colon = text.firstIndex(of: ":"), text.contains("."), text.lastIndex(of: ":") == colon {
      text = text[..<colon]
    }
    if let zone = text.firstIndex(of: "%") { text = text[..<zone] }
    let plain = String(text)
    var v4 = in_addr()
    if inet_pton(AF_INET, plain, &v4) == 1 {
      bytes = withUnsafeBytes(of: v4) { Array($0) }
      return
    }
    var v6 = in6_addr()
    guard inet_pton(AF_INET6, plain, &v6) == 1 else { return nil }
    let all = withUnsafeBytes(of: v6) { Array($0) }
    bytes = all.starts(with: Self.mapped) ? Array(all.dropFirst(Self.mapped.count)) : all
  }

  private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

  /// The address, of IPv6 with all its groups.
  public var description: String {
    if isIPv4 { return bytes.map(String.init).joined(separator: ".") }
    return stride(from: 0, to: bytes.count, by: 2)
      .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
  }
}

/// A block of addresses in CIDR notation (RFC 4632), such as `10.0.0.0/8` or `2001:db8::/32`; a single address is a block
/// of its own.
public struct NetworkBlock: Sendable, Hashable, CustomStringConvertible {
  private let address: NetworkAddress
  private let bits: Int

  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let address = NetworkAddress(parts[0]) else { return nil }
    self.address = address
    let size = address.bytes.count * 8
    guard parts.count == 2 else {
      bits = size
      return
    }
    // `::ffff:10.0.0.0/104` is written with the length of IPv6.
    let isMapped = address.isIPv4 && parts[0].contains(":")
    guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(parts[1]),
      (0...size).contains(isMapped ? length - 96 : length)
    else { return nil }
    bits = isMapped ? length - 96 : length
  }

  public func contains(_ other: NetworkAddress) -> Bool {
    guard address.bytes.count == other.bytes.count else { return false }
    let (whole, rest) = (bits / 8, bits % 8)
    guard address.bytes.prefix(whole) == other.bytes.prefix(whole) else { return false }
    if rest == 0 { return true }
    let mask = UInt8.max << UInt8(8 - rest)
    return address.bytes[whole] & mask == other.bytes[whole] & mask
  }

  public var description: String { "\(address)/\(bits)" }
}
