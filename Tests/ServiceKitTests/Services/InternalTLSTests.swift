import Contracts
import CurlClient
import Foundation
import HTTPServing
import HTTPTypes
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

  /// The thief has broken into another service, which has a certificate, and has caller's token or key besides.
  @Test("S11: a token of one service does not work with the certificate of another", arguments: [false, true])
  func certificatesNameTheirService(_ usesHTTP2: Bool) async throws {
    try await TemporaryFolder.run { folder async throws in
      let authority = try await Certificates.make(in: folder, name: "authority")
      let callee = try await Certificates.issue(in: folder, name: "callee", by: authority)
      let caller = try await Certificates.issue(in: folder, name: "caller", by: authority)
      func issued(_ name: String, _ names: String...) async throws -> Certificates.Pair {
        try await Certificates.issue(in: folder, name: name, by: authority, names: names.map { "DNS:\($0)" })
      }
      let others = [
        callee, try await issued("other", "other"), try await issued("wildcard", "*.internal", "localhost"),
        try await issued("similar", "caller2", "x.caller", "callers.internal"),
      ]
      let qualified = try await issued("qualified", "Caller.internal.example.com")
      try await ServicePair.run(
        scheme: "https", callee: settings(authority, callee), caller: settings(authority, caller)
      ) { pair async throws in
        let token = try await pair.caller.platform.identity.token(caller: "caller", audience: "callee")
        func answer(_ own: Certificates.Pair) async throws -> (status: Int, body: String)? {
          var configuration = CurlClient.Configuration()
          configuration.authoritiesFile = authority.certificate
          configuration.identity = (own.certificate, own.key)
          configuration.usesHTTP2 = usesHTTP2
          return try await CurlClient.running(configuration) { http in
            let request = ClientRequest(
              origin: pair.calleeURL, target: "/internal/v1/answer",
              headers: [.serviceAuthorization: "Bearer \(token)"])
            guard let response = try? await http.execute(request) else { return nil }
            return (response.status, String(decoding: try await response.body.collect(upTo: 10_000), as: UTF8.self))
          }
        }
        for own in [caller, qualified] {
          try await eventually("the caller is accepted") { try await answer(own)?.status == 200 }
        }
        for own in others {
          var refused: (status: Int, body: String)?
          // A handshake may take longer than a connection may.
          try await eventually("there is an answer") {
            refused = try await answer(own)
            return refused != nil
          }
          #expect(refused?.status == 403, "\(own.certificate)")
          #expect(refused?.body.contains("service-not-allowed") == true, "\(own.certificate)")
        }
      }
    }
  }

  @Test("a service whose certificate names another one cannot call")
  func callersNeedTheirOwnCertificate() async throws {
    try await TemporaryFolder.run { folder async throws in
      let authority = try await Certificates.make(in: folder, name: "authority")
      let callee = try await Certificates.issue(in: folder, name: "callee", by: authority)
      let other = try await Certificates.issue(in: folder, name: "other", by: authority)
      try await ServicePair.run(
        scheme: "https", callee: settings(authority, callee), caller: settings(authority, other)
      ) { pair async throws in
        try await eventually("the call is refused") {
          let refused = try? await problem { _ = try await pair.client.send(ServicePair.Callee.Ask()) }
          return refused?.code == "service-not-allowed"
        }
      }
    }
  }
}
