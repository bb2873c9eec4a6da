import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

struct ScanTests {
  /// A PDF file with pages of one line of text each, or with empty pages.
  private func document(_ pages: [String?]) -> [UInt8] {
    var file = "%PDF-1.4\n"
    var offsets: [Int] = []
    func add(_ content: String) {
      offsets.append(file.utf8.count)
      file += "\(offsets.count) 0 obj\n\(content)\nendobj\n"
    }
    add("<< /Type /Catalog /Pages 2 0 R >>")
    add(
      "<< /Type /Pages /Kids [\(pages.indices.map { "\(4 + 2 * $0) 0 R" }.joined(separator: " "))] /Count \(pages.count) >>"
    )
    add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for (index, text) in pages.enumerated() {
      let shown = text.map { "BT /F 20 Tf 50 700 Td (\($0)) Tj ET" } ?? ""
      add(
        """
        << /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents \(5 + 2 * index) 0 R
        /Resources << /Font << /F 3 0 R >> >> >>
        """)
      add("<< /Length \(shown.utf8.count) >>\nstream\n\(shown)\nendstream")
    }
    let start = file.utf8.count
    file += "xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n"
    for offset in offsets { file += String(repeating: "0", count: 10 - "\(offset)".count) + "\(offset) 00000 n \n" }
    file += "trailer << /Size \(offsets.count + 1) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n"
    return Array(file.utf8)
  }

  private func ready(_ path: String, _ host: ProcessingHost, by user: TestUser) async throws -> MediaID {
    let id = try await host.upload(path, by: user)
    try await host.runAll()
    return id
  }

  private func expectProblem(
    _ kind: Problem.Kind, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async throws {
    let found = try await problem(body)
    #expect(found?.code == kind.code, sourceLocation: sourceLocation)
  }

  private func pages(_ id: MediaID, of user: TestUser) async throws -> [ScannedPage] {
    try await user.client.send(MediaAPI.ListScannedPages(id: id, limit: PageSize(checked: 100))).items
  }

  @Test(arguments: TestDatabase.allCases)
  func theTextOfAPictureIsRead(on database: TestDatabase) async throws {
    try await ProcessingHost.run(database) { host in
      let ada = try await host.user("ada")
      let id = try await ready(try await host.note("Enzymes speed up reactions"), host, by: ada)
      #expect(try await ada.client.send(MediaAPI.StartScan(id: id)).state == .queued)
      try await host.runAll(ScanWork.kind)
      let scan = try await ada.client.send(MediaAPI.GetScan(id: id))
      #expect(scan == Scan(media: id, state: .ready, pages: 1, finishedPages: 1))
      let page = try #require(try await pages(id, of: ada).first)
      #expect(page.text == "Enzymes speed up reactions")
      #expect(try #require(page.confidence) > 80)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theTextOfADocumentNeedsNoRecognition(on database: TestDatabase) async throws {
    try await ProcessingHost.run(database) { host in
      let ada = try await host.user("ada")
      let texts = ["The first page of the notes.", "The second page of the notes."]
      let id = try await ready(host.save(document(texts)), host, by: ada)
      _ = try await ada.client.send(MediaAPI.StartScan(id: id))
      try await host.runOnce(ScanWork.kind)
      #expect(try await ada.client.send(MediaAPI.GetScan(id: id)).state == .ready)
      let found = try await pages(id, of: ada)
      #expect(found.map(\.text) == texts)
      #expect(found.map(\.confidence) == [nil, nil])
      #expect(try await host.hasJobs(ScanWork.kind) == false)
    }
  }

  @Test func textsAreEncryptedAtRest() async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let id = try await ready(host.save(document(["A very personal page of notes."])), host, by: ada)
      _ = try await ada.client.send(MediaAPI.StartScan(id: id))
      try await host.runAll(ScanWork.kind)
      let stored = try await host.core.database.read { db in
        try db.values("SELECT text FROM scan_pages", as: String.self)
      }
      #expect(stored.count == 1)
      #expect(stored.allSatisfy { !$0.contains("personal") })
    }
  }

