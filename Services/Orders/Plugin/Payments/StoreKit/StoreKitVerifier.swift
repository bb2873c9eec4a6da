import Contracts
import Crypto
import CurlClient
import Foundation
import HTTPTypes
import ServiceKit
import SwiftASN1
import Synchronization
@_spi(FixedExpiryValidationTime) import X509

/// Verifies data signed by Apple: a JWS with ES256 whose three certificates chain to a pinned root
/// (developer.apple.com/documentation/appstoreserverapi/jwstransaction).
struct StoreKitVerifier: Sendable {
  private let root: Certificate
  private let http: CurlClient?
  private let time: TimeSource

  /// Certificate extensions by which Apple marks certificates that sign receipts, and their intermediate certificates.
  private static let leafMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
  private static let intermediateMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]

  /// - Parameter http: The client for revocation checks (OCSP); `nil` disables them.
  init(rootFile: String, http: CurlClient?, time: TimeSource) throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: rootFile))
    if bytes.starts(with: Data("-----BEGIN".utf8)) {
      root = try Certificate(pemEncoded: String(decoding: bytes, as: UTF8.self))
    } else {
      root = try Certificate(derEncoded: Array(bytes))
    }
    self.http = http
    self.time = time
  }

  /// The verified payload of a signed text.
  /// - Throws: ``Problem`` 422 when Apple did not sign it, 503 when this cannot be determined at the moment.
  func verified<Payload: Decodable>(_ text: SignedText, as type: Payload.Type) async throws(Problem) -> Payload {
    let parts = text.rawValue.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = JOSEHeader(base64URL: parts[0]), let payload = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { throw Problem(.transactionInvalid, detail: "The text is not a compact JWS with certificates.") }
    guard header.algorithm == "ES256", header.certificates.count == 3 else {
      throw Problem(.transactionInvalid, detail: "The JWS must be signed with ES256 and have three certificates.")
    }
    let certificates = header.certificates.compactMap { try? Certificate(derEncoded: $0) }
    guard certificates.count == 3 else { throw Problem(.transactionInvalid, detail: "A certificate is malformed.") }
    // The signature first: checking the chain asks Apple, which not everyone may have us do.
    let message = Data("\(parts[0]).\(parts[1])".utf8)
    guard let key = P256.Signing.PublicKey(certificates[0].publicKey),
      let proof = try? P256.Signing.ECDSASignature(rawRepresentation: Data(signature)),
      key.isValidSignature(proof, for: message)
    else { throw Problem(.transactionInvalid, detail: "The signature is invalid.") }
    try await requireApple(certificates)
    do { return try WireJSON.decode(type, from: payload) } catch {
      throw Problem(.transactionInvalid, detail: "The payload cannot be decoded.")
    }
  }

  /// The public key of the leaf certificate, if the chain is valid.
  private func requireApple(_ certificates: [Certificate]) async throws(Problem) {
    let (leaf, intermediate, last) = (certificates[0], certificates[1], certificates[2])
    guard last == root, leaf.extensions[oid: Self.leafMark] != nil,
      intermediate.extensions[oid: Self.intermediateMark] != nil
    else { throw Problem(.transactionInvalid, detail: "The certificates were not issued by Apple.") }
    let now = Date(timeIntervalSince1970: Double(time.now().unixSeconds))
    let asking = RevocationQuestions(http: http)
    let isValid: Bool
    if http != nil {
      var verifier = Verifier(rootCertificates: CertificateStore([root])) {
        RFC5280Policy(fixedExpiryValidationTime: now)
        OCSPVerifierPolicy(failureMode: .hard, requester: asking, fixedExpiryValidationTime: now)
      }
      isValid = Self.isValid(await verifier.validate(leaf: leaf, intermediates: CertificateStore([intermediate])))
    } else {
      var verifier = Verifier(rootCertificates: CertificateStore([root])) {
        RFC5280Policy(fixedExpiryValidationTime: now)
      }
      isValid = Self.isValid(await verifier.validate(leaf: leaf, intermediates: CertificateStore([intermediate])))
    }
    // Without a response, the revocation status is unknown.
    if asking.wentUnanswered { throw Problem(.verificationUnavailable, retryAfter: 30) }
    guard isValid else { throw Problem(.transactionInvalid, detail: "The certificate chain is not valid.") }
  }

  private static func isValid(_ result: CertificateValidationResult) -> Bool {
    if case .validCertificate = result { true } else { false }
  }
}

/// Queries Apple's responders for the revocation status of certificates (RFC 6960), and records failed queries.
private final class RevocationQuestions: OCSPRequester {
  private let http: CurlClient?
  private let unanswered = Atomic<Bool>(false)

  struct NoAnswer: Error {}

  init(http: CurlClient?) { self.http = http }

  var wentUnanswered: Bool { unanswered.load(ordering: .relaxed) }

  func query(request: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
    do {
      guard let http, let url = URLComponents(string: uri), let scheme = url.scheme, let host = url.host else {
        throw NoAnswer()
      }
      let response = try await http.execute(
        ClientRequest(
          .post,
          origin: "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? ""),
          target: url.path.isEmpty ? "/" : url.percentEncodedPath,
          headers: [.contentType: "application/ocsp-request"],
          body: .bytes(request),
          timeouts: .init(firstByte: 3, total: 5),
          responseLimit: 65_536,
          isRepeatable: true
        )
      )
      guard response.status == 200 else { throw NoAnswer() }
      return .response(try await response.body.collect(upTo: 65_536))
    } catch {
      unanswered.store(true, ordering: .relaxed)
      return .terminalError(error)
    }
  }
}
