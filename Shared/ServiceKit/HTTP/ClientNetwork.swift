import Foundation

/// The part of an address that rate limits apply to.
public enum ClientNetwork {
  /// Returns IPv4 addresses in dotted form, also when a dual-stack listener reports them as IPv6, and the /64 network
  /// of IPv6 addresses, because one caller usually controls a whole network.
  public static func of(_ address: String) -> String {
    var bytes = in6_addr()
    guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
    if address.lowercased().hasPrefix("::ffff:"), address.contains(".") { return String(address.dropFirst(7)) }
    return withUnsafeBytes(of: bytes) { $0.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") }
  }
}

extension Call {
  /// The caller's network, for limits on anonymous requests.
  public var network: String { ClientNetwork.of(context.clientAddress ?? "unknown") }
}
