import Foundation

/// The part of an address that rate limits apply to.
public enum ClientNetwork {
  /// Returns IPv4 addresses in dotted form, also when a dual-stack listener reports them as IPv6, and the /64 network
  /// of IPv6 addresses, because one caller usually controls a whole network.
  public static func of(_ address: String) -> String { prefix(of: address, bytes: 8) ?? ipv4(address) }

  /// Returns the network around that of ``of(_:)``, of which a customer of a provider may have many: /24 of IPv4, /48 of
  /// IPv6.
  public static func around(_ address: String) -> String {
    if let prefix = prefix(of: address, bytes: 6) { return prefix }
    let parts = ipv4(address).split(separator: ".")
    return parts.count == 4 ? parts.prefix(3).joined(separator: ".") : address
  }

  private static func ipv4(_ address: String) -> String {
    isMapped(address) ? String(address.dropFirst(7)) : address
  }

  /// Whether it is an IPv4 address as a dual-stack listener reports it.
  private static func isMapped(_ address: String) -> Bool {
    address.lowercased().hasPrefix("::ffff:") && address.contains(".")
  }

  private static func prefix(of address: String, bytes count: Int) -> String? {
    var bytes = in6_addr()
    guard inet_pton(AF_INET6, address, &bytes) == 1, !isMapped(address) else { return nil }
    return withUnsafeBytes(of: bytes) { $0.prefix(count).map { String($0, radix: 16) }.joined(separator: ":") }
  }
}

extension Call {
  /// The caller's network, for limits on anonymous requests.
  public var network: String { ClientNetwork.of(context.clientAddress ?? "unknown") }
}
