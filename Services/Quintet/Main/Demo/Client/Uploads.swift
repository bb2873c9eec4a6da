import Contracts
import CurlClient
import Foundation
import HTTPTypes

/// Files that are uploaded by tus, in two steps, so that a run that was killed in between continues the same upload.
struct Uploads: Sendable {
  let platform: DemoPlatform
  let journal: Journal

  /// Uploads a file unless that has been done. Others see it where it is used.
  ///
  /// - Parameter file: Makes the file; asked only when it is needed.
  func upload(
    _ step: String, as account: DemoAccount, title: String, file: @Sendable () throws -> [UInt8]
  ) async throws -> MediaID {
    let id = try await journal.once(step) { _ in
      let bytes = try file()
      let location = try await journal.once("\(step).upload") { _ in
        let metadata = "title \(Data(title.utf8).base64EncodedString())"
        let response = try await send(
          .post, "/v1/uploads", ["Upload-Length": "\(bytes.count)", "Upload-Metadata": metadata], as: account)
        // The origin is the one that this client knows.
        guard let location = response["Location"], let path = location.range(of: "/v1/uploads/") else {
          throw DemoError("An upload has no location.")
        }
        return String(location[path.lowerBound...])
      }
      return try await finish(location, bytes, as: account)
    }
    return MediaID(trusted: id)
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
    throw DemoError("An upload did not become a medium.")
  }

  /// Waits until a medium has been processed.
  func waitUntilReady(_ media: MediaID, as account: DemoAccount) async throws {
    while true {
      let state = try await account.send(MediaAPI.GetMedia(id: media))
      switch state.state {
      case .ready: return
      case .failed:
        let reason = state.failure?.rawValue ?? "an unknown reason"
        throw DemoError("A picture or recording could not be processed: \(reason) (docs/media.md).")
      case .uploaded, .probing, .processing: try await Task.sleep(for: .milliseconds(700))
      }
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
    let all = headers.merging(
      ["Tus-Resumable": "1.0.0", "Authorization": "Bearer \(try await account.token())"]
    ) { $1 }
    var fields = HTTPFields()
    for (name, value) in all { if let name = HTTPField.Name(name) { fields[name] = value } }
    while true {
      let response = try await platform.http.execute(
        ClientRequest(
          method, origin: platform.origin, target: path, headers: fields,
          body: body.isEmpty ? .none : .bytes(body), timeouts: .init(firstByte: 120, total: 300)))
      switch response.status {
      case 200..<300: return Answer(fields: response.headers)
      // Another request for the upload was faster; what has arrived is asked for again.
      case 409, 460: return Answer(fields: response.headers)
      case 429, 502...504:
        let seconds = Answer(fields: response.headers)["Retry-After"].flatMap { Int($0) } ?? 1
        try await Task.sleep(for: .seconds(min(60, max(1, seconds))))
      default: throw DemoError("An upload was refused with status \(response.status).")
      }
    }
  }
}
