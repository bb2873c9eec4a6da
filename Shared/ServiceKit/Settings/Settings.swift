import Configuration
import Foundation
import SystemPackage

/// Setting values, in order of precedence: command line, environment, `.env`, default.
public struct Settings: Sendable {
  private let providers: [(source: String, provider: any ConfigProvider)]

  /// The names of the services whose URL is set, such as `auth` by `services.auth.url`.
  let services: Set<String>

  /// - Parameters:
  ///   - arguments: `--key value` pairs.
  ///   - environment: Environment variables.
  ///   - environmentFile: A file of `KEY=value` lines; it may be missing.
  public init(arguments: [String] = [], environment: [String: String], environmentFile: String? = nil) async throws {
    var providers: [(source: String, provider: any ConfigProvider)] = [
      ("command line", CommandLineArgumentsProvider(arguments: ["quintet"] + arguments)),
      ("environment", EnvironmentVariablesProvider(environmentVariables: environment)),
    ]
    if let environmentFile {
      let provider = try await EnvironmentVariablesProvider(
        environmentFilePath: .init(environmentFile),
        allowMissing: true
      )
      providers.append((environmentFile, provider))
    }
    self.providers = providers
    let file = environmentFile.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } ?? ""
    let variables =
      Array(environment.keys)
      + file.split(whereSeparator: \.isNewline).map { line in
        String(line.prefix { $0 != "=" }).trimmingCharacters(in: .whitespaces)
      }
    let flags = arguments.map { String($0.prefix { $0 != "=" }) }
    services = Set(
      variables.compactMap { $0.wholeMatch(of: /SERVICES_([A-Z0-9_]+)_URL/) }
        .map { $0.1.lowercased().replacing("_", with: "-") }
        + flags.compactMap { $0.wholeMatch(of: /--services-([a-z0-9-]+)-url/) }.map { String($0.1) }
    )
  }

  /// Fixed values, for tests and embedding; keys as in ``Setting/key``.
  public init(_ values: [String: String]) {
    providers = [
      (
        "given",
        InMemoryProvider(
          values: Dictionary(
            uniqueKeysWithValues: values.map {
              (AbsoluteConfigKey(ConfigKey($0.key)), ConfigValue(.string($0.value), isSecret: false))
            }
          )
        )
      )
    ]
    services = Set(values.keys.compactMap { $0.wholeMatch(of: /services\.([a-z0-9-]+)\.url/) }.map { String($0.1) })
  }

  /// The value of a setting.
  /// - Throws: ``SettingError`` that names the setting and what it expects.
  public subscript<Value>(_ setting: Setting<Value>) -> Value {
    get throws(SettingError) {
      guard let (text, source) = try lookUp(setting) else {
        guard let value = setting.defaultValue else { throw SettingError(setting, problem: "is not set", source: nil) }
        return value
      }
      guard let value = setting.parse(text) else {
        throw SettingError(setting, problem: setting.isSecret ? "is invalid" : "is \"\(text)\"", source: source)
      }
      return value
    }
  }

  /// Returns the text of a setting and its source; `nil` when it is not set.
  func lookUp(_ setting: some SettingDescription) throws(SettingError) -> (text: String, source: String)? {
    for (source, provider) in providers {
      if let text = text(setting.key, in: provider) { return (text, source) }
      if setting.isSecret, let path = text(setting.key + "File", in: provider) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
          throw SettingError(setting, problem: "names a file that cannot be read: \(path)", source: source)
        }
        return (text.trimmingCharacters(in: .whitespacesAndNewlines), "file \(path)")
      }
    }
    return nil
  }

  private func text(_ key: String, in provider: any ConfigProvider) -> String? {
    guard let result = try? provider.value(forKey: AbsoluteConfigKey(ConfigKey(key)), type: .string),
      case .string(let text) = result.value?.content
    else { return nil }
    return text
  }

  /// Describes each setting: its key, value (hidden for secrets), summary, and source.
  func describe(_ settings: [any SettingDescription]) throws(SettingError) -> String {
    var lines: [String] = []
    for setting in settings.sorted(by: { $0.key < $1.key }) {
      let found = try lookUp(setting)
      let value = found.map { setting.isSecret ? "(hidden)" : $0.text } ?? setting.defaultText ?? "(required)"
      lines.append("\(setting.key) = \(value)")
      lines.append("    \(setting.summary). Expects \(setting.expects). From: \(found?.source ?? "default").")
      lines.append("    --\(Self.flag(setting.key))   \(Self.variable(setting.key))")
    }
    return lines.joined(separator: "\n")
  }

  /// Converts `http.headSeconds` to `http-head-seconds`.
  static func flag(_ key: String) -> String {
    key.reduce(into: "") { text, character in
      if character == "." {
        text += "-"
      } else if character.isUppercase {
        text += "-" + character.lowercased()
      } else {
        text.append(character)
      }
    }
  }

  static func variable(_ key: String) -> String { flag(key).uppercased().replacing("-", with: "_") }

  /// Rejects unknown flags, which are usually typing errors.
  static func checkFlags(in arguments: [String], known: [any SettingDescription]) throws(SettingError) {
    let flags = Set(known.flatMap { ["--" + flag($0.key)] + ($0.isSecret ? ["--" + flag($0.key + "File")] : []) })
    for argument in arguments where argument.hasPrefix("--") {
      let name = String(argument.prefix { $0 != "=" })
      guard !flags.contains(name) else { continue }
      let nearest = flags.map { (flag: $0, distance: editDistance(name, $0)) }
        .min { ($0.distance, $0.flag) < ($1.distance, $1.flag) }
      let hint = nearest.flatMap { $0.distance <= max(2, name.count / 4) ? "; did you mean \($0.flag)?" : nil }
      throw SettingError(message: "\(name) is not a setting\(hint ?? "; `config` lists them all")")
    }
  }

  /// How many characters must be inserted, removed or replaced to turn one text into the other (V. Levenshtein, 1966).
  private static func editDistance(_ first: String, _ second: String) -> Int {
    let second = Array(second)
    var row = Array(0...second.count)
    for (i, character) in first.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in second.enumerated() {
        let replaced = diagonal + (character == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, diagonal + 1, row[j] + 1)
      }
    }
    return row[second.count]
  }
}

/// A configuration error that prevents the process from starting.
public struct SettingError: Error, CustomStringConvertible {
  public let description: String

  init(message: String) { description = message }

  /// Creates an error for a value that only the setting's reader can reject; `problem` continues "setting x …".
  public init(_ setting: some SettingDescription, _ problem: String) {
    self.init(setting, problem: problem, source: nil)
  }

  init(_ setting: some SettingDescription, problem: String, source: String?) {
    let origin = source.map { " (from \($0))" } ?? ""
    description =
      "setting \(setting.key) \(problem)\(origin); it must be \(setting.expects). "
      + "Set it with --\(Settings.flag(setting.key)) or \(Settings.variable(setting.key)). Meaning: \(setting.summary)."
  }
}

extension ServiceHost {
  /// The environment variable of a setting: `HTTP_HEAD_SECONDS` for `http.headSeconds`.
  public static func environmentVariable(of key: String) -> String { Settings.variable(key) }
}
