import Contracts
import CurlClient
import Foundation
import HTTPTypes
import TestKit

/// Small recordings, uploaded by tus until their end is acknowledged.
struct ChaosUploads: Sendable {
  let round: ChaosRound

  private static let timeoutSeconds = 900.0

  func run(as person: ChaosPerson) async throws {
    try await round.repeating(every: 1...3) { _ in
      let bytes = Self.recording(.random(in: 1000...60_000))
      let media = try await upload(bytes, as: person)
      round.record.note { $0.uploads.append(.init(owner: person, media: media, bytes: bytes)) }
    }
  }

  private func upload(_ bytes: [UInt8], as person: ChaosPerson) async throws -> MediaID {
    let end = ContinuousClock.now + .seconds(Self.timeoutSeconds)
    var (path, offset): (String?, Int) = (nil, 0)
    while ContinuousClock.now < end {
      let answer: ClientResponse?
      if let path {
        answer = try? await send(
          .patch, path, ["Content-Type": "application/offset+octet-stream", "Upload-Offset": "\(offset)"],
          Array(bytes[offset...]), as: person)
      } else {
        answer = try? await send(.post, "/v1/uploads", ["Upload-Length": "\(bytes.count)"], nil, as: person)
        if let answer, answer.status == 201, let location = Self.field("Location", answer),
          let start = location.range(of: "/v1/")?.lowerBound
        {
          path = String(location[start...])
          continue
        }
      }
      if let media = answer.flatMap({ Self.field("Upload-Media", $0) }) { return MediaID(trusted: media) }
      if let path, let head = try? await send(.head, path, [:], nil, as: person) {
        if head.status == 404 || head.status == 410 { throw TestKitError("the upload \(path) is lost") }
        if let media = Self.field("Upload-Media", head) { return MediaID(trusted: media) }
        if head.status == 200, let known = Self.field("Upload-Offset", head).flatMap({ Int($0) }) { offset = known }
      }
      // The pace of a client that repeats itself.
      try await Task.sleep(for: .seconds(0.3))
    }
    throw TestKitError("an upload was not acknowledged")
  }

  private func send(
    _ method: HTTPRequest.Method, _ target: String, _ headers: [String: String], _ body: [UInt8]?,
    as person: ChaosPerson
  ) async throws -> ClientResponse {
    let all = headers.merging(["Tus-Resumable": "1.0.0", "Authorization": "Bearer \(person.token)"]) { $1 }
    var fields = HTTPFields()
    for (name, value) in all { if let name = HTTPField.Name(name) { fields[name] = value } }
    let gateways = round.shop.platform.gateways
    return try await round.shop.http.send(
      ClientRequest(
        method, origin: gateways[.random(in: 0..<gateways.count)], target: target, headers: fields,
        body: body.map { .bytes($0) } ?? .none))
  }

  private static func field(_ name: String, _ response: ClientResponse) -> String? {
    HTTPField.Name(name).flatMap { response.headers[$0] }
  }

  /// Noise of that many bytes.
  private static func recording(_ count: Int) -> [UInt8] {
    func little(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    let format = little(16) + [1, 0, 1, 0] + little(44_100) + little(88_200) + [2, 0, 16, 0]
    let head = Array("RIFF".utf8) + little(count + 36) + Array("WAVEfmt ".utf8) + format + Array("data".utf8)
    return head + little(count) + (0..<count).map { _ in UInt8.random(in: 0...255) }
  }
}
