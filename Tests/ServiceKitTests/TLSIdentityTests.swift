import Foundation
import Logging
import TestKit
import Testing

@testable import HTTPServing
@testable import ServiceKit

struct TLSIdentityTests {
  /// A renewed certificate is written before its key; until both match, the old pair stays in use.
  @Test func renewedPairsAreTakenWhole() async throws {
    try await TemporaryFolder.run { folder in
      let old = try await Certificates.make(in: folder, name: "old")
      let new = try await Certificates.make(in: folder, name: "new")
      let files = TLSFiles(certificateChain: "\(folder)/live.pem", privateKey: "\(folder)/live.key")
      func copy(_ source: String, to target: String) throws {
        try Data(contentsOf: URL(filePath: source)).write(to: URL(filePath: target))
      }
      try copy(old.certificate, to: files.certificateChain)
      try copy(old.key, to: files.privateKey)
      let identity = try TLSIdentity(files: files, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let first = ObjectIdentifier(identity.context)
      try identity.reload()
      #expect(ObjectIdentifier(identity.context) == first)
      try copy(new.certificate, to: files.certificateChain)
      #expect(throws: (any Error).self) { try identity.reload() }
      #expect(ObjectIdentifier(identity.context) == first)
      try copy(new.key, to: files.privateKey)
      try identity.reload()
      #expect(ObjectIdentifier(identity.context) != first)
    }
  }
}
