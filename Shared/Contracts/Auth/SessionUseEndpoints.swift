extension AuthAPI {
  /// Services report when sessions were last used, each at most once a minute, so that unused ones end.
  public struct ReportSessionUses: Endpoint {
    public static let operation = Operation.put(
      "/internal/v1/session-uses", "Report when sessions were last used", access: .anyService, success: 204
    )
    /// The maximum number of sessions in a report.
    public static let maxCount = 500
    public var uses: [SessionUse]
    public init(uses: [SessionUse]) { self.uses = uses }
  }

  /// "This was not me": ends all sessions of the account, removes its password and mails a code for a new one to the
  /// address that the report went to. The caller gets nothing; the token works once.
  public struct DenySignIn: Endpoint {
    public static let operation = Operation.post(
      "/v1/auth/sign-ins/deny", "Deny an unusual sign-in and end all sessions", access: .anyone,
      success: 204, problems: [.mailedTokenInvalid], limits: .init(bodyBytes: 4096)
    )
    public var token: String
    public init(token: String) { self.token = token }
  }
}

/// When a session was last used.
public struct SessionUse: Codable, Sendable, Equatable {
  public var session: SessionID
  public var usedAt: Timestamp
  public init(session: SessionID, usedAt: Timestamp) { (self.session, self.usedAt) = (session, usedAt) }
}
