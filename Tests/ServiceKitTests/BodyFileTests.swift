import Contracts
import Foundation
import HummingbirdCore
import NIOCore
import Synchronization
import TestKit
import Testing

@testable import HTTPServing
@testable import ServiceKit

struct BodyFileTests {
  private static let type = "multipart/form-data; boundary=\"line\""

  private func form(_ file: [UInt8]) -> [UInt8] {
    let head =
      "ignored\r\n--line\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nA --line title\r\n"
      + "--line\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a b.txt\"\r\n"
      + "Content-Type: text/plain\r\n\r\n"
    return Array(head.utf8) + file + Array("\r\n--line--\r\nignored".utf8)
  }

  @Test(arguments: [1, 3, 64, 1000, 100_000])
  func aFileIsFoundHoweverTheBodyArrives(_ chunk: Int) throws {
    var random = SeededGenerator()
    let file = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) } + Array("\r\n--lin".utf8)
    let body = form(file)
    var parser = try #require(try MultipartFile(contentType: Self.type))
    var found: [UInt8] = []
    for start in stride(from: 0, to: body.count, by: chunk) {
      found += try parser.take(Array(body[start..<min(start + chunk, body.count)]))
    }
    #expect(found == file)
    #expect(parser.isComplete)
    #expect(parser.name == "a b.txt")
  }

  @Test(arguments: ["", "no form", "--line\r\n\r\nno disposition\r\n--line--\r\n", "--line--\r\n"])
  func aFormWithoutAFileIsNotComplete(_ body: String) throws {
    var parser = try #require(try MultipartFile(contentType: Self.type))
    _ = try? parser.take(Array(body.utf8))
    #expect(!parser.isComplete)
  }

  @Test func otherMediaTypesAreNoForms() throws {
    #expect(try MultipartFile(contentType: "text/plain") == nil)
    #expect(throws: Problem.self) { try MultipartFile(contentType: "multipart/form-data") }
  }

  @Test func aBodyIsReceivedIntoAFileThatIsRemovedWithIt() async throws {
    try await TemporaryFolder.run { folder async throws in
      let files = BodyFiles(TemporaryFiles(dataFolder: folder, ids: IDGenerator()))
      let bytes = [UInt8](repeating: 7, count: 200_000)
      var received: BodyFile? = try await files.receive(
        RequestBody(buffer: ByteBuffer(bytes: bytes)), contentType: nil, limit: 200_000, from: "ada"
      ).file
      let path = try #require(received?.file.path)
      #expect(received?.bytes == 200_000)
      #expect(try Array(Data(contentsOf: URL(fileURLWithPath: path))) == bytes)
      received = nil
      #expect(!FileManager.default.fileExists(atPath: path))

      await #expect(throws: EndpointLimits.tooLarge(199_999)) {
        _ = try await files.receive(
          RequestBody(buffer: ByteBuffer(bytes: bytes)), contentType: nil, limit: 199_999, from: "ada")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/temporary") == [])
    }
  }

  @Test func aBodyThatArrivesTooSlowlyIsRefused() async throws {
    try await TemporaryFolder.run { folder async throws in
      for (seconds, isRefused) in [(12.0, false), (20.0, true)] {
        let clock = Mutex(0.0)
        let files = BodyFiles(TemporaryFiles(dataFolder: folder, ids: IDGenerator())) {
          clock.withLock { time in
            defer { time += seconds }
            return time
          }
        }
        // Two pieces, each some time after the one before.
        let (body, source) = RequestBody.makeStream()
        async let result = files.receive(body, contentType: nil, limit: 1000, from: "ada")
        for _ in 0..<2 { await source.yield(ByteBuffer(bytes: [1])) }
        source.finish()
        var code: String?
        do { _ = try await result } catch let problem as Problem { code = problem.code }
        #expect(code == (isRefused ? "overloaded" : nil))
      }
    }
  }

  @Test func guestsLeaveHalfOfTheSlotsToMembers() throws {
    let slots = CallerSlots(total: 8, perCaller: 2)
    var taken = (0..<6).compactMap { slots.take("guest \($0 / 2)", isGuest: true) }
    #expect(taken.count == 4)
    taken += (0..<6).compactMap { slots.take("member \($0 / 3)", isGuest: false) }
    #expect(taken.count == 8)
    #expect(slots.take("another", isGuest: false) == nil)
    taken.removeAll()
    _ = try #require(slots.take("another", isGuest: true))
  }

  @Test func oldFilesAreRemoved() async throws {
    try await TemporaryFolder.run { folder async throws in
      let files = TemporaryFiles(dataFolder: folder, ids: IDGenerator())
      let kept = try files.makeFolder()
      files.removeOld(before: Timestamp(microseconds: 0))
      #expect(FileManager.default.fileExists(atPath: kept.path))
      files.removeOld(before: TimeSource.system.now().advanced(bySeconds: 3600))
      #expect(!FileManager.default.fileExists(atPath: kept.path))
    }
  }
}
