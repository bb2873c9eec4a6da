/// A unique username of lowercase letters, digits, dots, dashes and underscores.
public struct Username: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 3...30,
    pattern: "^[A-Za-z0-9._-]{3,30}$",
    example: "ada",
    normalize: { $0.lowercased() },
    violation: { text in
      let allowed = text.utf8.allSatisfy { $0.isLowercaseOrDigit || ".-_".utf8.contains($0) }
      return allowed ? nil : "may contain only letters, digits, dots, dashes and underscores"
    }
  )
}

/// A new password: 8 to 128 arbitrary characters, at most 1,024 bytes. Never printed.
public struct Password: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public var description: String { "(hidden)" }
  public static let rule = StringRule(
    length: 8...128,
    format: "password",
    example: "correct horse battery staple",
    violation: { $0.utf8.count > 1024 ? "must have at most 1024 bytes" : nil }
  )
}
