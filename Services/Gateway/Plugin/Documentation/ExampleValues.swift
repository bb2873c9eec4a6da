import Contracts

/// Values that fit schemas: the schema's own example where it has one, otherwise a word that suits its name.
struct ExampleValues {
  let schemas: [String: JSONValue]

  /// An example of a response: all properties, so that readers see them.
  func answer(_ schema: JSONValue) -> JSONValue { value(schema, name: "", onlyRequired: false, within: []) }

  /// An example of a request body: the required properties, or all if none is.
  func body(_ schema: JSONValue) -> JSONValue { value(schema, name: "", onlyRequired: true, within: []) }

  func parameter(_ name: String, _ schema: JSONValue) -> String {
    switch value(schema, name: name, onlyRequired: true, within: []) {
    case .string(let text): text
    case .integer(let number): String(number)
    case .bool(let flag): String(flag)
    default: "1"
    }
  }

  /// - Parameter types: Those that contain the value; one that contains itself ends there.
  private func value(_ schema: JSONValue, name: String, onlyRequired: Bool, within types: [String]) -> JSONValue {
    if let type = SchemaText.reference(schema) {
      guard !types.contains(type), let target = schemas[type] else { return .object([JSONValue.Member]()) }
      return value(target, name: name, onlyRequired: onlyRequired, within: types + [type])
    }
    if let example = schema["examples"]?.elements.first { return example }
    let words = schema["enum"]?.elements ?? []
    if let word = Self.words[name].map({ JSONValue.string($0) }), words.isEmpty || words.contains(word),
      SchemaText.types(schema).contains("string")
    {
      return word
    }
    if let word = words.first { return word }
    if let items = schema["items"] {
      let element = value(items, name: name, onlyRequired: onlyRequired, within: types)
      return .array(element == .object([JSONValue.Member]()) ? [] : [element])
    }
    switch SchemaText.types(schema).first {
    case "object": return object(schema, onlyRequired: onlyRequired, within: types)
    case "string": return "text"
    case "boolean": return true
    case "integer":
      if case .integer(let least)? = schema["minimum"] { return .integer(max(least, 1)) } else { return 1 }
    case "number": return .number(0.5)
    default: return .object([JSONValue.Member]())
    }
  }

  private func object(_ schema: JSONValue, onlyRequired: Bool, within types: [String]) -> JSONValue {
    let required = schema["required"]?.elements ?? []
    // The first one of alternatives: it excludes the properties of the others.
    let alternative = schema["oneOf"]?.elements.first
    let excluded = alternative?["properties"]?.members.map(\.name) ?? []
    let chosen = alternative?["required"]?.elements ?? []
    let needed = required + chosen
    return .object(
      (schema["properties"]?.members ?? [])
        .filter { !excluded.contains($0.name) }
        .filter { !onlyRequired || needed.isEmpty || needed.contains(.string($0.name)) }
        .map {
          JSONValue.Member(
            name: $0.name, value: value($0.value, name: $0.name, onlyRequired: onlyRequired, within: types))
        })
  }

  /// The examples of texts without one of their own, by the names of their properties.
  private static let words: [String: String] = [
    "accessToken": "eyJhbGciOiJFZERTQSJ9…", "access_token": "eyJhbGciOiJFZERTQSJ9…", "algorithm": "fsrs",
    "answer": "Paris", "appVersion": "1.4.0", "bidder": "Bidder 2", "brand": "visa", "buyer": "Ada", "carrier": "DHL",
    "clientSecret": "pi_1_secret_2", "client_id": "school-portal", "client_secret": "b7c1…", "collection": "cards",
    "comment": "Great groove", "contentType": "audio/wav", "cursor": "eyJhZnRlciI6IjEifQ", "currency": "EUR",
    "description": "Capitals of Europe", "deviceModel": "Pixel 9", "deviceName": "Ada's phone", "deviceSecret": "c2Vj…",
    "displayName": "Ada Lovelace", "displayValue": "3 times a week", "email": "ada@example.com",
    "failure": "card_declined", "field": "title", "front": "Capital of France", "back": "Paris",
    "hash": "9f86d081884c7d65", "holder": "Ada Lovelace", "id": "42", "idToken": "eyJhbGciOiJSUzI1NiJ9…",
    "If-Match": "\"3\"", "If-Range": "\"3\"", "instructions": "Keep the back straight", "issuer": "https://example.com",
    "kid": "2026-01", "label": "Visa ending in 4242", "language": "en", "Accept-Language": "en", "lastFour": "4242",
    "leader": "Bidder 2", "location": "body.email", "login": "ada@example.com", "message": "must be an e-mail address",
    "month": "2026-01", "name": "Ada", "nextCursor": "eyJhZnRlciI6IjEifQ", "nonce": "n-0S6_WzA2Mj",
    "note": "For Monday",
    "password": "correct horse battery", "plan": "pro", "prompt": "Capital of France?", "query": "paris",
    "reason": "Damaged on arrival", "recoveryCodes": "7k3m-9q2x", "reference": "RF18 5390 0754 7034",
    "refreshToken": "def50200…", "secret": "JBSWY3DPEHPK3PXP", "sha256": "9f86d081884c7d65", "sku": "MUG-RED",
    "statement": "Paris is the capital of France", "tags": "geography", "text": "Hello", "ticket": "tck_5f2b…",
    "title": "Midnight Drive", "token": "tok_5f2b…", "tokenType": "Bearer", "token_type": "Bearer",
    "topics": "listing.01890a5d-ac96-774b-bcce-b302099a8057", "trace": "29820be1d8caabd2c7235f3eec48a6a3",
    "tracking": "00340434161094042557", "transactionID": "2000000123456789", "type": "/problems/invalid-request",
    "unit": "kg", "url": "https://example.com/file", "uri": "otpauth://totp/Quintet:ada", "username": "ada",
    "value": "beginner", "version": "1.0",
  ]
}

extension JSONValue {
  /// With a line for each member and element.
  func indented(_ indentation: String = "") -> String {
    let inner = indentation + "  "
    func lines(_ parts: [String], _ open: String, _ close: String) -> String {
      parts.isEmpty
        ? open + close
        : "\(open)\n" + parts.map { inner + $0 }.joined(separator: ",\n") + "\n\(indentation)\(close)"
    }
    switch self {
    case .object(let members):
      return lines(members.map { "\(JSONValue.string($0.name).indented()): \($0.value.indented(inner))" }, "{", "}")
    case .array(let elements): return lines(elements.map { $0.indented(inner) }, "[", "]")
    default: return (try? WireJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
  }
}
