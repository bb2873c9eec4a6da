/// An ISO 3166-1 country, such as `US`, or an ISO 3166-2 subdivision, such as `US-CA`.
public struct Region: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 2...6,
    pattern: "^[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?$",
    example: "US-CA",
    normalize: { $0.uppercased() },
    violation: { text in
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      let isCountry = parts[0].utf8.count == 2 && parts[0].utf8.allSatisfy { (0x41...0x5A).contains($0) }
      let isPart = parts.count == 2 && (1...3).contains(parts[1].utf8.count)
      return isCountry && (parts.count == 1 || isPart) ? nil : "must be a country such as US or a region such as US-CA"
    }
  )

  /// The country code without the subdivision.
  public var country: String { String(rawValue.prefix(2)) }
}

/// Stored encrypted.
public struct PostalAddress: Codable, Sendable, Equatable {
  public var name: ShortText
  public var street: ShortText
  public var city: ShortText
  public var postalCode: ShortText
  public var region: Region
  public var phone: PhoneNumber?
  public init(
    name: ShortText, street: ShortText, city: ShortText, postalCode: ShortText, region: Region,
    phone: PhoneNumber? = nil
  ) {
    (self.name, self.street, self.city, self.postalCode, self.region) = (name, street, city, postalCode, region)
    self.phone = phone
  }
}
