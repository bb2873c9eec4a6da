import Contracts
import Crypto
import Foundation
import TestKit
import Testing

@testable import ServiceKit

/// The key that signs and those that are published, as a table over time.
struct ServiceKeyRingTests {
  private let start = Timestamp(microseconds: 1_767_225_600_000_000)

  @Test func aNewKeyIsPublishedBeforeItSignsAndTheOldOneAfterwards() throws {
    let old = ServiceKeyRing.random()
    let ring = old.rotated(at: start)
    let (first, second) = (ring.pairs[0].publicKey.id, ring.pairs[1].publicKey.id)
    #expect(first == old.pairs[0].publicKey.id)
    #expect(first != second)
    let table: [(seconds: Double, signer: String, published: [String])] = [
      (0, first, [first, second]), (59, first, [first, second]), (60, second, [first, second]),
      (659, second, [first, second]), (660, second, [second]), (100_000, second, [second]),
    ]
    for (seconds, signer, published) in table {
      let now = start.advanced(bySeconds: seconds)
      #expect(ring.signer(at: now).publicKey.id == signer, "after \(seconds) seconds")
      #expect(ring.published(at: now).map(\.id) == published, "after \(seconds) seconds")
    }
    // Tokens that a key has signed end before it is forgotten.
    #expect(Double(ServiceKeyRing.keptSeconds) > max(ServiceIdentity.lifetime, ServiceKeyRing.maxSignedSeconds))
    // All others have asked for the keys before the new one signs.
    #expect(Double(ServiceKeyRing.announcedSeconds) > 3 * ServiceTrust.interval)
  }

  @Test func rotationsFollowEachOther() throws {
    let twice = ServiceKeyRing.random().rotated(at: start).rotated(at: start.advanced(bySeconds: 10))
    #expect(twice.pairs.count == 3)
    let later = start.advanced(bySeconds: 10_000)
    #expect(twice.signer(at: later).publicKey.id == twice.pairs[2].publicKey.id)
    #expect(twice.rotated(at: later).pairs.map(\.publicKey.id).first == twice.pairs[2].publicKey.id)
  }

  @Test func aStolenKeyEndsAtOnce() throws {
    let old = ServiceKeyRing.random()
    let ring = old.rotated(at: start, atOnce: true)
    #expect(ring.published(at: start).map(\.id) == [ring.signer(at: start).publicKey.id])
    #expect(ring.signer(at: start).publicKey.id != old.signer(at: start).publicKey.id)
  }

  @Test func theFirstKeyOfTheSettingSigns() throws {
    let keys = [P256.Signing.PrivateKey(), P256.Signing.PrivateKey()]
    let ring = ServiceKeyRing(keys)
    #expect(ring.signer(at: start).key.rawRepresentation == keys[0].rawRepresentation)
    #expect(ring.published(at: start).count == 2)
  }

  @Test func filesAreReadAsTheyWereWritten() throws {
    let ring = ServiceKeyRing.random().rotated(at: start)
    let read = try #require(ServiceKeyRing(text: ring.text))
    #expect(read.pairs.map(\.publicKey.id) == ring.pairs.map(\.publicKey.id))
    #expect(read.pairs.map(\.signsFrom) == ring.pairs.map(\.signsFrom))
    let key = P256.Signing.PrivateKey().derRepresentation.base64EncodedString()
    for text in ["", "\n", "x", "0:", "0:AAAA", key, "9:\(key)\n0:\(key)", "0:\(key):\(key)"] {
      #expect(ServiceKeyRing(text: text) == nil, "\(text.prefix(10))")
    }
  }

  @Test func keyFilesAreForTheirOwnerOnlyAndStay() async throws {
    try await TemporaryFolder.run { folder async throws in
      let settings = Settings(["data": folder])
      let first = try ServiceKeys.load("catalog", settings).signer(at: start).publicKey.id
      #expect(try ServiceKeys.load("catalog", settings).signer(at: start).publicKey.id == first)
      #expect(try ServiceKeys.load("orders", settings).signer(at: start).publicKey.id != first)
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/service-keys-catalog")
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      try "nonsense".write(toFile: "\(folder)/service-keys-catalog", atomically: true, encoding: .utf8)
      #expect(throws: SettingError.self) { try ServiceKeys.load("catalog", settings) }
    }
  }
}

extension ServiceKeyRingTests {
  /// The PEM that an operator distributes.
  @Test func publicKeysAreReadFromFilesOfSeveral() async throws {
    try await TemporaryFolder.run { folder async throws in
      let keys = [ServiceKeyRing.random(), .random()].map { $0.pairs[0].publicKey }
      let path = "\(folder)/catalog.pem"
      #expect(try PublishedServiceKeys.file(path) == nil)
      try keys.map { "\($0.pem)\n" }.joined().write(toFile: path, atomically: true, encoding: .utf8)
      let read = try #require(try PublishedServiceKeys.file(path))
      #expect(read.map(\.id) == keys.map(\.id))
    }
  }
}