  /// A document of 200 pages is recognized in steps between which others have their turn.
  @Test func aLongDocumentLetsOthersPass() async throws {
    try await ProcessingHost.run { host in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let long = try await ready(host.save(document(Array(repeating: nil, count: 200))), host, by: ada)
      let short = try await ready(try await host.note("Enzymes speed up reactions"), host, by: bob)
      _ = try await ada.client.send(MediaAPI.StartScan(id: long))
      try await host.runOnce(ScanWork.kind)
      _ = try await bob.client.send(MediaAPI.StartScan(id: short))
      for _ in 0..<2 { try await host.runOnce(ScanWork.kind) }
      #expect(try await bob.client.send(MediaAPI.GetScan(id: short)).state == .ready)
      let scan = try await ada.client.send(MediaAPI.GetScan(id: long))
      #expect(scan.state == .scanning)
      #expect(scan.pages == 200)
    }
  }

  @Test func aDamagedDocumentFails() async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let broken = "%PDF-1.4\n" + String(repeating: "nothing of a document\n", count: 10)
      let id = try await ready(host.save(Array(broken.utf8)), host, by: ada)
      _ = try await ada.client.send(MediaAPI.StartScan(id: id))
      try await host.runAll(ScanWork.kind)
      let scan = try await ada.client.send(MediaAPI.GetScan(id: id))
      #expect(scan.state == .failed)
      #expect(scan.failure == .invalidContent)
    }
  }

  @Test func otherFailuresDoNotCountAsTheProgramsOwn() async throws {
    try await ProcessingHost.tools("tesseract", "echo 'Error loading language' >&2; exit 1") { tools in
      try await ProcessingHost.run(settings: ["media.tools": tools]) { host in
        let ada = try await host.user("ada")
        let id = try await ready(host.note("Enzymes speed up reactions"), host, by: ada)
        _ = try await ada.client.send(MediaAPI.StartScan(id: id))
        try await host.core.database.write { tx in
          try tx.execute("UPDATE jobs SET attempts = 10 WHERE kind = \(ScanWork.kind)")
        }
        for _ in 0..<2 {
          try await host.runOnce(ScanWork.kind)
          #expect(try await ada.client.send(MediaAPI.GetScan(id: id)).state == .queued)
          host.test.time.advance(seconds: 10)
        }
        try await host.runOnce(ScanWork.kind)
        #expect(try await ada.client.send(MediaAPI.GetScan(id: id)).failure == .internalError)
      }
    }
  }

  @Test func aMissingProgramFailsTheScan() async throws {
    try await ProcessingHost.run(settings: ["media.tools": "/nonexistent"]) { host in
      let ada = try await host.user("ada")
      let id = try await ready(host.save(document(["Some text."])), host, by: ada)
      _ = try await ada.client.send(MediaAPI.StartScan(id: id))
      try await host.runAll(ScanWork.kind)
      #expect(try await ada.client.send(MediaAPI.GetScan(id: id)).failure == .toolMissing)
    }
  }

  /// The remains of a failed scan, such as a step that still runs, take no part in the next one.
  @Test(arguments: TestDatabase.allCases)
  func aRestartedScanWaitsForItsOwnPages(on database: TestDatabase) async throws {
    try await ProcessingHost.run(database) { host in
      let ada = try await host.user("ada")
      let id = try await ready(host.save(document(Array(repeating: nil, count: 5))), host, by: ada)
      _ = try await ada.client.send(MediaAPI.StartScan(id: id))
      try await host.runOnce(ScanWork.kind)
      let scans = ScanStore(keys: host.core.environment.dataKeys)
      try await host.core.database.write { tx in try scans.fail(id, .internalError, in: tx) }
      let old = ScanWork(media: id, run: 0, pages: [5])
      try await host.core.database.write { tx in
        try tx.execute("DELETE FROM jobs WHERE id LIKE 'scan-media:%' AND id <> \(old.job)")
      }
      #expect(try await ada.client.send(MediaAPI.StartScan(id: id)).state == .queued)
      try await host.core.database.write { tx in
        try tx.execute("UPDATE jobs SET due_at = due_at + 5000000 WHERE id = \(ScanWork(media: id, run: 0).job)")
      }
      try await host.runOnce(ScanWork.kind)
      #expect(try await ada.client.send(MediaAPI.GetScan(id: id)).state == .queued)
      try await host.core.database.write { tx in try scans.finishIfComplete(id, in: tx) }
      #expect(try await ada.client.send(MediaAPI.GetScan(id: id)).state == .queued)
      try await host.runAll(ScanWork.kind)
      #expect(
        try await ada.client.send(MediaAPI.GetScan(id: id))
          == Scan(media: id, state: .ready, pages: 5, finishedPages: 5))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aListOfPagesEndsAtTheFirstOpenOne(on database: TestDatabase) async throws {
    try await ProcessingHost.run(database) { host in
      let ada = try await host.user("ada")
      let id = try await ready(
        host.save(document(["The first page of the notes.", nil, "The third page of the notes."])), host, by: ada)
      _ = try await ada.client.send(MediaAPI.StartScan(id: id))
      try await host.runOnce(ScanWork.kind)
      #expect(try await pages(id, of: ada).map(\.page) == [1])
      try await host.runAll(ScanWork.kind)
      #expect(try await pages(id, of: ada).map(\.page) == [1, 2, 3])
    }
  }

  @Test func aScanFailsWhenTheStorageDoesNotReturn() async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let id = try await ready(host.save(document(["A page of text for one."])), host, by: ada)
      let path = try await host.content(MediaFileName.original, of: id)
      _ = try await ada.client.send(MediaAPI.StartScan(id: id))
      try FileManager.default.removeItem(atPath: path)
      try await host.core.database.write { tx in
        try tx.execute("UPDATE jobs SET attempts = \(ScanJob.attempts - 1) WHERE kind = \(ScanWork.kind)")
      }
      try await host.runOnce(ScanWork.kind)
      let scan = try await ada.client.send(MediaAPI.GetScan(id: id))
      #expect(scan.state == .failed)
      #expect(scan.failure == .internalError)
    }
  }

  @Test func aHugeFileIsNotScanned() async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let id = try await ready(host.save(document(["A page of text for one."])), host, by: ada)
      _ = try await ada.client.send(MediaAPI.StartScan(id: id))
      try await host.core.database.write { tx in
        try tx.execute("UPDATE media_files SET bytes = \(ScanJob.maxBytes + 1) WHERE media_id = \(id)")
      }
      try await host.runOnce(ScanWork.kind)
      #expect(try await ada.client.send(MediaAPI.GetScan(id: id)).failure == .tooLarge)
    }
  }

  /// Users who may load a media item may follow it, but not its scan.
  @Test func onlyTheOwnerIsNotifiedOfAScan() async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let id = try await ready(host.save(document(["A page of text for one."])), host, by: ada)
      _ = try await ada.client.send(MediaAPI.StartScan(id: id))
      let types = try await host.core.database.read { db in
        try db.values("SELECT DISTINCT type FROM outbox WHERE data LIKE '%scan.changed%'", as: String.self)
      }
      #expect(types == [RealtimeEvent.type])
    }
  }

  @Test func onlyTheOwnerScansAndReads() async throws {
    try await ProcessingHost.run { host in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let id = try await ready(host.save(document(["A page of text for one."])), host, by: ada)
      #expect(
        try await problem { _ = try await bob.client.send(MediaAPI.StartScan(id: id)) }?.code
          == Problem.Kind.mediaNotFound.code)
      #expect(
        try await problem { _ = try await ada.client.send(MediaAPI.GetScan(id: id)) }?.code
          == Problem.Kind.scanNotFound.code)
      _ = try await ada.client.send(MediaAPI.StartScan(id: id))
      #expect(
        try await problem { _ = try await bob.client.send(MediaAPI.ListScannedPages(id: id)) }?.code
          == Problem.Kind.mediaNotFound.code)
    }
  }

  @Test func aRecordingIsNotScanned() async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let id = try await ready(try await host.recording(), host, by: ada)
      #expect(
        try await problem { _ = try await ada.client.send(MediaAPI.StartScan(id: id)) }?.code
          == Problem.Kind.mediaNotScannable.code)
    }
  }

  @Test func aScanEndsWithItsMedium() async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let id = try await ready(host.save(document(["A page of text for one."])), host, by: ada)
      _ = try await ada.client.send(MediaAPI.StartScan(id: id))
      try await host.runAll(ScanWork.kind)
      _ = try await ada.client.send(MediaAPI.DeleteMedia(id: id))
      let rows = try await host.core.database.read { db in
        try db.count("SELECT COUNT(*) FROM scan_pages") + db.count("SELECT COUNT(*) FROM scans")
      }
      #expect(rows == 0)
    }
  }

  // MARK: drafts

  @Test(arguments: TestDatabase.allCases)
  func aScanBecomesDraftsOfCards(on database: TestDatabase) async throws {
    try await ProcessingHost.run(database) { host in
      let ada = try await host.user("ada")
      let id = try await ready(
        host.save(document(["osmosis: movement of water", "diffusion: movement of particles"])), host, by: ada)
      _ = try await ada.client.send(MediaAPI.StartScan(id: id))
      try await host.runAll(ScanWork.kind)
      let set = try await ada.client.send(StudyAPI.CreateSet(title: SetTitle(validating: "Biology"))).id
      let made = try await ada.client.send(StudyAPI.DraftCards(id: set, media: id, rule: .terms))
      #expect(
        made.drafts == [
          CardDraftView(front: "osmosis", back: "movement of water", page: 1, line: 1),
          CardDraftView(front: "diffusion", back: "movement of particles", page: 2, line: 1),
        ])
      #expect(made.rules == [.terms, .terms])
      #expect(try await ada.client.send(StudyAPI.ListCards(id: set)).items.isEmpty)
    }
  }

  /// A partial text would pass for the whole text.
  @Test(arguments: TestDatabase.allCases)
  func draftsWaitForTheWholeScan(on database: TestDatabase) async throws {
    try await ProcessingHost.run(database) { host in
      let ada = try await host.user("ada")
      let id = try await ready(
        host.save(document(["osmosis: movement of water", nil, "diffusion: movement of particles"])), host, by: ada)
      let set = try await ada.client.send(StudyAPI.CreateSet(title: SetTitle(validating: "Biology"))).id
      _ = try await ada.client.send(MediaAPI.StartScan(id: id))
      try await host.runOnce(ScanWork.kind)
      #expect(try await pages(id, of: ada).map(\.page) == [1])
      let refused = try await problem { _ = try await ada.client.send(StudyAPI.DraftCards(id: set, media: id)) }
      #expect(refused?.code == Problem.Kind.mediaNotReady.code)
      try await host.runAll(ScanWork.kind)
      let made = try await ada.client.send(StudyAPI.DraftCards(id: set, media: id, rule: .terms))
      #expect(made.drafts.map(\.page) == [1, 3])
    }
  }

  @Test func aTextBecomesDraftsOfCards() async throws {
    try await ProcessingHost.run { host in
      let ada = try await host.user("ada")
      let set = try await ada.client.send(StudyAPI.CreateSet(title: SetTitle(validating: "Biology"))).id
      let text = try DraftText(validating: "Capital of France?\nParis\n")
      let made = try await ada.client.send(StudyAPI.DraftCards(id: set, text: text))
      #expect(made.drafts == [CardDraftView(front: "Capital of France?", back: "Paris", line: 1)])
      #expect(made.rules == [.parity])
    }
  }

  @Test func draftsAreOfOwnMediaOnly() async throws {
    try await ProcessingHost.run { host in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let id = try await ready(host.save(document(["A page of text for one."])), host, by: ada)
      _ = try await ada.client.send(MediaAPI.StartScan(id: id))
      try await host.runAll(ScanWork.kind)
      let set = try await bob.client.send(StudyAPI.CreateSet(title: SetTitle(validating: "Biology"))).id
      let refused = try await problem { _ = try await bob.client.send(StudyAPI.DraftCards(id: set, media: id)) }
      #expect(refused?.code == Problem.Kind.mediaNotFound.code)
    }
  }
}
