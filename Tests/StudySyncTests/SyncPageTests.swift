import Contracts
import Foundation
import SyncMerge
import Testing

/// The examples of `docs/sync.md`.
struct SyncPageTests {
  private static func page() throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent("docs/sync.md"), encoding: .utf8)
  }

  @Test func theHashesAreThoseOfTheCode() throws {
    let page = try Self.page()
    let blocks = page.components(separatedBy: "```").filter { $0.hasPrefix("json\n") && $0.contains("\"fields\"") }
    let records = try blocks.filter { !$0.contains("\"action\"") }.map {
      try WireJSON.decode(SyncRecord.self, from: $0.dropFirst(5).utf8)
    }
    #expect(records.map(\.collection) == ["cards", "cards", "reviews"])
    var cards = Checksum()
    for record in records {
      let hash = record.content.hash(collection: record.collection, id: record.id)
      #expect(page.contains("`\(String(hash, radix: 16))`"), "\(record.id)")
      if record.collection == "cards" { cards.insert(hash) }
    }
    #expect(page.contains("{\"collection\":\"cards\",\"count\":2,\"sum\":\"\(String(cards.sum, radix: 16))\"}"))
  }

  @Test func theWordsAreThoseOfTheCode() throws {
    let page = try Self.page()
    let words =
      SyncCollection.allCases.map(\.rawValue) + SyncStatus.allCases.map(\.rawValue)
      + SyncConflict.allCases.map(\.rawValue) + SyncAction.allCases.map(\.rawValue)
    for word in words { #expect(page.contains("`\(word)`"), "\(word)") }
  }
}
