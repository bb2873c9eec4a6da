/// The keys of the audit chains. They are not in the database, so that whoever can write there cannot make links.
public protocol AuditKeys: Sendable {
  /// The name of the key of new links.
  var auditKey: String { get }

  /// HMAC-SHA256 as hexadecimal digits; `nil` when the key is not known.
  func auditCode(of bytes: [UInt8], key: String) -> String?
}

/// Encodes the input of a link's hash or a signature: each field prefixed by its length, which makes it unambiguous.
struct AuditEncoding {
  private(set) var bytes: [UInt8] = []

  init(_ fields: [String?]) { for field in fields { add(field) } }

  mutating func add(_ text: String?) {
    let field = text.map { Array($0.utf8) }
    bytes += "\(field?.count ?? -1):".utf8
    bytes += field ?? []
  }
}
