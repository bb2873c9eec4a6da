#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The one place where wire types become JSON bytes and come back.
///
/// Encoding streams straight into a byte array (``JSONByteEncoder``), several times cheaper than Foundation's encoder,
/// which builds a tree first. Decoding is Foundation's.
public enum WireJSON {
  /// - Throws: `EncodingError` for a number that JSON cannot express.
  public static func encode(_ value: some Encodable) throws -> [UInt8] {
    try JSONByteEncoder.encode(value)
  }

  /// Reads one JSON value.
  /// - Throws: ``Problem`` 400 for text that is not JSON, 422 with the location for values of the wrong kind.
  public static func decode<Value: Decodable>(_ type: Value.Type, from bytes: some Sequence<UInt8>) throws(Problem)
    -> Value
  {
    try decode(type, from: Data(bytes), at: "body")
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data, at root: String) throws(Problem) -> Value {
    do {
      return try decoder.decode(type, from: data)
    } catch {
      let problem = problem(of: error, at: root)
      // Foundation reports a number that does not fit its field as broken JSON, without the place.
      guard problem.is(.malformedRequest), (try? decoder.decode(JSONValue.self, from: data)) != nil else {
        throw problem
      }
      throw Problem(
        .invalidRequest,
        errors: [.init(location: root, message: "has a number that does not fit its field")]
      )
    }
  }

  private static let decoder = JSONDecoder()

  /// What a caller is told about a decoding failure: where, and what was expected; never an inner message.
  static func problem(of error: any Error, at root: String) -> Problem {
    func invalid(_ path: [any CodingKey], _ message: String) -> Problem {
      let inner = describe(path)
      let location =
        inner.isEmpty ? root : inner.hasPrefix("[") ? root + inner : root.isEmpty ? inner : root + "." + inner
      return Problem(.invalidRequest, errors: [.init(location: location, message: message)])
    }
    switch error {
    case let error as Problem: return error
    case let error as ValueError:
      let separator = error.location.isEmpty || error.location.hasPrefix("[") || root.isEmpty ? "" : "."
      return Problem(
        .invalidRequest,
        errors: [.init(location: root + separator + error.location, message: error.message)]
      )
    case DecodingError.keyNotFound(let key, let context):
      return invalid(context.codingPath + [key], "is required")
    case DecodingError.valueNotFound(let type, let context):
      return invalid(context.codingPath, "must be \(jsonName(of: type)), not null")
    case DecodingError.typeMismatch(let type, let context):
      return invalid(context.codingPath, "must be \(jsonName(of: type))")
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      return invalid(context.codingPath, "is not a valid value")
    default:
      return Problem(
        .malformedRequest,
        detail: "The body is not valid JSON.",
        errors: [.init(location: root, message: "is not valid JSON")]
      )
    }
  }

  private static func jsonName(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "an integer"
    case is any BinaryFloatingPoint.Type: "a number"
    case is any ExpressibleByDictionaryLiteral.Type: "an object"
    case is any Collection.Type: "an array"
    default: "an object"
    }
  }
}
