import Contracts

/// How long sessions and their tokens last, in seconds.
struct SessionLimits: Sendable {
  var reuseSeconds: Double
  var idleSeconds: Double
  var absoluteSeconds: Double
  /// How long an access token lives: use in that time is not seen.
  var tokenSeconds: Double = 0

  /// The limits of a user who wants to be logged out sooner.
  func narrowed(to minutes: InactivityMinutes?) -> SessionLimits {
    var limits = self
    if let minutes { limits.idleSeconds = min(idleSeconds, Double(minutes.value) * 60 + tokenSeconds) }
    return limits
  }
}

/// What to do with a refresh token.
enum RefreshDecision: Equatable {
  case rotate
  /// The answer to the last rotation may have got lost: answer it again.
  case repeatSuccessor
  /// A token older than that was copied by someone.
  case revoke
  case refuse

  /// The rule by itself; generations are integers, so that two rotations in one instant differ.
  static func of(_ presented: Int64, for session: Session, at now: Timestamp, _ limits: SessionLimits)
    -> RefreshDecision
  {
    let isOver =
      session.revokedAt != nil
      || now.seconds(since: session.rotatedAt) > limits.idleSeconds
      || now.seconds(since: session.createdAt) > limits.absoluteSeconds
    if isOver || presented > session.generation { return .refuse }
    if presented == session.generation { return .rotate }
    let isRecent = now.seconds(since: session.rotatedAt) <= limits.reuseSeconds
    return presented == session.generation - 1 && isRecent && limits.reuseSeconds > 0 ? .repeatSuccessor : .revoke
  }
}
