import Foundation

/// A response as it was on the wire.
public struct RawResponse: Sendable {
  public let status: Int
  /// The headers by lowercase name.
  public let headers: [String: String]
  public let body: String
  /// Whether the connection was closed after it.
  public let isClosed: Bool

  public init(_ received: (text: String, isClosed: Bool)) throws {
    guard let end = received.text.range(of: "\r\n\r\n") else { throw TestKitError("no head in \(received.text)") }
    var lines = received.text[..<end.lowerBound].components(separatedBy: "\r\n")
    status = Int(lines.removeFirst().split(separator: " ")[1]) ?? 0
    headers = Dictionary(
      lines.map { line in
        let colon = line.firstIndex(of: ":") ?? line.endIndex
        return (line[..<colon].lowercased(), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces))
      }, uniquingKeysWith: { "\($0), \($1)" })
    body = String(received.text[end.upperBound...])
    isClosed = received.isClosed
  }
}
