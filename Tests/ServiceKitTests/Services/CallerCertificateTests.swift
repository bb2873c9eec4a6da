import Testing

@testable import HTTPServing
@testable import ServiceKit

struct CallerCertificateTests {
  @Test(
    "a certificate names a service by its name, alone or before a dot",
    arguments: [
      (["orders"], true), (["localhost", "ORDERS.internal.example.com"], true), (["orders."], true),
      (["orders2"], false), (["x.orders"], false), (["*"], false), (["*.internal"], false), (["orders-eu"], false),
      (["", "."], false), ([], false),
    ] as [([String], Bool)])
  func names(_ names: [String], _ isNamed: Bool) {
    #expect(CallerCertificate.names(names, "orders") == isNamed)
  }
}
