/// The one place where wire types become JSON bytes and come back.
///
/// Both ways go straight between bytes and values (``JSONByteEncoder``, ``JSONByteDecoder``), without a tree in between.
public enum WireJSON {
  /// - Throws: `EncodingError` for a number that JSON cannot express.
  public static func encode(_ value: some Encodable) throws -> [UInt8] {
    try JSONByteEncoder.encode(value)
  }

  /// Reads one JSON value, in time linear in the number of bytes. Stricter than RFC 8259: valid UTF-8 only, at most 64
  /// levels, no name twice in an object.
  ///
  /// - Parameter root: What messages call the value.
  /// - Throws: ``Problem`` 400 for text that is not JSON, 422 with the location for values of the wrong kind.
  public static func decode<Value: Decodable>(
    _ type: Value.Type,
    from bytes: some Sequence<UInt8>,
    at root: String = "body"
  ) throws(Problem) -> Value {
    let decoder = try decoder(for: bytes, at: root)
    do { return try Value(from: decoder) } catch { throw problem(of: error, at: root) }
  }

  /// Scans a text; what it returns decodes values of it.
  static func decoder(for bytes: some Sequence<UInt8>, at root: String) throws(Problem) -> JSONByteDecoder {
    let document: JSONDocument
    do { document = try JSONScanner.scan(Array(bytes)) } catch {
      throw Problem(
        .malformedRequest,
        detail: "The text \(error.message) (byte \(error.offset)).",
        errors: [.init(location: root, message: "is not valid JSON")]
      )
    }
    return JSONByteDecoder(document: document, index: 0)
  }

  /// The problem that describes a decoding failure to a caller: where, and what was expected; never an inner message.
  static func problem(of error: any Error, at root: String) -> Problem {
    func invalid(_ inner: String, _ message: String) -> Problem {
      let isJoined = inner.isEmpty || inner.hasPrefix("[") || root.isEmpty
      return Problem(
        .invalidRequest,
        errors: [.init(location: root + (isJoined ? "" : ".") + inner, message: message)]
      )
    }
    switch error {
    case let error as Problem: return error
    case let error as ValueError: return invalid(error.location, error.message)
    case DecodingError.keyNotFound(let key, let context):
      return invalid(describe(context.codingPath + [key]), "is required")
    case DecodingError.valueNotFound(let type, let context):
      return invalid(describe(context.codingPath), "must be \(jsonName(of: type)), not null")
    case DecodingError.typeMismatch(let type, let context):
      return invalid(describe(context.codingPath), "must be \(jsonName(of: type))")
    case DecodingError.dataCorrupted(let context):
      return invalid(describe(context.codingPath), "is not a valid value")
    default: return invalid("", "is not a valid value")
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
