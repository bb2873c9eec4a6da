import Contracts
import ServiceKit
import TestKit
import Testing

@testable import CatalogService

/// The words of enumerations.
@Suite(.serialized)
struct EnumerationTests {
  @Test("SD6: every value has its word in every language, and no word is left over")
  func wordsAreComplete() throws {
    for (language, words) in try EnumerationWords.load() {
      #expect(Set(words.keys) == Set(ListedEnumerations.all.map(\.name)), "\(language)")
      for listed in ListedEnumerations.all {
        let known = words[listed.name] ?? [:]
        #expect(Set(known.keys) == Set(listed.values), "\(language) \(listed.name)")
        #expect(known.values.allSatisfy { !$0.isEmpty }, "\(language) \(listed.name)")
      }
    }
    #expect(Set(ListedEnumerations.all.map(\.name)).count == ListedEnumerations.all.count)
  }

  @Test func theyAreAnsweredInTheCallersLanguage() async throws {
    try await TestPlatform.catalog { host async throws in
      func word(_ query: String = "", _ accepted: String? = nil) async throws -> String? {
        let headers = accepted.map { [(name: "accept-language", value: $0)] } ?? []
        let answer = try await host.send(.get, "/v1/enumerations\(query)", headers: headers)
        let list = try WireJSON.decode(Enumerations.self, from: answer.body)
        return list.items.first { $0.name == "fulfillmentStatus" }?.choices.first { $0.value == "shipped" }?.word
      }
      #expect(try await word() == "Shipped")
      #expect(try await word("?language=de-AT") == "Versandt")
      #expect(try await word("", "fr, de;q=0.8, en;q=0.5") == "Versandt")
      #expect(try await word("?language=en", "de") == "Shipped")
      #expect(try await word("?language=fr") == "Shipped")
    }
  }

  @Test func cachesDistinguishLanguages() async throws {
    try await TestPlatform.catalog { host async throws in
      func get(_ headers: [(name: String, value: String)]) async throws -> (status: Int, tag: String?, vary: [String]) {
        let answer = try await host.send(.get, "/v1/enumerations", headers: headers)
        return (answer.status, answer.header("etag"), answer.headers.filter { $0.name == "vary" }.map(\.value))
      }
      let german = try await get([("accept-language", "de")])
      #expect(german.vary.contains("Accept-Language"))
      let tag = try #require(german.tag)
      #expect(try await get([("accept-language", "de"), ("if-none-match", tag)]).status == 304)
      #expect(try await get([("accept-language", "en"), ("if-none-match", tag)]).status == 200)
    }
  }

  @Test(arguments: [
    ("de", ["de"]), ("en;q=0.5, de", ["de", "en"]), ("de-AT,*;q=0.1", ["de", "*"]), ("de;q=0, en", ["en"]), ("", []),
    (";q=1, ,x", ["x"]), ("de;q=x, en;q=2", []), ("EN ; q=0.7", ["en"]),
  ])
  func preferencesAreRead(_ text: String, _ languages: [String]) {
    #expect(LanguagePreference(text).languages == languages)
  }
}
