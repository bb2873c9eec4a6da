/// The part of an address that rate limits apply to.
public enum ClientNetwork {
  /// Returns IPv4 addresses in dotted form, also when they are mapped to IPv6, and the /64 network of IPv6 addresses,
  /// because one caller usually controls a whole network.
  public static func of(_ address: String) -> String { prefix(of: address, v4: 4, v6: 8) }

  /// Returns the network around that of ``of(_:)``, of which a customer of a provider may have many: /24 of IPv4, /48 of
  /// IPv6.
  public static func around(_ address: String) -> String { prefix(of: address, v4: 3, v6: 6) }

  private static func prefix(of text: String, v4: Int, v6: Int) -> String {
    // A text that is not an address is no key of any length.
    guard let address = NetworkAddress(text) else { return String(text.prefix(64)) }
    if address.isIPv4 { return address.bytes.prefix(v4).map(String.init).joined(separator: ".") }
    return address.bytes.prefix(v6).map { String($0, radix: 16) }.joined(separator: ":")
  }
}
