/// A token in the newsletter's e-mails that proves access to the mailbox. Never printed.
public struct NewsletterToken: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public var description: String { "(hidden)" }
  public static let rule = StringRule(length: 1...200, example: "3q2-7wAAABCd0mN4Yx1kq8hJ5uTzRfVb2LcWgEsPoIA")
}

public struct IssueText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.multiline(length: 1...50_000)
}

public typealias NewsletterIssueID = ID<NewsletterIssue>

public struct NewsletterIssue: Codable, Sendable, Equatable {
  public var id: NewsletterIssueID
  public var subject: ShortText
  public var text: IssueText
  /// The number of subscribers when the issue was created.
  public var recipients: Int
  /// The number of e-mails handed over for delivery.
  public var sent: Int
  public var createdAt: Timestamp
  public init(
    id: NewsletterIssueID, subject: ShortText, text: IssueText, recipients: Int, sent: Int, createdAt: Timestamp
  ) {
    (self.id, self.subject, self.text, self.recipients, self.sent) = (id, subject, text, recipients, sent)
    self.createdAt = createdAt
  }
}
