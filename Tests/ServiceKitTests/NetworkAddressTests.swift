import HTTPServing
import HTTPTypes
import Testing

@testable import ServiceKit

/// Addresses and blocks of them, as sockets, proxies and operators write them.
struct NetworkAddressTests {
  @Test(arguments: [
    ("192.0.2.7", "192.0.2.7"), ("192.0.2.7:443", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"),
    ("::FFFF:c000:207", "192.0.2.7"), ("0:0:0:0:0:ffff:c000:0207", "192.0.2.7"), ("[::ffff:192.0.2.7]:80", "192.0.2.7"),
    ("2001:db8::1", "2001:db8:0:0:0:0:0:1"), ("[2001:DB8::1]:443", "2001:db8:0:0:0:0:0:1"),
    ("fe80::1%eth0", "fe80:0:0:0:0:0:0:1"), ("::1", "0:0:0:0:0:0:0:1"),
  ])
  func addressesHaveOneSpelling(_ text: String, _ expected: String) {
    #expect(NetworkAddress(text)?.description == expected)
  }

  @Test(arguments: [
    "", "unknown", "_hidden", "192.0.2", "192.0.2.256", "1.2.3.4.5", "[::1", "::g", "a:b", "192.0.2.7/8",
  ])
  func otherTextsAreNoAddresses(_ text: String) { #expect(NetworkAddress(text) == nil) }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.0.0.0/8", "::ffff:10.1.1.1", true),
    ("192.0.2.128/25", "192.0.2.128", true), ("192.0.2.128/25", "192.0.2.127", false), ("192.0.2.1", "192.0.2.1", true),
    ("192.0.2.1", "192.0.2.2", false), ("0.0.0.0/0", "203.0.113.1", true), ("0.0.0.0/0", "2001:db8::1", false),
    ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
    ("::ffff:10.0.0.0/104", "10.9.9.9", true), ("::ffff:10.0.0.0/104", "11.0.0.1", false), ("::/0", "::1", true),
  ])
  func blocksContainTheirAddresses(_ block: String, _ address: String, _ isInside: Bool) throws {
    let (block, address) = (try #require(NetworkBlock(block)), try #require(NetworkAddress(address)))
    #expect(block.contains(address) == isInside)
  }

  @Test(arguments: [
    "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "/8", "2001:db8::/129", "localhost", "10.0.0.0/+8",
  ])
  func otherTextsAreNoBlocks(_ text: String) { #expect(NetworkBlock(text) == nil) }

  @Test func proxiesAreConfiguredAsBlocks() throws {
    let settings = Settings(["http.trustedProxies": "10.0.0.0/8, 2001:db8::1"])
    let blocks = try settings[PlatformSettings.trustedProxies]
    #expect(blocks.map(\.description) == ["10.0.0.0/8", "2001:db8:0:0:0:0:0:1/128"])
    #expect(throws: SettingError.self) {
      try Settings(["http.trustedProxies": "10.0.0.0/8,proxy"])[PlatformSettings.trustedProxies]
    }
  }

  /// The last entry that no trusted proxy has written about itself is the client, whatever precedes it.
  @Test(arguments: [
    ([], "10.0.0.1", "10.0.0.1"), (["192.0.2.1"], "203.0.113.1", "203.0.113.1"),
    (["192.0.2.1"], "10.0.0.1", "192.0.2.1"),
    (["6.6.6.6, 192.0.2.1"], "10.0.0.1", "192.0.2.1"), (["6.6.6.6", "192.0.2.1, 10.0.0.2"], "10.0.0.1", "192.0.2.1"),
    (["10.0.0.3, 10.0.0.2"], "10.0.0.1", "10.0.0.3"), (["6.6.6.6, unknown"], "10.0.0.1", "10.0.0.1"),
    (["6.6.6.6, unknown, 10.0.0.2"], "10.0.0.1", "10.0.0.2"), ([" 192.0.2.1 "], "::ffff:10.0.0.1", "192.0.2.1"),
  ])
  func theClientIsWhoTheProxiesSaw(_ fields: [String], _ peer: String, _ client: String) throws {
    let proxies = TrustedProxies([try #require(NetworkBlock("10.0.0.0/8"))])
    var headers = HTTPFields()
    for field in fields { headers.append(HTTPField(name: .forwardedFor, value: field)) }
    #expect(proxies.client(of: headers, from: peer) == client)
  }

  @Test(arguments: [
    (["https"], "10.0.0.1", true), (["http"], "10.0.0.1", false), (["https"], "203.0.113.1", false),
    (["https, http"], "10.0.0.1", false), (["http, HTTPS "], "10.0.0.1", true), ([], "10.0.0.1", false),
  ])
  func onlyProxiesSayThatTheClientUsedHTTPS(_ fields: [String], _ peer: String, _ isSecure: Bool) throws {
    let proxies = TrustedProxies([try #require(NetworkBlock("10.0.0.0/8"))])
    var headers = HTTPFields()
    for field in fields { headers.append(HTTPField(name: .forwardedProto, value: field)) }
    #expect(proxies.isSecure(headers, scheme: "http", from: peer) == isSecure)
    #expect(proxies.isSecure(headers, scheme: "https", from: peer))
  }
}
