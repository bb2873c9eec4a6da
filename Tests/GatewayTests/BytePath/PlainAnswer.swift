import Foundation

/// An answer as a simple client reads it from bytes.
struct PlainAnswer {
  var status = 0
  /// The fields by lowercase name; several values of one name are joined in their order.
  var fields: [String: String] = [:]
  var body = ""
  var isCut = false

  /// The parts that can be compared between two answers to the same request: without times, trace and identifiers, and
  /// without the framing of a complete body. Whether that has a length, and so whether a small one may be compressed,
  /// depends on when the end of the service's answer arrives.
  var comparable: String {
    var fields = fields
    for name in ["date", "x-request-id"] where fields[name] != nil { fields[name] = "(some)" }
    let isPacked = fields["content-encoding"] != nil
    if fields["transfer-encoding"] == "chunked" || fields["content-length"] == "\(body.utf8.count)" {
      fields["transfer-encoding"] = nil
      fields["content-length"] = nil
    }
    if !isPacked, body.utf8.count < 1024, let vary = fields["vary"] {
      let names = vary.components(separatedBy: ", ").filter { $0 != "Accept-Encoding" }
      fields["vary"] = names.isEmpty ? nil : names.joined(separator: ", ")
    }
    let text = body.replacing(/"trace":"[0-9a-f]{32}"/, with: "\"trace\":\"(some)\"")
    return (["\(status)"] + fields.map { "\($0): \($1)" }.sorted()).joined(separator: "\n")
      + "\n\n" + (isPacked ? "(packed)" : text) + (isCut ? "(cut)" : "")
  }

  /// All answers in what a connection has received.
  static func all(in text: String) -> [PlainAnswer] {
    var bytes = Array(text.utf8)[...]
    var answers: [PlainAnswer] = []
    while let end = find([13, 10, 13, 10], in: bytes) {
      var answer = PlainAnswer()
      let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
      answer.status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
      for line in lines.dropFirst() {
        let name = line.prefix { $0 != ":" }.lowercased()
        let value = line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
        answer.fields[name] = answer.fields[name].map { "\($0), \(value)" } ?? value
      }
      bytes = bytes[(end + 4)...]
      answer.takeBody(&bytes)
      answers.append(answer)
    }
    if !bytes.isEmpty { answers.append(PlainAnswer(body: String(decoding: bytes, as: UTF8.self))) }
    return answers
  }

  private mutating func takeBody(_ bytes: inout ArraySlice<UInt8>) {
    if status < 200 || status == 204 || status == 304 { return }
    if fields["transfer-encoding"] == "chunked" {
      // The answer to HEAD has none.
      while let end = Self.find([13, 10], in: bytes),
        let size = Int(String(decoding: bytes[..<end], as: UTF8.self), radix: 16)
      {
        let rest = bytes[(end + 2)...]
        body += String(decoding: rest.prefix(size), as: UTF8.self)
        isCut = rest.count < size + 2
        bytes = rest.dropFirst(size + 2)
        if size == 0 { return }
      }
    } else if let length = fields["content-length"].flatMap({ Int($0) }) {
      // The answer to HEAD has the length of what it stands for.
      if bytes.starts(with: "HTTP/1.1 ".utf8) { return }
      body = String(decoding: bytes.prefix(length), as: UTF8.self)
      isCut = bytes.count < length
      bytes = bytes.dropFirst(length)
    } else {
      body = String(decoding: bytes, as: UTF8.self)
      bytes = []
    }
  }

  private static func find(_ needle: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: needle) }
  }
}
