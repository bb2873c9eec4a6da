import Contracts

/// How long sessions and their tokens last, in seconds.
struct SessionLimits: Sendable {
  var reuseSeconds: Double
  /// How long a session may be unused.
  var idleSeconds: Double
  var absoluteSeconds: Double
  /// How long a use may take to be reported, which is waited for before a session counts as unused.
  var lagSeconds: Double = 0

  /// The limits for a user who has chosen a shorter inactivity timeout.
  func narrowed(to minutes: InactivityMinutes?) -> SessionLimits {
    var limits = self
    if let minutes { limits.idleSeconds = min(idleSeconds, Double(minutes.value) * 60) }
    return limits
  }

  /// When a session ends that is not used again.
  func end(after use: Timestamp) -> Timestamp { use.advanced(bySeconds: idleSeconds + lagSeconds) }
}

/// The action to take for a refresh token.
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
      || now > limits.end(after: session.usedAt)
      || now.seconds(since: session.createdAt) > limits.absoluteSeconds
    if isOver || presented > session.generation { return .refuse }
    if presented == session.generation { return .rotate }
    let isRecent = now.seconds(since: session.rotatedAt) <= limits.reuseSeconds
    return presented == session.generation - 1 && isRecent && limits.reuseSeconds > 0 ? .repeatSuccessor : .revoke
  }
}
