import Contracts
import ServiceKit
import TestKit
import Testing

/// Files that are imported again and again.
@Suite(.serialized)
struct RepeatedImportTests {
  private func take(_ path: String, _ lines: [String], _ host: TestPlatform, by person: TestUser) async throws
    -> ImportReport
  {
    let file = lines.joined(separator: "\n") + "\n"
    let answer = try await host.send(.post, "/v1/\(path)/import", file, type: "text/csv", by: person)
    guard answer.status == 200 else { throw try WireJSON.decode(Problem.self, from: answer.body) }
    return try WireJSON.decode(ImportReport.self, from: answer.body)
  }

  private func owner(_ host: TestPlatform) async throws -> TestUser {
    let owner = try await host.user("boss", as: .owner)
    let bows = ProductType(slug: try Slug(validating: "bows"), name: try ShortText(validating: "Bows"))
    _ = try await owner.client.send(CatalogAPI.CreateProductType(body: bows))
    return owner
  }

  @Test("M23: a file of products without SKUs makes no doubles", arguments: TestDatabase.allCases)
  func noDoubles(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let owner = try await owner(host)
      let head = "sourceID,sku,type,title,price,currency,onHand"
      let rows = ["old-1,,bows,Red bow,10,USD,5", ",B-2,bows,Blue bow,11,USD,5", ",,bows,Green bow,12,USD,5"]
      #expect(try await take("products", [head] + rows, host, by: owner) == ImportReport(created: 3))
      let first = try await host.client.send(CatalogAPI.ListProducts()).items
      // The stock changes meanwhile, and one of them is edited by hand.
      let red = try #require(first.first { $0.title.rawValue == "Red bow" })
      _ = try await owner.client.send(CatalogAPI.PutStock(id: red.id, onHand: StockCount(checked: 2)))
      _ = try await owner.client.send(CatalogAPI.UpdateProduct(id: red.id, title: ShortText(validating: "Scarlet bow")))
      let before = try await host.client.send(CatalogAPI.ListProducts()).items
      #expect(try await take("products", [head] + rows, host, by: owner) == ImportReport(unchanged: 3))
      #expect(try await host.client.send(CatalogAPI.ListProducts()).items == before)

      // A changed row updates its product, by its source or its SKU.
      let changed = ["old-1,,bows,Red bow,20,USD,", ",B-2,bows,Navy bow,11,USD,9", rows[2]]
      #expect(
        try await take("products", [head] + changed, host, by: owner) == ImportReport(updated: 2, unchanged: 1))
      let after = try await host.client.send(CatalogAPI.ListProducts()).items
      #expect(after.map(\.title.rawValue) == ["Green bow", "Navy bow", "Red bow"])
      #expect(after.map(\.available) == [5, 9, 2])
      #expect(after.last?.price.amount == 2000)
    }
  }

  @Test func aDeletedProductIsImportedAgain() async throws {
    try await TestPlatform.catalog { host async throws in
      let owner = try await owner(host)
      let file = ["sourceID,type,title,price,currency", "old-1,bows,Red bow,10,USD"]
      _ = try await take("products", file, host, by: owner)
      let product = try #require(try await host.client.send(CatalogAPI.ListProducts()).items.first)
      _ = try await owner.client.send(CatalogAPI.DeleteProduct(id: product.id))
      #expect(try await take("products", file, host, by: owner).created == 1)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func variantsAreRowsOfTheirProduct(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let owner = try await owner(host)
      let head = "sourceID,type,title,price,currency,variant,sku,weightGrams,onHand"
      let file = [
        head, "shirt,bows,Shirt,10,USD,S,S-1,50,2", "cap,bows,Cap,5,USD,,CAP,,1", "shirt,,,12.50,,L,L-1,70,3",
        "shirt,,,,,M,,,", "shirt,,,x,,XL,,,", "shirt,,,,,S,,,", ",bows,Loose,1,USD,S,,,",
      ]
      let report = try await take("products", file, host, by: owner)
      #expect(report.created == 2)
      #expect(report.rejected.map(\.line) == [6, 7, 8], "\(report)")
      let shirt = try #require(try await host.client.send(CatalogAPI.ListProducts(query: "shirt")).items.first)
      #expect(shirt.variants.map(\.name.rawValue) == ["S", "L", "M"])
      #expect(shirt.variants.map(\.price.amount) == [1000, 1250, 1000])
      #expect(shirt.variants.map(\.available) == [2, 3, 0])
      #expect(shirt.variants.map(\.weightGrams.value) == [50, 70, 50])
      #expect(shirt.sku == nil)

      #expect(try await take("products", file, host, by: owner).unchanged == 2)
      // By SKU, a variant gets another name; by name, another price; a new one is added; those that are missing stay.
      let next = [head, "shirt,bows,Shirt,10,USD,Small,S-1,,", "shirt,,,13,,M,,,", "shirt,,,,,XL,,,7"]
      #expect(try await take("products", next, host, by: owner).updated == 1)
      let after = try await host.client.send(CatalogAPI.GetProduct(id: shirt.id))
      #expect(after.variants.map(\.name.rawValue) == ["Small", "L", "M", "XL"])
      #expect(after.variants.map(\.price.amount) == [1000, 1250, 1300, 1000])
      #expect(after.variants.map(\.available) == [2, 3, 0, 7])
      #expect(after.variants.prefix(3).map(\.id) == shirt.variants.map(\.id))
    }
  }

  @Test func aProductWhoseFirstRowIsInvalidIsRejectedAsAWhole() async throws {
    try await TestPlatform.catalog { host async throws in
      let owner = try await owner(host)
      let report = try await take(
        "products", ["sourceID,type,title,price,currency,variant", "a,bows,,1,USD,S", "a,,,,,L"], host, by: owner)
      #expect(report.created == 0)
      #expect(report.rejected.map(\.line) == [2, 3])
    }
  }

  // MARK: posts

  @Test("SD18: old posts are imported again and again without doubles", arguments: TestDatabase.allCases)
  func oldPosts(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (owner, bob) = (try await host.user("boss", as: .owner), try await host.user("bob"))
      let head = "sourceID,date,title,text,mediaLink"
      let file = [
        head, "p1,2019-04-01,Spring,Flowers.,https://youtu.be/aqz-KE-bpKQ", "p2,2019-12-24,Winter,,",
        "p3,2019-13-01,No month,,", ",2019-01-01,No source,,", "p2,2020-01-01,Twice,,", "p4,2020-01-01,,,",
        "p5,2020-01-01,Bad link,,http://example.com",
      ]
      let report = try await take("posts", file, host, by: owner)
      #expect(report.created == 2)
      #expect(report.rejected.map(\.line) == [4, 5, 6, 7, 8], "\(report)")
      for (index, word) in ["date", "sourceID", "line 3", "title", "mediaLink"].enumerated() {
        #expect(report.rejected[index].errors.first?.contains(word) == true, "\(report.rejected[index])")
      }
      let posts = try await host.client.send(CatalogAPI.ListPosts()).items
      #expect(posts.map(\.title.rawValue) == ["Winter", "Spring"])
      #expect(posts.last?.description?.rawValue == "Flowers.")
      #expect(posts.last?.mediaLink?.rawValue == "https://youtu.be/aqz-KE-bpKQ")
      _ = try await bob.client.send(CatalogAPI.LikePost(id: posts[1].id))

      let again = try await take("posts", file, host, by: owner)
      #expect(again.unchanged == 2)
      #expect(again.created + again.updated == 0)
      let changed = [head, "p1,2019-04-02,Spring,,", "p2,2019-12-24,Winter,,"]
      #expect(try await take("posts", changed, host, by: owner) == ImportReport(updated: 1, unchanged: 1))
      let spring = try await host.client.send(CatalogAPI.GetPost(id: posts[1].id))
      #expect(spring.date == CalendarDate("2019-04-02"))
      #expect(spring.description?.rawValue == "Flowers.")
      #expect(spring.likeCount == 1)
      #expect(spring.version == 2)
    }
  }

  @Test func postsAreImportedFromJSONByTheOwner() async throws {
    try await TestPlatform.catalog { host async throws in
      let (owner, bob) = (try await host.user("boss", as: .owner), try await host.user("bob"))
      let items: [JSONValue] = [
        ["sourceID": "1", "date": "2019-04-01", "title": "Spring"],
        ["sourceID": "2", "date": "2019-04-01", "title": "Spring", "author": "x"], 7,
      ]
      let request = CatalogAPI.ImportPosts(body: .rows(items))
      let report = try await owner.client.send(request)
      #expect(report.created == 1)
      #expect(report.rejected.map(\.line) == [2, 3])
      // The same content in another format is the same row.
      let csv = CatalogAPI.ImportPosts(body: .csv("date,title,sourceID\n2019-04-01,Spring,1\n"))
      #expect(try await owner.client.send(csv) == ImportReport(unchanged: 1))
      #expect(try await problem { _ = try await bob.client.send(request) }?.status == 403)
    }
  }
}
