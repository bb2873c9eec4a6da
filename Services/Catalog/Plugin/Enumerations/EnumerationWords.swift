import Contracts
import HTTPTypes
import ServiceKit

/// The words for the values of enumerations, in several languages. They are resources; ``ListedEnumerations`` says what
/// they must contain.
struct EnumerationWords: Feature {
  /// The language of callers whose languages are not known.
  private static let fallback = "en"

  private let languages: [String: Enumerations]

  init() throws {
    languages = try Self.load().reduce(into: [:]) { languages, entry in
      let items = ListedEnumerations.all.map { listed in
        let words = entry.value[listed.name] ?? [:]
        return Enumeration(
          name: listed.name, choices: listed.values.map { .init(value: $0, word: words[$0] ?? $0) })
      }
      languages[entry.key] = Enumerations(language: entry.key, items: items)
    }
  }

  /// Words by language, enumeration and value.
  static func load() throws -> [String: [String: [String: String]]] {
    try ["de": PackageResources.words_de_json, "en": PackageResources.words_en_json].mapValues {
      try WireJSON.decode([String: [String: String]].self, from: $0)
    }
  }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ListEnumerations.self) { request, call in
      let wanted = request.language ?? call.headers[.acceptLanguage] ?? ""
      let language = LanguagePreference(wanted).best(of: Set(languages.keys)) ?? Self.fallback
      guard let words = languages[language] else { throw Problem(.internalError) }
      return words
    }
  }
}
