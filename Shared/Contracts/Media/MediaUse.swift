/// The users who may load a media item because of an object that it is used in.
public enum MediaAccessKind: String, WireEnum {
  /// Everyone.
  case `public`
  /// Users who may see the object, as its service decides when they load the media item.
  case readers
  /// Signed-in users load the preview; those to whom orders has sold a license load what it names.
  case preview
  /// Users to whom orders has sold a license load what it names.
  case licensed
}

/// The use of a media item in an object.
public struct MediaUse: Codable, Sendable, Hashable {
  public var media: MediaID
  public var access: MediaAccessKind
  /// For ``MediaAccessKind/readers``: the object that they may see, if it is another one, such as the conversation of a
  /// message.
  public var readers: Topic?
  /// The user who has named the media item, when its owner was not checked: unless they are the owner, it is not in
  /// use.
  public var claimedBy: UserID?
  public init(
    _ media: MediaID, _ access: MediaAccessKind, of readers: Topic? = nil, claimedBy user: UserID? = nil
  ) {
    (self.media, self.access, self.readers, claimedBy) = (media, access, readers, user)
  }
}

/// All uses of media in an object of the service that sends it; none when the object has been deleted. Media in use are
/// not deleted.
public struct MediaReferencesChanged: Event {
  public static let type = "app.quintet.media-references-changed"
  /// Named like a realtime topic, such as `listing:018f…`.
  public var object: Topic
  public var uses: [MediaUse]
  /// Grows with every change of the object; an event that arrives after a later one changes nothing.
  public var sequence: Int64
  /// The topic that the media were checked for, if it was not the object, such as a request with many objects.
  public var checkedFor: Topic?
  public var subject: String { object.rawValue }
  public init(_ object: Topic, _ uses: [MediaUse], sequence: Int64, checkedFor: Topic? = nil) {
    (self.object, self.uses, self.sequence, self.checkedFor) = (object, uses, sequence, checkedFor)
  }
}

/// A media item as a service that uses it needs to know it.
public struct CheckedMedia: Codable, Sendable, Equatable {
  public var id: MediaID
  public var kind: MediaKind
  public var state: MediaState
  public init(id: MediaID, kind: MediaKind, state: MediaState) {
    (self.id, self.kind, self.state) = (id, kind, state)
  }
}
