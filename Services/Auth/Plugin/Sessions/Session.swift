import Contracts

/// A signed-in device.
struct Session: Sendable {
  var id: SessionID
  var userID: UserID
  var app: ClientApp
  /// The key that authenticates refresh tokens; never leaves the service.
  var tokenKey: [UInt8]
  var generation: Int64
  /// When its tokens were last rotated.
  var rotatedAt: Timestamp
  var createdAt: Timestamp
  var revokedAt: Timestamp?
  /// When a token of it was last used, as services report it, or rotated.
  var usedAt: Timestamp
  /// The network of the last rotation.
  var network: String?
  /// When the user last proved who they are in this session, and how.
  var provedAt: Timestamp
  var methods: [AuthenticationMethod]

  var refreshToken: RefreshToken { RefreshToken(session: id, generation: generation) }
}
