import Contracts
import CurlClient
import Foundation
import HTTPServing
import HTTPTypes
import NIOCore
import ServiceKit
import TestKit
import Testing

/// Stored content as it arrives behind the gateway.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct DownloadTests {
  private static let text = StoredContent(
    mediaType: "text/plain", length: 5000, tag: EntityTag(digest: "text"), caching: .everyone(seconds: 60),
    source: .bytes(Array(repeating: UInt8(ascii: "x"), count: 5000)))

  private static let rows: [(headers: [String], status: Int, range: String?, length: Int)] = [
    ([], 200, nil, 5000), (["Range: bytes=0-1"], 206, "bytes 0-1/5000", 2),
    (["Range: bytes=-10"], 206, "bytes 4990-4999/5000", 10),
    (["Range: bytes=4000-"], 206, "bytes 4000-4999/5000", 1000),
    (["Range: items=0-1"], 200, nil, 5000), (["Range: bytes=0-1", "If-Range: \"text\""], 206, "bytes 0-1/5000", 2),
    (["Range: bytes=0-1", "If-Range: \"old\""], 200, nil, 5000), (["If-None-Match: \"text\""], 304, nil, 0),
    (["If-None-Match: \"old\""], 200, nil, 5000), (["If-Match: \"text\""], 200, nil, 5000),
  ]

  @Test(arguments: FilesHost.allCases)
  func rangesAndConditionsPassUnchanged(host: FilesHost) async throws {
    try await host.run(["text": Self.text]) { files async throws in
      // Nothing is compressed: the tag and the ranges are those of the stored bytes.
      for accepted in ["identity", "gzip, br", "*"] {
        for row in Self.rows {
          let response = try await files.get("text", row.headers + ["Accept-Encoding: \(accepted)"])
          #expect(response.status == row.status, "\(row.headers)")
          #expect(response.headers["content-range"] == row.range, "\(row.headers)")
          #expect(response.headers["content-encoding"] == nil, "\(row.headers)")
          #expect(response.headers["etag"] == "\"text\"", "\(row.headers)")
          #expect(response.headers["cache-control"] == "public, max-age=60, no-transform", "\(row.headers)")
          #expect(response.headers["content-security-policy"]?.hasSuffix("; sandbox") == true, "\(row.headers)")
          #expect(response.body == String(repeating: "x", count: row.length), "\(row.headers)")
        }
      }
    }
  }

  @Test(arguments: FilesHost.allCases)
  func whatCannotBeSentIsAProblem(host: FilesHost) async throws {
    try await host.run(["text": Self.text]) { files async throws in
      let unsatisfiable = try await files.get("text", ["Range: bytes=5000-"])
      #expect(unsatisfiable.status == 416)
      #expect(unsatisfiable.headers["content-range"] == "bytes */5000")
      #expect(unsatisfiable.body.contains("range-not-satisfiable"))
      #expect(try await files.get("text", ["If-Match: \"old\""]).status == 412)
    }
  }

  @Test(arguments: FilesHost.allCases)
  func headHasTheLengthOfTheWhole(host: FilesHost) async throws {
    try await host.run(["text": Self.text]) { files async throws in
      let response = try await files.get("text", ["Range: bytes=0-1", "Accept-Encoding: gzip"], method: "HEAD")
      #expect(response.status == 200)
      #expect(response.headers["content-length"] == "5000")
      #expect(response.headers["accept-ranges"] == "bytes")
      #expect(response.headers["etag"] == "\"text\"")
    }
  }

  @Test(arguments: FilesHost.allCases)
  func accessIsCheckedBeforeRanges(host: FilesHost) async throws {
    try await host.run(["text": Self.text]) { files async throws in
      try await CurlClient.running { client async throws in
        let headers: HTTPFields = [.range: "bytes=9999-", .ifMatch: "\"old\""]
        let request = ClientRequest(origin: files.url, target: "/v1/own-files/text", headers: headers)
        #expect(try await client.send(request).status == 401)
      }
    }
  }

  @Test func theTypedClientReceivesBytesAndTheirTag() async throws {
    try await FilesHost.together.run(["text": Self.text]) { files async throws in
      try await CurlClient.running { client async throws in
        let api = APIClient(transport: CurlTransport(client: client, origin: files.url))
        let received = try await api.send(FilesPlugin.API.GetFile(name: "text"))
        #expect(received.tag == EntityTag(digest: "text"))
        #expect(received.mediaType == "text/plain")
        #expect(received.bytes.count == 5000)
      }
    }
  }

  @Test func theDocumentDeclaresParts() throws {
    let document = try OpenAPIDocument.make(FilesPlugin.API.self)
    let operation = try #require(document["paths"]?["/v1/files/{name}"]?["get"])
    let responses = try #require(operation["responses"]?.members.map(\.name))
    #expect(Set(responses) == ["200", "206", "304", "412", "416", "default"])
    #expect(operation["parameters"]?.elements.compactMap { $0["name"]?.string } == ["name", "Range", "If-Range"])
  }

  // MARK: long content

  @Test(arguments: FilesHost.allCases)
  func aFilePassesWhole(host: FilesHost) async throws {
    var generator = SeededGenerator()
    let bytes = (0..<700_000).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
    try await TemporaryFolder.run { folder async throws in
      let path = "\(folder)/file"
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let content = StoredContent(
        mediaType: "a/b", length: bytes.count, tag: EntityTag(digest: "file"), source: .file(path: path))
      try await host.run(["file": content]) { files async throws in
        try await CurlClient.running { client async throws in
          for range in [0..<bytes.count, 1..<1_000_000, 3_000_000..<5_600_000, 5_599_999..<5_600_000] {
            let header = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
            let response = try await client.send(
              ClientRequest(origin: files.url, target: "/v1/files/file", headers: [.range: header]))
            #expect(response.status == 206)
            #expect(try await response.body.collect(upTo: bytes.count) == Array(bytes[range]), "\(generator)")
          }
        }
      }
    }
  }

  @Test(arguments: FilesHost.allCases)
  func aReaderThatWaitsHoldsTheSourceBackAndReleasesIt(host: FilesHost) async throws {
    let record = Zeros.Record()
    try await host.run(["zeros": Zeros.content(1 << 30, record)]) { files async throws in
      var connection: RawConnection? = try files.connect("zeros")
      #expect(try await standstill(of: "the source") { record.bytes.value } < 64 << 20)
      withExtendedLifetime(connection) {}
      connection = nil
      try await eventually("the source is released") { record.releases.value == 1 }
    }
  }

  /// Downloads of a service in the gateway's process, too, may come from a storage that sends only so much at once.
  @Test(arguments: FilesHost.allCases)
  func readersWhoWaitAreBounded(host: FilesHost) async throws {
    try await host.run(["zeros": Zeros.content(64 << 20, Zeros.Record()), "text": Self.text]) { files async throws in
      var waiting: [RawConnection] = []
      func head() async throws -> String? {
        let connection = try files.connect("zeros")
        waiting.append(connection)
        return await connection.receive(until: "\r\n\r\n").split(separator: "\r\n").first.map { String($0) }
      }
      // As many as one network may load at once.
      for _ in 0..<48 { #expect(try await head() == "HTTP/1.1 200 OK") }
      #expect(try await head()?.hasPrefix("HTTP/1.1 503 ") == true)
      #expect(try await files.get("text").status == 200)
      waiting = []
      try await eventually("the slots are free") { try await head() == "HTTP/1.1 200 OK" }
    }
  }

  @Test(arguments: FilesHost.allCases)
  func aSourceThatFailsBreaksTheConnection(host: FilesHost) async throws {
    try await host.run(["zeros": Zeros.content(8 << 20, Zeros.Record(), failsAt: 4 << 20)]) { files async throws in
      let response = try await files.get("zeros")
      #expect(response.status == 200)
      #expect(response.headers["content-length"] == "\(8 << 20)")
      #expect(response.isClosed)
      #expect(response.body.utf8.count < 8 << 20)
    }
  }

  /// A gigabyte, read at once.
  @Test func theGatewayNeedsLittleMemory() async throws {
    try await FilesHost.apart.run(["zeros": Zeros.content(1 << 30, Zeros.Record())]) { files async throws in
      let gateway = try #require(files.gateway)
      let size = try await Command.run([
        "curl", "-sS", "-f", "-o", "/dev/null", "-w", "%{size_download}", "\(files.url)/v1/files/zeros",
      ])
      #expect(size == "\(1 << 30)")
      let status = try String(contentsOfFile: "/proc/\(gateway)/status", encoding: .utf8)
      let peak = try #require(status.firstMatch(of: /VmHWM:\s+(\d+) kB/).flatMap { Int($0.1) })
      #expect(peak < 100 << 10)
    }
  }
}
