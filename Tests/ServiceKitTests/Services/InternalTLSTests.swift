import Contracts
import CurlClient
import Foundation
import TestKit
import Testing

@testable import ServiceKit

/// Services with certificates of a private authority.
@Suite(.serialized)
struct InternalTLSTests {
  private func settings(_ authority: Certificates.Pair, _ own: Certificates.Pair) -> [String: String] {
    [
      "service.tls.authorities": authority.certificate, "service.tls.certificate": own.certificate,
      "service.tls.key": own.key,
    ]
  }

  @Test("S11: a service accepts only calls with a certificate of the private authority")
  func callersNeedACertificate() async throws {
    try await TemporaryFolder.run { folder async throws in
      let authority = try await Certificates.make(in: folder, name: "authority")
      let callee = try await Certificates.issue(in: folder, name: "callee", by: authority)
      let caller = try await Certificates.issue(in: folder, name: "caller", by: authority)
      let stranger = try await Certificates.make(in: folder, name: "stranger")
      try await ServicePair.run(
        scheme: "https", callee: settings(authority, callee), caller: settings(authority, caller)
      ) { pair async throws in
        #expect(pair.calleeURL.hasPrefix("https://"))
        // A handshake may take longer than a connection may.
        try await eventually("the caller is accepted") {
          (try? await pair.client.send(ServicePair.Callee.Ask())) == "caller"
        }
        func status(_ url: String, _ identity: Certificates.Pair?) async throws -> Int? {
          var configuration = CurlClient.Configuration()
          configuration.authoritiesFile = authority.certificate
          configuration.identity = identity.map { ($0.certificate, $0.key) }
          return try await CurlClient.running(configuration) { http in
            (try? await http.execute(ClientRequest(origin: url, target: "/internal/v1/service-keys")))?.status
          }
        }
        try await eventually("the certificate is accepted") { try await status(pair.calleeURL, caller) == 200 }
        #expect(try await status(pair.calleeURL, nil) == nil)
        #expect(try await status(pair.calleeURL, stranger) == nil)
        #expect(try await status(pair.calleeURL.replacing("https:", with: "http:"), caller) == nil)
      }
    }
  }

  @Test("S11: a service does not call one whose certificate is of another authority")
  func callersCheckTheCertificate() async throws {
    try await TemporaryFolder.run { folder async throws in
      let authority = try await Certificates.make(in: folder, name: "authority")
      let other = try await Certificates.make(in: folder, name: "other")
      let caller = try await Certificates.issue(in: folder, name: "caller", by: authority)
      try await ServicePair.run(
        scheme: "https", callee: settings(authority, other), caller: settings(authority, caller)
      ) {
        pair async throws in
        await #expect(throws: CallError.self) { _ = try await pair.client.send(ServicePair.Callee.Ask()) }
      }
    }
  }
}
