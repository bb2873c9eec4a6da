import NIOCore

@testable import GatewayService

/// The results of the byte path's scanners.
enum ScannedHead {
  enum Request: Equatable {
    case head(RequestHead, kept: String)
    case incomplete
    case other
  }

  static func request(_ bytes: some Collection<UInt8>) -> Request {
    var kept = ByteBuffer()
    return switch Array(bytes).withUnsafeBytes({ RequestHead.scan($0, into: &kept) }) {
    case .head(let head): .head(head, kept: String(buffer: kept))
    case .incomplete: .incomplete
    case .other: .other
    }
  }

  static func request(_ text: String) -> Request { request(text.utf8) }

  enum Response: Equatable {
    case head(ResponseHead, kept: String)
    case incomplete
    case invalid
  }

  static func response(_ bytes: some Collection<UInt8>, setsCaching: Bool = false) -> Response {
    var kept = ByteBuffer()
    return switch Array(bytes).withUnsafeBytes({ ResponseHead.scan($0, setsCaching: setsCaching, into: &kept) }) {
    case .head(let head): .head(head, kept: String(buffer: kept))
    case .incomplete: .incomplete
    case .invalid: .invalid
    }
  }

  static func response(_ text: String, setsCaching: Bool = false) -> Response {
    response(text.utf8, setsCaching: setsCaching)
  }
}
