import Contracts
import ServiceKit

/// Links that give their bearer what their creator may load of one medium. The signature is for the medium, not for one
/// file: a playlist can pass it on to its segments.
struct MediaLinks: Sendable {
  let urls: URLSigner
  let time: TimeSource

  func make(_ media: MediaID, _ file: String, by user: UserID, until expiresAt: Timestamp) -> MediaLink {
    let folder = Self.folder(of: media)
    let signed = urls.sign(folder, [("by", user.rawValue)], until: expiresAt)
    return MediaLink(url: folder + file + signed.dropFirst(folder.count), expiresAt: expiresAt)
  }

  /// The creator of a link.
  ///
  /// - Parameter query: The query of the request, of which other members are not signed.
  /// - Returns: `nil` for no valid link to the medium.
  func creator(_ media: MediaID, _ query: [(name: String, value: String)]) -> UserID? {
    let members = Self.signed(query)
    guard members.count == 3, let user = UserID(members[0].value),
      urls.isValid("\(Self.folder(of: media))?\(Self.text(of: members))", at: time.now())
    else { return nil }
    return user
  }

  /// The part of a query that makes it a link, to be passed on.
  static func passedOn(_ query: [(name: String, value: String)]) -> String { text(of: signed(query)) }

  private static func signed(_ query: [(name: String, value: String)]) -> [(name: String, value: String)] {
    ["by", "expires", "signature"].compactMap { name in query.first { $0.name == name } }
  }

  private static func text(of members: [(name: String, value: String)]) -> String {
    members.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
  }

  private static func folder(of media: MediaID) -> String { "/v1/media/\(media)/" }
}
