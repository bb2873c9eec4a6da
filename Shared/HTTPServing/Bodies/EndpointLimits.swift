package import Contracts
import HTTPTypes
package import HummingbirdCore

/// The limit of a body's size.
package enum EndpointLimits {
  package static func check(_ request: Request, _ limit: Int) throws {
    if let length = request.headers[.contentLength], Int(length) ?? .max > limit { throw tooLarge(limit) }
  }

  package static func tooLarge(_ limit: Int) -> Problem {
    // The rest of the body is not read, so the connection cannot be reused.
    Problem(.bodyTooLarge, detail: "At most \(limit) bytes are accepted.").with(header: "Connection", "close")
  }
}
