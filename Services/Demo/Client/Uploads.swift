import Contracts
import CurlClient
import Foundation
import HTTPServing
import HTTPTypes

/// Files that are uploaded by tus, in two steps, so that a run that was killed in between continues the same upload.
struct Uploads: Sendable {
  let platform: DemoPlatform
  let journal: Journal

  /// Uploads a file unless that has been done. Others see it where it is used.
  ///
  /// - Parameter file: Makes the file; asked only when it is needed.
  func upload(
    _ step: String, as account: DemoAccount, title: String, file: @Sendable () async throws -> [UInt8]
  ) async throws -> MediaID {
    let id = try await journal.once(step) { _ in
      let bytes = try await file()
      let location = try await journal.once("\(step).upload") { _ in
        try await begin(bytes.count, title, as: account)
      }
      do {
        return try await finish(location, bytes, as: account)
      } catch let problem as Problem where problem.status == 404 || problem.status == 410 {
        // That of a run of some days ago has expired.
        let location = try await begin(bytes.count, title, as: account)
        try journal.record("\(step).upload", location)
        return try await finish(location, bytes, as: account)
      }
    }
    return MediaID(trusted: id)
  }

  /// - Returns: The path of a new upload.
  private func begin(_ length: Int, _ title: String, as account: DemoAccount) async throws -> String {
    let metadata = "title \(Data(title.utf8).base64EncodedString())"
    let response = try await send(
      .post, "/v1/uploads", ["Upload-Length": "\(length)", "Upload-Metadata": metadata], as: account)
    // The origin is the one that this client knows.
    guard let location = response["Location"], let path = location.range(of: "/v1/uploads/") else {
      throw DemoError("An upload has no location.")
    }
    return String(location[path.lowerBound...])
  }

  /// Sends the bytes that the platform does not have yet.
  private func finish(_ location: String, _ bytes: [UInt8], as account: DemoAccount) async throws -> String {
    for _ in 0..<60 {
      let state = try await send(.head, location, [:], as: account)
      if let media = state["Upload-Media"] { return media }
      let offset = state["Upload-Offset"].flatMap { Int($0) } ?? 0
      if offset < bytes.count {
        let headers = ["Upload-Offset": "\(offset)", "Content-Type": "application/offset+octet-stream"]
        let answer = try await send(.patch, location, headers, Array(bytes[offset...]), as: account)
        if let media = answer["Upload-Media"] { return media }
      }
      try await Task.sleep(for: .milliseconds(500))
    }
    throw DemoError("An upload did not become a media item.")
  }

  /// Uploads a file unless that has been done, and waits until it can be used. It is uploaded again when its processing
  /// fails, because the demo's files are valid.
  func ready(
    _ step: String, as account: DemoAccount, title: String, file: @Sendable () async throws -> [UInt8]
  ) async throws -> MediaID {
    var failure: MediaFailure?
    for attempt in 1...3 {
      let name = attempt == 1 ? step : "\(step).\(attempt)"
      let media = try await upload(name, as: account, title: title, file: file)
      let processed = try await waitUntilProcessed(media, as: account)
      if processed.state == .ready { return media }
      failure = processed.failure
    }
    let reason = failure?.rawValue ?? "an unknown reason"
    throw DemoError("The platform cannot process \(title): \(reason) (docs/media.md).")
  }

  private func waitUntilProcessed(_ id: MediaID, as account: DemoAccount) async throws -> Media {
    while true {
      let media = try await account.send(MediaAPI.GetMedia(id: id))
      if media.state == .ready || media.state == .failed { return media }
      try await Task.sleep(for: .milliseconds(700))
    }
  }

  /// The header fields of a response by name.
  private struct Answer {
    let fields: HTTPFields
    subscript(name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
  }

  private func send(
    _ method: HTTPRequest.Method, _ path: String, _ headers: [String: String], _ body: [UInt8] = [],
    as account: DemoAccount
  ) async throws -> Answer {
    for _ in 0..<60 {
      // After a lost connection, the same request is sent again: the platform answers how far the upload is.
      let token = try await account.token()
      let request = ClientRequest(
        method, origin: platform.origin, target: path, headers: Self.fields(headers, token: token),
        body: body.isEmpty ? .none : .bytes(body), timeouts: .init(firstByte: 120, total: 300))
      let response = try? await platform.http.execute(request)
      try Task.checkCancellation()
      let content = (try? await response?.body.collect(upTo: 1 << 20)) ?? []
      let answer = response.map { Answer(fields: $0.headers) }
      switch response?.status {
      case (200..<300)?, 409: if let answer { return answer }
      case nil, 429, (502...504)?: break
      case let status?:
        if let problem = try? WireJSON.decode(Problem.self, from: content) { throw problem }
        // An answer to HEAD says nothing more.
        guard status != 404, status != 410 else { throw Problem(.uploadGone) }
        throw DemoError("An upload was refused with status \(status).")
      }
      let seconds = answer?["Retry-After"].flatMap { Int($0) } ?? 1
      try await Task.sleep(for: .seconds(min(60, max(1, seconds))))
    }
    throw DemoError("The platform does not take uploads.")
  }

  private static func fields(_ headers: [String: String], token: String) -> HTTPFields {
    let all = headers.merging(["Tus-Resumable": "1.0.0", "Authorization": "Bearer \(token)"]) { $1 }
    var fields = HTTPFields()
    for (name, value) in all { if let name = HTTPField.Name(name) { fields[name] = value } }
    return fields
  }
}
