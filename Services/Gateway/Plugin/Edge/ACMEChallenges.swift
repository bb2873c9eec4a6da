import Contracts
import Foundation
import HTTPServing
import HTTPTypes
import HummingbirdCore
import ServiceKit

/// The answers to HTTP challenges of a certificate authority (RFC 8555 §8.3), which an ACME client has put into a folder.
struct ACMEChallenges: Feature {
  /// `nil` when there are none.
  let folder: String?

  private static let maxBytes = 4096

  func register(in routes: inout Routes) {
    routes.on(GatewayAPI.acmeChallenge) { _, context in
      guard let folder, let token = context.parameters["token"], let answer = Self.read(token, in: folder) else {
        throw Problem(.notFound)
      }
      var response = Response.text(.ok, answer)
      response.headers[.contentType] = "application/octet-stream"
      return response
    }
  }

  /// A token has only characters of base64url, so that it cannot name a file elsewhere.
  static func read(_ token: String, in folder: String) -> String? {
    let isToken = token.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isToken, (1...256).contains(token.utf8.count) else { return nil }
    // Neither a link, which could lead elsewhere, nor something that is waited for, such as a pipe.
    let file = open("\(folder)/\(token)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= maxBytes else { return nil }
    var bytes = [UInt8](repeating: 0, count: maxBytes)
    let count = Foundation.read(file, &bytes, bytes.count)
    return count < 0 ? nil : String(validating: bytes[..<count], as: UTF8.self)
  }
}
