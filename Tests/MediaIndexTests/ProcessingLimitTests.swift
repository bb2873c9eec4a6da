import Contracts
import MediaFiles
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// Files made of uploads are limited as the uploads are.
struct ProcessingLimitTests {
  /// A small file can become large ones.
  @Test(arguments: TestDatabase.allCases)
  func whatIsMadeOfAnUploadCountsForTheQuota(on database: TestDatabase) async throws {
    try await ProcessingHost.run(database, settings: ["uploads.quotaBytes": "150000"]) { host in
      let ada = try await host.user("ada")
      let id = try await host.upload(host.recording(), by: ada)
      try await host.runAll()
      let media = try await host.media(id, of: ada)
      #expect(media.state == .failed)
      #expect(media.failure == .tooLarge)
      #expect(try await host.files(id).map(\.name) == ["original"])
      // Nothing else has been stored.
      let blobs = try await host.core.database.read { db in try db.count("SELECT COUNT(*) FROM blob_checks") }
      #expect(blobs == 1)
    }
  }

  @Test func theQuotaOfGuestsBoundsWhatIsMadeOfTheirUploads() async throws {
    try await ProcessingHost.run(settings: ["uploads.guestQuotaBytes": "150000"]) { host in
      let guest = TestUser(try await host.test.client.send(AuthAPI.SignInAsGuest()), host.test.client)
      let created = try await TusClient(user: guest, test: host.test).create(length: 10)
      #expect(created.status == 201)
      let id = try await host.upload(host.recording(), by: guest)
      try await host.runAll()
      #expect(try await host.media(id, of: guest).failure == .tooLarge)
    }
  }

  @Test func aPictureIsNotCroppedBeyondTheQuota() async throws {
    try await ProcessingHost.run(settings: ["uploads.quotaBytes": "400000"]) { host in
      let ada = try await host.user("ada")
      let id = try await host.upload(host.note("Enzymes"), by: ada)
      try await host.runAll()
      #expect(try await host.media(id, of: ada).state == .ready)
      try await host.core.database.write { tx in try StorageUseStore.add(bytes: 399_000, to: ada.id, in: tx) }
      let refused = try await problem {
        _ = try await ada.client.send(MediaAPI.CropPicture(id: id, quarterTurns: QuarterTurns(checked: 1)))
      }
      #expect(refused?.code == Problem.Kind.storageQuotaExceeded.code)
      #expect(try await host.media(id, of: ada).state == .ready)
    }
  }

  /// The program would fail in another way.
  @Test(arguments: [MediaKind.audio, .video])
  func nothingIsConvertedWithoutRoomForTheResult(_ kind: MediaKind) async throws {
    try await ProcessingHost.tools("ffmpeg", "exit 3") { tools in
      try await ProcessingHost.run { host in
        let ada = try await host.user("ada")
        let path = kind == .video ? try await host.video() : try await host.recording()
        let media = try await host.media(host.upload(path, by: ada), of: ada)
        let original = try await host.content(MediaFileName.original, of: media.id)
        let runner = ToolRunner(searchPath: tools)
        var limits = host.core.limits
        limits.reserveBytes = .max
        let folders = ProcessingFolders(host.core.environment)
        let derivation = MediaDerivation(
          converter: MediaConverter(runner),
          pictures: PictureWork(core: host.core, processor: PictureProcessor(tools: runner)), folders: folders,
          limits: limits, previewTag: nil)
        let found = await #expect(throws: Problem.self) {
          try await folders.with(host.claim()) { folder in
            _ = try await derivation.derive(
              media, from: original, in: folder, found: {}, progress: ProcessingProgress(media.id, host.core))
          }
        }
        #expect(found?.code == Problem.Kind.storageFull.code)
      }
    }
  }
}
