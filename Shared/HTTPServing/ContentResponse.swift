public import Contracts
import Crypto
package import HTTPTypes
public import HummingbirdCore
import NIOCore
import Persistence

extension Response {
  /// A response with content.
  package static func content(_ content: Content, _ status: HTTPResponse.Status) -> Response {
    var headers: HTTPFields = [.contentType: content.mediaType]
    if let policy = content.policy { headers[.contentSecurityPolicy] = policy }
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: content.bytes)))
  }

  /// The response to a read: 304 without content when the caller already has it (RFC 9110 §13.1.2). The tag is computed
  /// from the content, so that it also changes with what has no version.
  ///
  /// - Parameter version: The version of the resource, if it has one.
  public static func content(
    _ content: Content, version: Int? = nil, caching: Operation.Caching, to request: Request
  ) -> Response {
    let digest = SHA256.hash(data: content.bytes).prefix(16).hexadecimal
    let tag = EntityTag(version: version, digest: digest)
    var response: Response
    if let known = request.headers[.ifNoneMatch].flatMap({ tag.match(in: $0) }) {
      response = Response(status: .notModified, headers: [.eTag: String(known)])
    } else {
      response = .content(content, .ok)
      response.headers[.eTag] = tag.rawValue
    }
    response.headers[.cacheControl] =
      switch caching {
      case .shared: "public, no-cache"
      case .own: "private, no-cache"
      case .nowhere: "no-store"
      }
    return response
  }
}
