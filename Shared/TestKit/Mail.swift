import Foundation

/// A mail of a platform without a mail server, which writes its mails to files.
public struct Mail: Sendable {
  public let head: String
  public let text: String
  public let recipient: String

  /// - Parameter content: The mail as it is sent.
  public init(_ content: String) throws {
    let parts = content.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
    guard parts.count == 2, let body = Data(base64Encoded: parts[1], options: .ignoreUnknownCharacters) else {
      throw TestKitError("the mail does not have the expected format")
    }
    head = parts[0]
    text = String(decoding: body, as: UTF8.self).replacing("\r\n", with: "\n")
    recipient = String(head.split(separator: "\r\nTo: <").last?.prefix { $0 != ">" } ?? "")
  }

  /// The first line that looks like a token.
  public var token: String? {
    text.split(separator: "\n").map(String.init).first { $0.count >= 43 && !$0.contains(" ") }
  }
}

extension TestPlatform {
  /// The delivered mails, oldest first.
  public func mails(deliveredTo address: String? = nil) throws -> [Mail] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/mail").sorted()) ?? []
    // A mail that is still being written has another name.
    return try files.filter { $0.hasSuffix(".eml") }.map {
      try Mail(String(contentsOfFile: "\(folder)/mail/\($0)", encoding: .utf8))
    }
    .filter { address == nil || $0.recipient == address }
  }
}
