/// A setting, declared where it is read.
public struct Setting<Value: Sendable>: Sendable, SettingDescription {
  public let key: String
  public let summary: String
  public let expects: String
  public let isSecret: Bool
  public let defaultText: String?
  let defaultValue: Value?
  let parse: @Sendable (String) -> Value?

  /// - Parameters:
  ///   - key: Words joined by dots, such as `http.headSeconds`: `--http-head-seconds` on the command line,
  ///     `HTTP_HEAD_SECONDS` in the environment.
  ///   - defaultValue: `nil` makes the setting required.
  ///   - expects: Completes "must be …" in the error message for an invalid value.
  ///   - isSecret: Never printed; may also be read from a file, whose path is set by the key with the suffix `File`.
  ///   - describe: Writes the default as people write the setting.
  ///   - parse: Parses the text; `nil` when it is invalid.
  public init(
    _ key: String,
    default defaultValue: Value?,
    expects: String,
    isSecret: Bool = false,
    _ summary: String,
    describe: (Value) -> String = { "\($0)" },
    parse: @escaping @Sendable (String) -> Value?
  ) {
    self.key = key
    self.summary = summary
    self.expects = expects
    self.isSecret = isSecret
    self.defaultValue = defaultValue
    self.parse = parse
    switch defaultValue {
    case .some(let value as any OptionalSetting): defaultText = value.isUnset ? "(unset)" : "\(value)"
    case .some(let value as any Collection) where value.isEmpty: defaultText = "(none)"
    case .some(let value): defaultText = describe(value)
    case nil: defaultText = nil
    }
  }
}

/// The properties of a setting that the `config` command prints, regardless of its type.
public protocol SettingDescription: Sendable {
  var key: String { get }
  var summary: String { get }
  var expects: String { get }
  var isSecret: Bool { get }
  var defaultText: String? { get }
}

private protocol OptionalSetting { var isUnset: Bool { get } }
extension Optional: OptionalSetting { var isUnset: Bool { self == nil } }

extension Setting where Value == Int {
  /// A whole number within a range.
  public init(_ key: String, default value: Int?, in range: ClosedRange<Int>, _ summary: String) {
    self.init(key, default: value, expects: "a whole number from \(range.lowerBound) to \(range.upperBound)", summary) {
      Int($0).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension Setting where Value == Double {
  /// A duration, given as seconds or with a unit: `15`, `500ms`, `90s`, `15m`, `2h`, `1d`.
  public init(seconds key: String, default value: Double?, in range: ClosedRange<Double>, _ summary: String) {
    let bounds = "from \(Duration.text(range.lowerBound)) to \(Duration.text(range.upperBound))"
    let expects = "a duration \(bounds), such as 15s, 500ms, 10m, 2h or 1d"
    self.init(key, default: value, expects: expects, summary, describe: Duration.text) {
      Duration.seconds(in: $0).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension Setting where Value == Double? {
  /// An optional duration, given as seconds or with a unit.
  public init(optionalSeconds key: String, in range: ClosedRange<Double>, _ summary: String) {
    let bounds = "from \(Duration.text(range.lowerBound)) to \(Duration.text(range.upperBound))"
    self.init(key, default: .some(nil), expects: "a duration \(bounds), such as 15s, 500ms or 10m", summary) {
      Duration.seconds(in: $0).flatMap { range.contains($0) ? .some($0) : nil }
    }
  }
}

/// Durations as people write them.
private enum Duration {
  private static let units: [(suffix: String, seconds: Double)] = [
    ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400),
  ]

  static func seconds(in text: String) -> Double? {
    let unit = units.first { text.hasSuffix($0.suffix) }
    let number = text.dropLast(unit?.suffix.count ?? 0)
    guard let value = Double(number), value.isFinite, value >= 0 else { return nil }
    return value * (unit?.seconds ?? 1)
  }

  /// In the largest unit in which it is a whole number.
  static func text(_ seconds: Double) -> String {
    let unit = units.last { seconds >= $0.seconds && (seconds / $0.seconds).rounded() == seconds / $0.seconds }
    return unit.map { "\(Int(seconds / $0.seconds))\($0.suffix)" } ?? "\(seconds)s"
  }
}

extension Setting where Value == String {
  /// Any text except the empty one.
  public init(_ key: String, default value: String?, _ summary: String) {
    self.init(key, default: value, expects: "text", summary) { $0.isEmpty ? nil : $0 }
  }
}

extension Setting where Value == String? {
  /// Optional text.
  public init(optional key: String, expects: String = "text", isSecret: Bool = false, _ summary: String) {
    self.init(key, default: .some(nil), expects: expects, isSecret: isSecret, summary) { $0.isEmpty ? nil : .some($0) }
  }
}

extension Setting where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
  /// One of the raw values of an enumeration.
  public init(_ key: String, default value: Value?, _ summary: String) {
    let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
    self.init(key, default: value, expects: "one of \(words)", summary) { Value(rawValue: $0) }
  }
}
