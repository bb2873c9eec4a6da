/// A feature that plans unlock, such as `study.fitting`. Access tokens carry those of their user's plans.
public struct FeatureName: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...40,
    pattern: "^[a-z][A-Za-z0-9.-]{0,39}$",
    example: "study.fitting",
    violation: { text in
      let isValid = text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
          true
        default: false
        }
      }
      guard isValid, let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else {
        return "must be a word such as study.fitting"
      }
      return nil
    }
  )
}

extension Problem.Kind {
  public static let planRequired = Self(
    "plan-required", status: 403, "The feature is part of a plan",
    meaning: "The feature is part of a plan that the user does not have. `errors` names the feature.",
    remedy: "Show the plans that include the feature.")
}
