import Foundation

/// What of an address is counted when callers are limited.
public enum ClientNetwork {
  /// IPv4 addresses as they are, also when a listener for both kinds writes them as IPv6; of IPv6 the network of 64 bits,
  /// because whoever has one of its addresses has them all.
  public static func of(_ address: String) -> String {
    var bytes = in6_addr()
    guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
    if address.lowercased().hasPrefix("::ffff:"), address.contains(".") { return String(address.dropFirst(7)) }
    return withUnsafeBytes(of: bytes) { $0.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") }
  }
}
