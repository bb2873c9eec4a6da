import Contracts
import Foundation

/// `Upload-Metadata`: pairs of a key and a base64 value, separated by commas; a key may stand alone.
struct UploadMetadata: Sendable, Equatable {
  /// The metadata as it was received, which HEAD returns.
  let text: String
  private let values: [String: [UInt8]]

  private static let maxBytes = 8192

  /// - Throws: ``Problem`` 400.
  init(_ text: String) throws(Problem) {
    guard text.utf8.count <= Self.maxBytes else { throw Self.malformed("may have at most \(Self.maxBytes) bytes") }
    var values: [String: [UInt8]] = [:]
    for pair in text.split(separator: ",", omittingEmptySubsequences: false) where !text.isEmpty {
      let parts = pair.split(separator: " ")
      guard let key = parts.first, parts.count <= 2, key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw Self.malformed("must be pairs of a key and a base64 value")
      }
      guard let value = parts.count == 2 ? Data(base64Encoded: String(parts[1])) : Data() else {
        throw Self.malformed("has a value that is not base64")
      }
      guard values.updateValue(Array(value), forKey: String(key)) == nil else { throw Self.malformed("repeats a key") }
    }
    (self.text, self.values) = (text, values)
    _ = (try kind, try visibility, try title)
  }

  private static func malformed(_ message: String) -> Problem { Tus.malformed(.uploadMetadata, message) }

  /// The value of the first of some keys that has one.
  private func value(_ keys: String...) -> String? {
    keys.lazy.compactMap { values[$0] }.first { !$0.isEmpty }.flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The name without folders and control characters.
  var fileName: String? {
    guard let name = value("filename", "name")?.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last else {
      return nil
    }
    let clean = String(
      String.UnicodeScalarView(name.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    return clean.isEmpty ? nil : String(clean.prefix(255))
  }

  /// The kind that the uploader expects.
  var kind: MediaKind? {
    get throws(Problem) {
      guard let text = value("kind") else { return nil }
      guard let kind = MediaKind(rawValue: text) else { throw Self.malformed("has a kind that does not exist") }
      return kind
    }
  }

  var visibility: MediaVisibility? {
    get throws(Problem) {
      guard let text = value("visibility") else { return nil }
      guard let visibility = MediaVisibility(rawValue: text) else {
        throw Self.malformed("has a visibility that does not exist")
      }
      return visibility
    }
  }

  var title: ShortText? {
    get throws(Problem) {
      guard let text = value("title") else { return nil }
      do { return try ShortText(validating: text) } catch { throw Self.malformed("has a title that is not valid") }
    }
  }
}
