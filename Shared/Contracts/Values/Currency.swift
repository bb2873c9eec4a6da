/// An ISO 4217 currency, identified by its three-letter code.
public struct Currency: Hashable, Sendable, CustomStringConvertible {
  /// The alphabetic code, such as `USD`.
  public let code: String

  /// `nil` for a code that ISO 4217 does not list.
  public init?(_ code: String) {
    // Swift compares strings by their meaning: the sign for kelvin equals a K.
    guard code.utf8.count == 3, Self.exponents[code] != nil else { return nil }
    self.code = code
  }

  /// Creates a currency from a code that is known to be listed, such as one read from the service's database.
  public init(trusted code: String) { self.code = code }

  public var description: String { code }

  /// Decimal digits of the minor unit: 2 for USD (cents), 0 for JPY, 3 for KWD.
  public var exponent: Int { Self.exponents[code] ?? 2 }

  public static let usd = Currency(trusted: "USD")

  /// ISO 4217 list one, amendment 177: every code with a minor unit.
  private static let exponents: [String: Int] = {
    let withTwoDigits = """
      AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY \
      COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS \
      INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR \
      MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP \
      STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG
      """
    let others: [(String, Int)] = [
      ("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF", 0),
      ("BHD IQD JOD KWD LYD OMR TND", 3), ("CLF UYW", 4),
    ]
    return ([(withTwoDigits, 2)] + others).reduce(into: [:]) { table, group in
      for code in group.0.split(separator: " ") { table[String(code)] = group.1 }
    }
  }()
}

extension Currency: Codable {
  public init(from decoder: any Decoder) throws {
    guard let currency = Self(try decoder.singleValueContainer().decode(String.self)) else {
      throw ValueError(at: decoder.codingPath, "must be an ISO 4217 currency code, such as USD")
    }
    self = currency
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(code)
  }
}

extension Currency: SchemaProviding {
  public static var schema: JSONSchema {
    var schema = JSONSchema.string()
    schema.enumeration = exponents.keys.sorted()
    return schema
  }
  public static var example: Self { .usd }
}
