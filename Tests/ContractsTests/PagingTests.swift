import Testing

@testable import Contracts

/// Pages of a list, by the key of the last row.
struct PagingTests {
  struct List: PagedEndpoint {
    typealias Response = Page<Int>
    static let operation = Operation.get("/v1/numbers", "List numbers")
    var limit: PageSize?
    var cursor: String?
  }

  /// A number as its own key.
  struct Key: PageCursor {
    let number: Int
    init(number: Int) { self.number = number }
    init?(cursor: String) {
      guard let number = Int(cursor) else { return nil }
      self.number = number
    }
    var cursor: String { String(number) }
  }

  private func page(_ count: Int, limit: Int?, cursor: String?) throws -> Page<Int> {
    let request = List(limit: limit.flatMap { PageSize($0) }, cursor: cursor)
    return try request.page(by: Key.self, limit: 3)
      .fetch(
        { after, limit in Array(((after?.number ?? 0) + 1...count + 1).dropLast().prefix(limit)) },
        key: { Key(number: $0) }
      )
      .page
  }

  @Test(arguments: 0...8, [1, 2, 3, 7])
  func everyRowIsOnOnePage(count: Int, limit: Int) throws {
    var (rows, pages): ([Int], Int) = ([], 0)
    var cursor: String?
    repeat {
      let page = try page(count, limit: limit, cursor: cursor)
      #expect(page.items.count <= limit)
      rows += page.items
      pages += 1
      cursor = page.nextCursor
    } while cursor != nil
    #expect(rows == Array(1...count + 1).dropLast())
    #expect(pages == max(1, (count + limit - 1) / limit))
  }

  @Test func theServerChoosesTheSizeByDefault() throws {
    #expect(try page(9, limit: nil, cursor: nil).items == [1, 2, 3])
  }

  @Test(arguments: ["", "x", "1.5", " 1"])
  func refusesACursorThatIsNone(cursor: String) {
    let problem = #expect(throws: Problem.self) { try page(9, limit: 1, cursor: cursor) }
    #expect(problem?.status == 422)
    #expect(problem?.errors == [.init(location: "query.cursor", message: "is not a cursor of this list")])
  }
}
