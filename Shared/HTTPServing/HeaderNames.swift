import HTTPTypes
import NIOHTTP1

/// Creating a header name validates and lowercases it, so common names are created once.
enum HeaderNames {
  static func name(_ text: String) -> HTTPField.Name? { common[text] ?? HTTPField.Name(text) }

  private static let common: [String: HTTPField.Name] = {
    let spellings = [
      "Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control", "Connection", "Content-Length",
      "Content-Type", "Cookie", "If-Match", "If-None-Match", "Origin", "Referer", "Transfer-Encoding", "User-Agent",
      "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Request-ID", "traceparent",
    ]
    let pairs = spellings.flatMap { [$0, $0.lowercased()] }.compactMap { text in
      HTTPField.Name(text).map { (text, $0) }
    }
    return Dictionary(pairs) { first, _ in first }
  }()
}

extension HTTPFields {
  /// Translates trailers.
  init(_ headers: HTTPHeaders) {
    self.init()
    for (name, value) in headers {
      if let name = HeaderNames.name(name) { append(HTTPField(name: name, value: value)) }
    }
  }
}

extension HTTPHeaders {
  init(_ fields: HTTPFields) { self.init(fields.map { ($0.name.rawName, $0.value) }) }
}
