public import Contracts
import Foundation

/// An email to one recipient.
public struct MailMessage: Codable, Sendable, Equatable {
  public var recipient: String
  public var subject: String
  /// Plain text.
  public var text: String
  /// Further header fields, such as `List-Unsubscribe`; without line breaks.
  public var headers: [Header]

  public struct Header: Codable, Sendable, Equatable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public init(to recipient: EmailAddress, subject: String, text: String, headers: [Header] = []) {
    self.recipient = recipient.rawValue
    self.subject = subject
    self.text = text
    self.headers = headers
  }

  /// The message encoded according to RFC 5322 and MIME (RFC 2045, 2047).
  ///
  /// - Parameters:
  ///   - sender: The address of the `From` field.
  ///   - id: The left part of `Message-ID`; the same for all attempts, so that mailboxes can detect duplicates.
  func encoded(from sender: String, id: String, date: Timestamp) -> [UInt8] {
    let domain = sender.split(separator: "@").last ?? "localhost"
    var lines = [
      "From: <\(sender)>", "To: <\(recipient)>", "Subject: \(Self.encodedWords(subject))",
      "Date: \(Self.date(date))", "Message-ID: <\(id)@\(domain)>", "Auto-Submitted: auto-generated",
      "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64",
    ]
    lines += headers.map { "\(Self.oneLine($0.name)): \(Self.oneLine($0.value))" }
    let body = Data(text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n").utf8)
      .base64EncodedString(options: [.lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed])
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body + "\r\n").utf8)
  }

  /// Removes control characters: a line break would start another field.
  private static func oneLine(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }))
  }

  /// RFC 2047: encoded words of at most 75 characters, split between characters.
  private static func encodedWords(_ text: String) -> String {
    let text = oneLine(text)
    if text.utf8.allSatisfy({ $0 < 127 }), text.utf8.count < 70 { return text }
    var words: [String] = []
    var part = ""
    for character in text {
      if (part + String(character)).utf8.count > 42 {
        words.append(part)
        part = ""
      }
      part.append(character)
    }
    return (words + [part]).map { "=?UTF-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
  }

  /// RFC 5322 §3.3.
  private static func date(_ moment: Timestamp) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
    return formatter.string(from: Date(timeIntervalSince1970: Double(moment.unixSeconds)))
  }
}
