import Contracts

/// How long sessions and their tokens last, in seconds.
struct SessionLimits: Sendable {
  var reuseSeconds: Double
  var idleSeconds: Double
  var absoluteSeconds: Double
  /// Lifetime of an access token, during which use of the session is not observed.
  var tokenSeconds: Double = 0

  /// The limits for a user who has chosen a shorter inactivity timeout.
  func narrowed(to minutes: InactivityMinutes?) -> SessionLimits {
    var limits = self
    if let minutes { limits.idleSeconds = min(idleSeconds, Double(minutes.value) * 60 + tokenSeconds) }
    return limits
  }
}

/// What to do with a refresh token.
enum RefreshDecision: Equatable {
  case rotate
  /// The response to the last rotation may have been lost: return the current refresh token again.
  case repeatSuccessor
  /// An older token, or one reused too late, indicates theft.
  case revoke
  case refuse

  /// The pure decision; generations are integers, so that two rotations at the same time differ.
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
