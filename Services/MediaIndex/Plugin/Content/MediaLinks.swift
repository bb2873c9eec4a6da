import Contracts
import ServiceKit

/// The query of a link.
struct LinkQuery: Sendable {
  var by: UserID?
  var expires: Int64?
  var signature: String?

  /// The query as text that is appended to addresses.
  var text: String? {
    guard let by, let expires, let signature else { return nil }
    return "by=\(by)&expires=\(expires)&signature=\(PercentCoding.encode(signature))"
  }
}

/// Links that give their bearer what their creator may load of one media item. The signature is for the media item, not
/// for one file: a playlist passes it on to its segments.
struct MediaLinks: Sendable {
  let urls: URLSigner
  let serviceURLs: ServiceURLs
  let time: TimeSource

  func make(_ media: MediaID, _ file: String, by user: UserID, until expiresAt: Timestamp) -> MediaLink {
    let folder = Self.folder(of: media)
    let signed = urls.sign(folder, [("by", user.rawValue)], until: expiresAt)
    return MediaLink(url: folder + file + signed.dropFirst(folder.count), expiresAt: expiresAt)
  }

  /// The creator of a link to a media item.
  ///
  /// - Returns: `nil` without a link.
  /// - Throws: ``Problem`` 403 for one that has expired or is not valid.
  func creator(_ media: MediaID, _ query: LinkQuery) throws -> UserID? {
    guard query.signature != nil else { return nil }
    guard let text = query.text, urls.isValid("\(Self.folder(of: media))?\(text)", at: time.now()) else {
      throw Self.invalid
    }
    return query.by
  }

  /// Requires that orders has signed a request for a licensed file.
  ///
  /// - Throws: ``Problem`` 403; 503 while the keys of orders cannot be read.
  func requireLicense(_ request: MediaAPI.GetContent) async throws {
    let members = [
      ("file", request.file?.rawValue), ("license", request.license?.rawValue), ("seller", request.seller),
      ("expires", request.expires.map { String($0) }), ("signature", request.signature),
    ]
    let text = members.map { "\($0.0)=\(PercentCoding.encode($0.1 ?? ""))" }.joined(separator: "&")
    let url = "\(Self.folder(of: request.id))content?\(text)"
    guard try await serviceURLs.isValid(url, by: OrdersAPI.self, at: time.now()) else { throw Self.invalid }
  }

  private static let invalid = Problem(.forbidden, detail: "The link has expired or is not valid.")

  private static func folder(of media: MediaID) -> String { "/v1/media/\(media)/" }
}
