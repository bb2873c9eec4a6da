import Contracts
import Crypto
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// tus 1.0.0, and what servers in use do wrong.
struct UploadProtocolTests {
  private let file = [UInt8].recording(3_000_000)

  // MARK: core

  @Test(arguments: TestDatabase.allCases)
  func anUploadInPiecesBecomesAMedium(_ database: TestDatabase) async throws {
    try await UploadHost.run(database) { host async throws in
      let client = try await host.client()
      let created = try await client.create(length: file.count)
      #expect(created.status == 201)
      #expect(created["Tus-Resumable"] == "1.0.0")
      let path = try created.location
      var answer = created
      for (start, end) in [(0, 1), (1, 1_048_577), (1_048_577, 2_500_000), (2_500_000, file.count)] {
        #expect(answer["Upload-Media"] == nil)
        answer = try await client.append(file[start..<end], at: start, to: path)
        #expect(answer.status == 204)
        #expect(answer["Upload-Offset"] == String(end))
      }
      let media = try #require(try await host.media(answer["Upload-Media"]))
      #expect(media.bytes == Int64(file.count))
      #expect(media.sha256 == file.sha256)
      #expect(try host.files() == [])
      let head = try await client.head(path)
      #expect(head.status == 200)
      #expect(head["Upload-Offset"] == String(file.count))
      #expect(head["Upload-Media"] == answer["Upload-Media"])
    }
  }

