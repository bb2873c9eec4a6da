import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import MediaIndexService

/// The clients that others use: tuspy and aiotus upload, resume, join and verify.
@Suite(.serialized)
struct UploadClientTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("uploads.py").path

  @Test func realClientsUploadAndResume() async throws {
    let file = [UInt8].recording(3_000_000)
    try await TestPlatform.listen(UploadHost.plugins, settings: UploadHost.unlimited) { test, web in
      let host = UploadHost(test: test)
      let client = try await host.client()
      let path = "\(test.folder)/noise.wav"
      try Data(file).write(to: URL(fileURLWithPath: path))
      let output = try await Command.run([Python.path(), Self.script, web.url, client.user.token, path])
      let uploads = try JSONDecoder().decode([String].self, from: Data(output.utf8))
      #expect(uploads.count == 4)
      for upload in uploads {
        #expect(upload.hasPrefix("\(web.url)/v1/uploads/"))
        let media = try #require(try await client.head(String(upload.dropFirst(web.url.count)))["Upload-Media"])
        #expect(try await host.media(media)?.sha256 == file.sha256)
      }
      #expect(try await host.count("SELECT COUNT(*) FROM media") == 4)
      #expect(try host.files() == [])
    }
  }
}
