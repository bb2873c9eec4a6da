import NATSClient
import Testing

struct NATSAddressTests {
  @Test func addressesAreReadStrictly() throws {
    let plain = try #require(NATSAddress("nats://nats.example"))
    #expect(plain.servers == ["nats://nats.example:4222"])
    #expect(plain.credentials == .none)
    #expect(plain.tls == nil)
    let cluster = try #require(
      NATSAddress("tls://auth:p%40ss@a:4222,b:4333,[::1]?cacert=/ca.pem&cert=/c.pem&key=/k.pem"))
    #expect(cluster.servers == ["tls://a:4222", "tls://b:4333", "tls://[::1]:4222"])
    #expect(cluster.credentials == .user("auth", password: "p@ss"))
    #expect(cluster.tls == NATSAddress.TLS(authorities: "/ca.pem", certificate: "/c.pem", key: "/k.pem"))
    #expect(NATSAddress("nats://s3cret@a")?.credentials == .token("s3cret"))
    #expect(NATSAddress("nats://a?creds=/run/auth.creds")?.credentials == .file("/run/auth.creds"))
    #expect(NATSAddress("tls://a?creds=/run/auth.creds")?.tls == NATSAddress.TLS())
    for text in [
      "a:4222", "http://a", "nats://", "nats://a,", "nats://a/path", "nats://a?cacert=/ca.pem", "tls://a?cert=/c.pem",
      "tls://a?verify=no", "tls://a?cacert=", "tls://a?cacert=/1&cacert=/2", "nats://u:@a", "nats://@a",
      "nats://u:p@a?creds=/f", "nats://u@v@a",
    ] {
      #expect(NATSAddress(text) == nil, "\(text)")
    }
  }
}
