public enum LivestreamSubject {}
public typealias LivestreamID = ID<LivestreamSubject>

/// A live workout: where and when it takes place, as its caller sees it.
public struct Livestream: Codable, Sendable, Equatable, Versioned {
  public var id: LivestreamID
  public var hostID: UserID
  /// Absent while the host's name is unavailable.
  public var host: PublicName?
  public var provider: LivestreamProvider
  public var state: LivestreamState
  /// Only in the state `failed`.
  public var failure: LivestreamFailure?
  public var visibility: LivestreamVisibility
  public var title: ShortText
  public var description: LongText?
  public var tags: [Tag]
  public var workoutType: WorkoutTypeID?
  public var startsAt: Timestamp
  public var minutes: LivestreamMinutes
  /// The link for participants; absent before it is known and after the end.
  public var joinURL: WebLink?
  public var createdAt: Timestamp
  public var version: Int
  public init(
    id: LivestreamID, hostID: UserID, host: PublicName? = nil, provider: LivestreamProvider, state: LivestreamState,
    failure: LivestreamFailure? = nil, visibility: LivestreamVisibility, title: ShortText,
    description: LongText? = nil, tags: [Tag], workoutType: WorkoutTypeID? = nil, startsAt: Timestamp,
    minutes: LivestreamMinutes, joinURL: WebLink? = nil, createdAt: Timestamp, version: Int
  ) {
    (self.id, self.hostID, self.host, self.provider, self.state) = (id, hostID, host, provider, state)
    (self.failure, self.visibility, self.title, self.description) = (failure, visibility, title, description)
    (self.tags, self.workoutType, self.startsAt, self.minutes) = (tags, workoutType, startsAt, minutes)
    (self.joinURL, self.createdAt, self.version) = (joinURL, createdAt, version)
  }
}

public enum LivestreamProvider: String, WireEnum {
  case zoom
  /// Any other, known only by the link that the host gives.
  case link
}

public enum LivestreamState: String, WireEnum {
  /// The provider has not confirmed the meeting yet.
  case creating
  case scheduled, live, ended, failed
}

public enum LivestreamFailure: String, WireEnum {
  /// The provider does not accept the meeting.
  case refused
  /// The provider did not respond before the end of the planned time.
  case providerUnavailable
}

/// The users who see a live stream, besides its host.
public enum LivestreamVisibility: String, WireEnum { case connections, everyone }

/// The planned duration, up to 12 hours.
public struct LivestreamMinutes: BoundedInteger {
  public static let range = 5...720
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 60) }
}

/// The link with which the host starts a live stream.
public struct LivestreamStart: Codable, Sendable, Equatable {
  /// Signs the host in at the provider, so it is for the host only, and expires after two hours.
  public var startURL: String
  public init(startURL: String) { self.startURL = startURL }
}

/// Whether live streams can be created at Zoom, or only with links of the host.
public struct LivestreamProviders: Codable, Sendable, Equatable {
  public var providers: [LivestreamProvider]
  public init(providers: [LivestreamProvider]) { self.providers = providers }
}

/// The response to Zoom's webhooks; it proves the knowledge of the secret when Zoom validates the URL.
public struct ZoomWebhookReceipt: Codable, Sendable, Equatable {
  public var plainToken: String?
  /// HMAC-SHA256 of the token in hexadecimal digits.
  public var encryptedToken: String?
  public init(plainToken: String? = nil, encryptedToken: String? = nil) {
    (self.plainToken, self.encryptedToken) = (plainToken, encryptedToken)
  }
}