  @Test func headReportsTheOffsetOfAnUpload() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let metadata = "filename aG9saWRheS53YXY=,is_secret,empty"
      let path = try await client.create(length: 1000, ["Upload-Metadata": metadata]).location
      _ = try await client.append(file[..<10], at: 0, to: path)
      let head = try await client.head(path)
      #expect(head.status == 200)
      #expect(head["Upload-Offset"] == "10")
      #expect(head["Upload-Length"] == "1000")
      #expect(head["Cache-Control"] == "no-store")
      #expect(head["Upload-Metadata"] == "filename aG9saWRheS53YXY=,is_secret,empty")
      #expect(try #require(head["Upload-Expires"]).hasSuffix(" GMT"))
      #expect(try await host.count("SELECT COUNT(*) FROM uploads WHERE metadata LIKE '%aG9sa%'") == 0)
    }
  }

  @Test(arguments: [nil, "0.2.2", "1.0", "2.0.0"])
  func everyOtherVersionIsRefused(_ version: String?) async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: 1000).location
      let patch = ["Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"]
      let answers = [
        try await client.send(.head, path, version: version),
        try await client.send(.patch, path, patch, [1, 2, 3], version: version),
        try await client.send(.delete, path, version: version),
        try await client.send(.post, "/v1/uploads", ["Upload-Length": "5"], version: version),
      ]
      #expect(answers.map(\.status) == [412, 412, 412, 412])
      #expect(answers.map { $0["Tus-Version"] } == ["1.0.0", "1.0.0", "1.0.0", "1.0.0"])
      #expect(try await client.head(path)["Upload-Offset"] == "0")
      #expect(try await host.count("SELECT COUNT(*) FROM uploads") == 1)
    }
  }

  @Test func optionsNeedNeitherTokenNorVersion() async throws {
    try await UploadHost.run { host async throws in
      for target in ["/v1/uploads", "/v1/uploads/x"] {
        let response = try await host.test.send(.options, target)
        #expect(response.status == 204)
        let answer = TusClient.Answer(response: response)
        #expect(answer["Tus-Version"] == "1.0.0")
        #expect(answer["Tus-Max-Size"] == String(8 << 30))
        #expect(answer["Tus-Checksum-Algorithm"] == "sha1,sha256,md5")
        let extensions = try #require(answer["Tus-Extension"]).split(separator: ",")
        #expect(
          Set(extensions) == [
            "creation", "creation-with-upload", "creation-defer-length", "checksum", "expiration", "termination",
            "concatenation",
          ])
      }
    }
  }

  @Test func anotherOffsetOrContentTypeIsRefused() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: 1000).location
      _ = try await client.append(file[..<10], at: 0, to: path)
      for offset in [0, 9, 11, 1000] {
        let answer = try await client.append([1], at: offset, to: path)
        #expect(try answer.code == "upload-offset-mismatch")
        #expect(answer.status == 409)
        #expect(answer["Upload-Offset"] == "10")
      }
      for offset in ["", "-1", "+10", "10.0", "a", "99999999999999999999"] {
        #expect(try await client.append([1], at: 10, to: path, ["Upload-Offset": offset]).status == 400)
      }
      let type = try await client.append([1], at: 10, to: path, ["Content-Type": "application/octet-stream"])
      #expect(type.status == 415)
      #expect(try await client.head(path)["Upload-Offset"] == "10")
    }
  }

  @Test func moreThanTheLengthIsRefused() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: 1000).location
      let answer = try await client.append(file[..<1001], at: 0, to: path)
      #expect(try answer.code == "upload-too-large")
      #expect(answer.status == 413)
      #expect(try await client.head(path)["Upload-Offset"] == "0")
    }
  }

  @Test func methodsCanBeOverridden() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: 1000).location
      func post(_ method: String, _ headers: [String: String] = [:], _ body: [UInt8]? = nil) async throws
        -> TusClient.Answer
      {
        try await client.send(.post, path, headers.merging(["X-HTTP-Method-Override": method]) { $1 }, body)
      }
      let patch = ["Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"]
      #expect(try await post("PATCH", patch, [1, 2, 3]).status == 204)
      #expect(try await post("HEAD")["Upload-Offset"] == "3")
      #expect(try await post("PUT").status == 405)
      #expect(try await client.send(.post, path).status == 405)
      #expect(try await post("DELETE").status == 204)
      #expect(try await client.head(path).status == 404)
    }
  }

  @Test func uploadsBelongToTheirOwners() async throws {
    try await UploadHost.run { host async throws in
      let (ada, eve) = (try await host.client("ada"), try await host.client("eve"))
      let path = try await ada.create(length: 1000).location
      #expect(try await eve.head(path).status == 404)
      #expect(try await eve.append([1], at: 0, to: path).status == 404)
      #expect(try await eve.send(.delete, path).status == 404)
      #expect(try await host.test.send(.head, path, headers: [("tus-resumable", "1.0.0")]).status == 401)
      #expect(try await ada.head(path)["Upload-Offset"] == "0")
    }
  }

  // MARK: creation

  private static let incomplete: [[String: String]] = [
    [:], ["Upload-Length": "-1"], ["Upload-Length": "x"], ["Upload-Length": "5", "Upload-Defer-Length": "1"],
    ["Upload-Defer-Length": "2"], ["Upload-Length": "5", "Upload-Metadata": "a b c"],
    ["Upload-Length": "5", "Upload-Metadata": "a YQ==,a YQ=="], ["Upload-Length": "5", "Upload-Metadata": "a !"],
    ["Upload-Length": "5", "Upload-Metadata": ",a YQ=="], ["Upload-Length": "5", "Upload-Metadata": "kind eA=="],
    ["Upload-Length": "5", "Upload-Concat": "parts"], ["Upload-Concat": "final;"],
    ["Upload-Concat": "final;/v1/uploads/x"], ["Upload-Length": "5", "Upload-Concat": "final;/v1/uploads/x"],
  ]

  @Test(arguments: incomplete)
  func incompleteCreationsAreRefused(_ headers: [String: String]) async throws {
    try await UploadHost.run { host async throws in
      let answer = try await host.client().send(.post, "/v1/uploads", headers)
      #expect(answer.status == 400)
      #expect(try await host.count("SELECT COUNT(*) FROM uploads") == 0)
    }
  }

  @Test func aFileCanComeWithItsCreation() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let headers = ["Upload-Length": String(file.count), "Content-Type": "application/offset+octet-stream"]
      let answer = try await client.send(.post, "/v1/uploads", headers, file)
      #expect(answer.status == 201)
      #expect(answer["Upload-Offset"] == String(file.count))
      #expect(try await host.media(answer["Upload-Media"])?.sha256 == file.sha256)

      let half = try await client.send(.post, "/v1/uploads", headers, Array(file[..<1000]))
      #expect(half["Upload-Offset"] == "1000")
      #expect(half["Upload-Media"] == nil)

      let json = headers.merging(["Content-Type": "application/json"]) { $1 }
      #expect(try await client.send(.post, "/v1/uploads", json, file).status == 415)
      #expect(try await host.count("SELECT COUNT(*) FROM uploads") == 2)
    }
  }

  @Test func theLengthCanBeStatedLater() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.send(.post, "/v1/uploads", ["Upload-Defer-Length": "1"]).location
      _ = try await client.append(file[..<2_000_000], at: 0, to: path)
      let head = try await client.head(path)
      #expect(head["Upload-Defer-Length"] == "1")
      #expect(head["Upload-Length"] == nil)
      let short = try await client.append(file[2_000_000...], at: 2_000_000, to: path, ["Upload-Length": "1999999"])
      #expect(short.status == 400)
      let length = ["Upload-Length": String(file.count)]
      let last = try await client.append(file[2_000_000...], at: 2_000_000, to: path, length)
      #expect(try await host.media(last["Upload-Media"])?.sha256 == file.sha256)
      let other = try await client.append([], at: file.count, to: path, ["Upload-Length": "5"])
      #expect(other.status == 400)
    }
  }

  @Test func nothingIsNoMedium() async throws {
    try await UploadHost.run { host async throws in
      let answer = try await host.client().create(length: 0)
      #expect(try answer.code == "media-type-unsupported")
      #expect(answer.status == 415)
      #expect(try await host.count("SELECT COUNT(*) FROM uploads") == 0)
      #expect(try host.files() == [])
    }
  }

  @Test func aFileOfAnUnknownTypeLeavesNothingBehind() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let text = Array("<script>alert(1)</script>".utf8)
      let metadata = ["Upload-Metadata": "filename dmlkZW8ubXA0,filetype dmlkZW8vbXA0"]
      let path = try await client.create(length: text.count, metadata).location
      let answer = try await client.append(text, at: 0, to: path)
      #expect(answer.status == 415)
      #expect(try await client.head(path).status == 404)
      #expect(try await host.count("SELECT COUNT(*) FROM uploads") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM media") == 0)
      #expect(try host.files() == [])
    }
  }

  @Test func aFileOfAnotherKindThanWantedIsRefused() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let metadata = ["Upload-Metadata": "kind aW1hZ2U="]
      let path = try await client.create(length: file.count, metadata).location
      #expect(try await client.append(file, at: 0, to: path).status == 415)
    }
  }

  // MARK: the last answer is lost

  @Test func aRepeatedLastRequestReportsTheMediaItem() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: file.count).location
      let media = try #require(try await client.append(file, at: 0, to: path)["Upload-Media"])
      let again = try await client.append(file, at: 0, to: path)
      #expect(again.status == 409)
      #expect(again["Upload-Offset"] == String(file.count))
      #expect(again["Upload-Media"] == media)
      let empty = try await client.append([], at: file.count, to: path)
      #expect(empty.status == 204)
      #expect(empty["Upload-Media"] == media)
      #expect(try await client.append([1], at: file.count, to: path).status == 413)
      #expect(try await host.count("SELECT COUNT(*) FROM media") == 1)
    }
  }

  /// As after a crash between the last record and the media item.
  @Test(arguments: TestDatabase.allCases)
  func aCompleteUploadIsFinishedLater(_ database: TestDatabase) async throws {
    try await UploadHost.run(database) { host async throws in
      let client = try await host.client()
      for byHead in [true, false] {
        let path = try await client.create(length: file.count).location
        let id = try #require(path.split(separator: "/").last)
        try await host.database.write { [file] tx in
          try tx.execute("UPDATE uploads SET received = \(file.count), writer = 'dead' WHERE id = \(String(id))")
        }
        let folder = host.test.folder
        try Data(file).write(to: URL(fileURLWithPath: "\(folder)/uploads/\(id)"))
        if !byHead { try await host.runOnce("uploads.sweep") }
        let media = try #require(try await client.head(path)["Upload-Media"])
        #expect(try await host.media(media)?.sha256 == file.sha256)
      }
      #expect(try await host.count("SELECT COUNT(*) FROM media") == 2)
    }
  }

  // MARK: checksums

  @Test(arguments: ["sha1", "sha256", "md5"])
  func checksumsDecideWhatCounts(_ algorithm: String) async throws {
    func checksum(_ bytes: [UInt8]) -> String {
      let digest: [UInt8] =
        switch algorithm {
        case "sha1": Array(Insecure.SHA1.hash(data: bytes))
        case "sha256": Array(SHA256.hash(data: bytes))
        default: Array(Insecure.MD5.hash(data: bytes))
        }
      return "\(algorithm) \(Data(digest).base64EncodedString())"
    }
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: file.count).location
      let (first, second) = (Array(file[..<1_500_000]), Array(file[1_500_000...]))
      #expect(try await client.append(first, at: 0, to: path, ["Upload-Checksum": checksum(first)]).status == 204)
      let damaged = second.dropLast() + [second[second.count - 1] ^ 1]
      let wrong = try await client.append(
        damaged, at: first.count, to: path, ["Upload-Checksum": checksum(second)])
      #expect(wrong.status == 460)
      #expect(try await client.head(path)["Upload-Offset"] == "1500000")
      let last = try await client.append(second, at: first.count, to: path, ["Upload-Checksum": checksum(second)])
      #expect(try await host.media(last["Upload-Media"])?.sha256 == file.sha256)
    }
  }

  @Test(arguments: ["crc32 AAAAAA==", "sha1", "sha1 !", "sha1 AAAA", "sha256 Kq5sNclPz7QV2+lfQIuc6R7oRu0="])
  func otherChecksumsAreRefused(_ checksum: String) async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let path = try await client.create(length: 1000).location
      #expect(try await client.append([1], at: 0, to: path, ["Upload-Checksum": checksum]).status == 400)
      #expect(try await client.head(path)["Upload-Offset"] == "0")
    }
  }

  // MARK: concatenation

  @Test(arguments: TestDatabase.allCases)
  func partsAreJoined(_ database: TestDatabase) async throws {
    try await UploadHost.run(database) { host async throws in
      let client = try await host.client()
      var paths: [String] = []
      for range in [0..<1_200_000, 1_200_000..<1_200_001, 1_200_001..<file.count] {
        let path = try await client.create(length: range.count, ["Upload-Concat": "partial"]).location
        let answer = try await client.append(file[range], at: 0, to: path)
        #expect(answer["Upload-Media"] == nil)
        #expect(try await client.head(path)["Upload-Concat"] == "partial")
        paths.append(path)
      }
      let concat = "final;\(paths[0]) http://localhost\(paths[1]) \(paths[2])"
      let final = try await client.send(
        .post, "/v1/uploads", ["Upload-Concat": concat, "Upload-Metadata": "filename YQ=="])
      #expect(final.status == 201)
      #expect(try await host.media(final["Upload-Media"])?.sha256 == file.sha256)
      let head = try await client.head(try final.location)
      #expect(head["Upload-Concat"] == concat)
      #expect(head["Upload-Length"] == String(file.count))
      #expect(head["Upload-Metadata"] == "filename YQ==")
      #expect(try await client.append([], at: file.count, to: try final.location).status == 403)
      #expect(try await client.head(paths[0]).status == 404)
      #expect(try host.files() == [])
    }
  }

  @Test func onlyOwnCompletePartsAreJoined() async throws {
    try await UploadHost.run { host async throws in
      let (ada, eve) = (try await host.client("ada"), try await host.client("eve"))
      let part = try await ada.create(length: 10, ["Upload-Concat": "partial"]).location
      let whole = try await ada.create(length: 10).location
      func join(_ client: TusClient, _ path: String) async throws -> Int {
        try await client.send(.post, "/v1/uploads", ["Upload-Concat": "final;\(path)"]).status
      }
      #expect(try await join(ada, part) == 409)
      _ = try await ada.append(file[..<10], at: 0, to: part)
      #expect(try await join(eve, part) == 404)
      #expect(try await join(ada, whole) == 400)
      #expect(try await join(ada, "\(part) \(part)") == 400)
      // Its ten bytes are no recording.
      #expect(try await join(ada, part) == 415)
      #expect(try await host.count("SELECT COUNT(*) FROM uploads") == 1)
    }
  }
}
