import Contracts
import Foundation
import MediaFiles
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

struct ProcessingTests {
  @Test(arguments: TestDatabase.allCases)
  func aRecordingBecomesReadyWithItsFiles(on database: TestDatabase) async throws {
    try await ProcessingHost.run(database) { host in
      let ada = try await host.user("ada")
      let id = try await host.upload(host.recording(), by: ada)
      #expect(try await host.media(id, of: ada).state == .uploaded)
      try await host.runAll()
      let media = try await host.media(id, of: ada)
      #expect(media.state == .ready)
      #expect(media.milliseconds == 3000)
      let names = try await host.files(id).map(\.name)
      #expect(
        names == [
          "audio.mp3", "original", "preview.mp3", "waveform-1024.json", "waveform-256.json", "waveform-4096.json",
        ])
      #expect(try await host.reported(id) == ["probing", "processing", "ready"])
      #expect(host.leftovers() == [])
    }
  }

  /// No one is charged for what is made of a media item that is deleted meanwhile.
  @Test func filesThatCouldNotBeNamedAreKeptForAnHour() async throws {
    try await ProcessingHost.run { host in
      _ = try await host.upload(host.recording(), by: host.user("ada"))
      try await host.core.database.write { tx in
        try tx.execute("DELETE FROM blob_checks")
        try tx.execute(
          "CREATE TRIGGER not_named BEFORE INSERT ON media_files BEGIN SELECT RAISE(ABORT, 'not named'); END")
      }
      try await host.runOnce()
      let due = host.test.time.source.now().advanced(bySeconds: BlobCheckStore.releasedSeconds)
      let counts = try await host.core.database.read { db in
        (
          all: try db.count("SELECT COUNT(*) FROM blob_checks"),
          soon: try db.count("SELECT COUNT(*) FROM blob_checks WHERE due_at <= \(due)")
        )
      }
      #expect(counts.all == 5)
      #expect(counts.soon == 5)
    }
  }

  @Test func aVideoBecomesReadyWithItsRenditions() async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let id = try await host.upload(host.video(), by: ada)
      try await host.runAll()
      let media = try await host.media(id, of: ada)
      #expect(media.state == .ready)
      #expect(media.milliseconds == 2000)
      #expect(media.width == 320)
      #expect(media.height == 240)
      _ = try #require(media.thumbHash)
      let names = try await Set(host.files(id).map(\.name))
      let expected: Set = [
        "hls/240p.m3u8", "hls/240p.mp4", "hls/master.m3u8", "original", "poster.jpg", "video.mp4",
        "thumbnail-320.webp", "thumbnail-320.jpg",
      ]
      #expect(names.isSuperset(of: expected))
    }
  }

  /// Phones write down where they record.
  @Test(arguments: ["m4a", "mp4"])
  func othersDoNotLearnWhereSomethingWasRecorded(_ suffix: String) async throws {
    try await ProcessingHost.run { host in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let path = try await host.make(
        suffix, ["-f", "lavfi", "-i", "sine=440:d=2", "-c:a", "aac", "-metadata", "comment=At home"])
      let id = try await host.upload(path, by: ada)
      try await host.runAll()
      try await host.core.database.write { tx in
        try tx.execute("UPDATE media SET visibility = \(MediaVisibility.everyone) WHERE id = \(id)")
      }
      let own = try await host.test.send(.get, "/v1/media/\(id)/content", by: ada)
      _ = try #require(own.body.firstRange(of: Array("At home".utf8)))
      let sent = try await host.test.send(.get, "/v1/media/\(id)/content", by: bob)
      #expect(sent.header("content-type") == "audio/mpeg")
      #expect(sent.body.firstRange(of: Array("At home".utf8)) == nil)
    }
  }

  @Test(arguments: ["m4a", "mp4"])
  func aLicenseDoesNotRevealWhereSomethingWasRecorded(_ suffix: String) async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let path = try await host.make(
        suffix, ["-f", "lavfi", "-i", "sine=440:d=2", "-c:a", "aac", "-metadata", "comment=At home"])
      let id = try await host.upload(path, by: ada)
      try await host.runAll()
      // As orders links what has been bought.
      let link = try host.test.platform.serviceURLs(of: OrdersAPI.self).sign(
        "/v1/media/\(id)/content",
        [("file", "wav"), ("license", host.test.ids.text()), ("seller", ada.id.rawValue)],
        until: host.core.time.now().advanced(bySeconds: 300))
      let sent = try await host.test.send(.get, link)
      #expect(sent.status == 200)
      #expect(sent.header("content-type") == "audio/mpeg")
      #expect(sent.body.firstRange(of: Array("At home".utf8)) == nil)
    }
  }

  @Test func aVideoWithoutAPictureIsARecording() async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let path = try await host.make("mp4", ["-f", "lavfi", "-i", "sine=440:d=2", "-c:a", "aac"])
      let id = try await host.upload(path, by: ada)
      try await host.runAll()
      let media = try await host.media(id, of: ada)
      #expect(media.state == .ready)
      #expect(media.kind == .audio)
      let names = try await host.files(id).map(\.name)
      #expect(names.contains("preview.mp3"))
    }
  }

  @Test func aTruncatedVideoFailsAndShowsNoHalfFile() async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let whole = Array(try Data(contentsOf: URL(fileURLWithPath: try await host.video(seconds: 8))))
      let id = try await host.upload(host.save(Array(whole.prefix(whole.count / 2))), by: ada)
      try await host.runAll()
      let media = try await host.media(id, of: ada)
      #expect(media.state == .failed)
      #expect(media.failure == .invalidContent)
      #expect(try await host.files(id).map(\.name) == ["original"])
      #expect(try await host.reported(id).last == "failed")
      #expect(host.leftovers() == [])
    }
  }

  /// The default is `./data`, and programs work in folders of their own.
  @Test func theDataFolderMayBeRelative() async throws {
    try await TemporaryFolder.run { folder async throws in
      let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
      let relative = String(repeating: "../", count: depth) + folder.dropFirst()
      try await ProcessingHost.run(settings: ["data": relative]) { host in
        let ada = try await host.user("ada")
        let id = try await host.upload(host.recording(), by: ada)
        try await host.runAll()
        #expect(try await host.media(id, of: ada).state == .ready)
      }
    }
  }

  @Test func aMissingProgramFailsTheMedium() async throws {
    try await ProcessingHost.run(settings: ["media.tools": "/nonexistent"]) { host in
      let ada = try await host.user("ada")
      let id = try await host.upload(host.recording(), by: ada)
      try await host.runAll()
      #expect(try await host.media(id, of: ada).failure == .toolMissing)
    }
  }

  @Test func aHangingProgramFailsTheMedium() async throws {
    try await ProcessingHost.tools("ffmpeg", "exec sleep 1000") { tools in
      try await ProcessingHost.run(settings: ["media.tools": tools, "media.conversionStall": "300ms"]) { host in
        let ada = try await host.user("ada")
        let id = try await host.upload(host.recording(), by: ada)
        try await host.runAll()
        #expect(try await host.media(id, of: ada).failure == .tooLarge)
        #expect(host.leftovers() == [])
      }
    }
  }

  @Test func aProgramThatEndsUnexpectedlyIsTriedThreeTimes() async throws {
    try await ProcessingHost.tools("ffmpeg", "exit 3") { tools in
      try await ProcessingHost.run(settings: ["media.tools": tools]) { host in
        let ada = try await host.user("ada")
        let id = try await host.upload(host.recording(), by: ada)
        var tries = 0
        while try await host.hasJobs(ProcessMedia.kind) {
          try await host.runOnce()
          tries += 1
          host.test.time.advance(seconds: 10)
        }
        #expect(try await host.media(id, of: ada).failure == .internalError)
        #expect(tries == 3)
      }
    }
  }

  /// A storage that was away, or a service that was killed, says nothing about the program.
  @Test func otherFailuresDoNotCountAsTheProgramsOwn() async throws {
    try await ProcessingHost.tools("ffmpeg", "exit 3") { tools in
      try await ProcessingHost.run(settings: ["media.tools": tools]) { host in
        let ada = try await host.user("ada")
        let id = try await host.upload(host.recording(), by: ada)
        try await host.core.database.write { tx in try tx.execute("UPDATE jobs SET attempts = 10") }
        for _ in 0..<2 {
          try await host.runOnce()
          #expect(try await host.media(id, of: ada).state == .processing)
          host.test.time.advance(seconds: 10)
        }
        try await host.runOnce()
        #expect(try await host.media(id, of: ada).failure == .internalError)
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theJobOfAKilledProcessRunsAgain(on database: TestDatabase) async throws {
    try await ProcessingHost.run(database) { host in
      let ada = try await host.user("ada")
      let id = try await host.upload(host.recording(), by: ada)
      // The state that a process leaves when it is killed in the middle: a claimed job, a state, and files.
      try await host.core.database.write { tx in
        _ = try host.core.media.advance(id, to: .processing, in: tx)
        try tx.execute(
          "UPDATE jobs SET due_at = \(tx.now.advanced(bySeconds: 120)), attempts = 1, claim = 'dead'")
      }
      let folder = "\(host.test.folder)/processing/process-media.\(id).dead"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data("half".utf8).write(to: URL(fileURLWithPath: folder + "/preview.mp3"))
      try await host.runOnce()
      #expect(try await host.media(id, of: ada).state == .processing)
      host.test.time.advance(seconds: 121)
      try await host.runOnce()
      #expect(try await host.media(id, of: ada).state == .ready)
      try await host.runOnce("media.processing-folders")
      #expect(host.leftovers() == [])
    }
  }

  /// As after a crop while the picture is processed.
  @Test func twoRunsOfAJobDoNotShareAFolder() async throws {
    try await ProcessingHost.run { host in
      let folders = ProcessingFolders(host.core.environment)
      let old = try await host.claim(), new = try await host.claim()
      #expect(old.id == new.id)
      try await folders.with(old) { first in
        let file = URL(fileURLWithPath: first + "/raw.jpg")
        try Data("old".utf8).write(to: file)
        try await folders.with(new) { second in #expect(second != first) }
        #expect(try Data(contentsOf: file) == Data("old".utf8))
      }
      #expect(host.leftovers() == [])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aRunThatWasReplacedDoesNotChangeTheState(on database: TestDatabase) async throws {
    // The program waits until the test has given the job to another run. It can write in its folder only.
    let script = """
      if [ ! -e "$TMPDIR/../../go" ]; then echo > asked; while [ ! -e "$TMPDIR/../../go" ]; do :; done; fi
      exec /usr/bin/ffprobe "$@"
      """
    try await ProcessingHost.tools("ffprobe", script) { tools in
      try await ProcessingHost.run(database, settings: ["media.tools": tools]) { host in
        let ada = try await host.user("ada")
        let id = try await host.upload(host.recording(), by: ada)
        let run = Task { try await host.runOnce() }
        try await eventually("the first run examines the file") {
          host.leftovers().contains { name in
            FileManager.default.fileExists(atPath: "\(host.test.folder)/processing/\(name)/asked")
          }
        }
        try await host.core.database.write { tx in
          try tx.execute("DELETE FROM jobs WHERE id = \(MediaIntake.job(of: id))")
          _ = try host.core.media.advance(id, to: .ready, in: tx)
        }
        try Data().write(to: URL(fileURLWithPath: "\(host.test.folder)/go"))
        try await run.value
        #expect(try await host.media(id, of: ada).state == .ready)
        #expect(try await host.reported(id).contains("processing") == false)
      }
    }
  }

  @Test func aPictureThatCannotBeCroppedStaysAsItWas() async throws {
    try await ProcessingHost.tools("vips", "[ -e \"$TMPDIR/../../../broken\" ] && exit 3; exec /usr/bin/vips \"$@\"") {
      tools in
      try await ProcessingHost.run(settings: ["media.tools": tools]) { host in
        let ada = try await host.user("ada")
        let id = try await host.upload(try await host.note("Enzymes"), by: ada)
        try await host.runAll()
        let files = try await host.files(id)
        try Data().write(to: URL(fileURLWithPath: "\(host.test.folder)/broken"))
        _ = try await ada.client.send(MediaAPI.CropPicture(id: id, quarterTurns: QuarterTurns(checked: 1)))
        try await host.runAll()
        let media = try await host.media(id, of: ada)
        #expect(media.state == .ready)
        #expect(media.failure == .invalidContent)
        #expect(try await host.files(id).map(\.blob) == files.map(\.blob))
      }
    }
  }

  @Test func aPictureDoesNotWaitForVideos() async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let video = try await host.upload(host.video(), by: ada)
      let picture = try await host.upload(host.note("Enzymes"), by: ada)
      try await host.runAll("process-picture")
      #expect(try await host.media(picture, of: ada).state == .ready)
      #expect(try await host.media(video, of: ada).state == .uploaded)
    }
  }

  @Test func foldersWithoutAJobAreCollected() async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let id = try await host.upload(host.recording(), by: ada)
      try await host.core.database.write { tx in try tx.execute("UPDATE jobs SET claim = 'running'") }
      let kept = "process-media.\(id).running", old = "process-media.\(id).dead"
      for name in [kept, old] {
        try FileManager.default.createDirectory(
          atPath: "\(host.test.folder)/processing/\(name)", withIntermediateDirectories: true)
      }
      try await host.runOnce("media.processing-folders")
      #expect(host.leftovers() == [kept])
    }
  }

  @Test func aDeletedMediumIsNotProcessed() async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let id = try await host.upload(host.recording(), by: ada)
      _ = try await ada.client.send(MediaAPI.DeleteMedia(id: id))
      #expect(try await host.hasJobs(ProcessMedia.kind) == false)
    }
  }

  @Test func usersTakeTurns() async throws {
    try await ProcessingHost.run { host in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      for seconds in 1...5 { _ = try await host.upload(host.recording(seconds: seconds), by: ada) }
      let last = try await host.upload(host.recording(seconds: 6), by: bob)
      for _ in 0..<2 { try await host.runOnce() }
      #expect(try await host.media(last, of: bob).state == .ready)
    }
  }
}
