public typealias CrashReportID = ID<CrashReport>

public struct CrashReport: Codable, Sendable, Equatable {
  public var id: CrashReportID
  public var app: ClientApp
  public var version: ShortText
  public var device: ShortText
  public var text: CrashText
  public var reportedAt: Timestamp
  public init(
    id: CrashReportID, app: ClientApp, version: ShortText, device: ShortText, text: CrashText, reportedAt: Timestamp
  ) {
    (self.id, self.app, self.version, self.device, self.text) = (id, app, version, device, text)
    self.reportedAt = reportedAt
  }
}

/// A stack trace or other details from the app.
public struct CrashText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(length: 1...50_000, example: "Fatal error: index out of range")
}
