import Contracts
import ServiceKit

/// The reader who wants to load a media item.
struct MediaReader: Sendable, Hashable {
  var id: UserID
  var roles: Set<Role>
  /// Whether it may see everything in order to moderate it.
  var isModerator = false

  init(_ user: UserCaller) {
    (id, roles) = (user.id, user.roles)
    isModerator =
      user.scopes.contains(Scope.administration.rawValue) && !user.roles.isDisjoint(with: [.support, .administrator])
  }

  init(_ reader: TopicReader) { (id, roles) = (reader.id, reader.roles) }

  /// A user whose link is used, without the rights that roles give.
  init(link id: UserID) { (self.id, roles) = (id, []) }
}

/// How much of a media item someone may load.
enum MediaRight: Sendable, Equatable {
  case nothing
  /// Files that show what the media item is, such as the tagged preview and the waveform.
  case preview
  /// The preview, and the files that a license names.
  case licensed([LicensedFile])
  /// - Parameter isPublic: Whether everyone may.
  case everything(isPublic: Bool)
}
