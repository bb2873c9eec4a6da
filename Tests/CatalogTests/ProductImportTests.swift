import Contracts
import ServiceKit
import TestKit
import Testing

/// Product import: valid rows are imported, and each invalid row is reported with its line.
@Suite(.serialized)
struct ProductImportTests {
  private func take(_ file: String, type: String = "text/csv", _ host: TestPlatform, by person: TestUser)
    async throws -> ImportReport
  {
    let answer = try await host.send(.post, "/v1/products/import", file, type: type, by: person)
    guard answer.status == 200 else { throw try WireJSON.decode(Problem.self, from: answer.body) }
    return try WireJSON.decode(ImportReport.self, from: answer.body)
  }

  private func owner(_ host: TestPlatform) async throws -> TestUser {
    let owner = try await host.user("boss", as: .owner)
    let bows = ProductType(slug: try Slug(validating: "bows"), name: try ShortText(validating: "Bows"))
    _ = try await owner.client.send(CatalogAPI.CreateProductType(body: bows))
    return owner
  }

  @Test(arguments: TestDatabase.allCases)
  func validRowsAreImportedAndInvalidOnesReported(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let owner = try await owner(host)
      let file = [
        "sku,type,title,description,price,currency,onHand,weightGrams",
        "A-1,bows,Red bow,Plain,24.99,USD,5,20",
        #"A-2,bows,"Blue, large bow","Two"#, #"lines and a ""quote""",1200,JPY,,"#,
        "A-3,bows,,No title,1,USD,1,1",
        "A-4,bows,Bow,Negative,-1,USD,1,1",
        "A-5,bows,Bow,Odd currency,1,XXY,1,1",
        #"A-6,bows,Broken "quote" inside,x,1,USD,1,1"#,
        "A-7,bows,Bow,Too many digits,1.999,USD,1,1",
        "A-1,bows,Twice,x,1,USD,1,1",
        "A-8,hats,Unknown type,x,1,USD,1,1",
        "A-9,bows,Too few",
        "A-10,bows,Bow,Odd number,1,USD,many,1",
        "",
        "A-11,bows,Last bow,Fine,0,KWD,0,0",
      ].joined(separator: "\r\n")
      let report = try await take("\u{FEFF}" + file, host, by: owner)
      #expect(report.created == 3)
      #expect(report.updated == 0)
      #expect(report.rejected.map(\.line) == [5, 6, 7, 8, 9, 10, 11, 12, 13], "\(report.rejected)")
      #expect(Set(report.rejected.map(\.errors.count)) == [1])
      #expect(!report.rejected.flatMap(\.errors).contains(""))
      for (index, word) in ["title", "negative", "currency", "quot", "price", "line 2", "type", "field", "onHand"]
        .enumerated()
      {
        #expect(report.rejected[index].errors[0].contains(word), "\(report.rejected[index])")
      }
      let products = try await host.client.send(CatalogAPI.ListProducts()).items
      let blue = try #require(products.first { $0.sku?.rawValue == "A-2" })
      #expect(blue.title.rawValue == "Blue, large bow")
      #expect(blue.price.money.amount == 1200)
      #expect(blue.description?.rawValue == "Two\nlines and a \"quote\"")
      let red = try #require(products.first { $0.sku?.rawValue == "A-1" })
      #expect(red.price.amount == 2499)
      #expect(red.available == 5)
      #expect(red.weightGrams.value == 20)
      #expect(try await host.client.send(CatalogAPI.ListProducts(query: "blue")).items.map(\.id) == [blue.id])

      #expect(red.isShipped)

      // A second import updates known SKUs; values that a row does not contain stay.
      let second = try await take("title,sku,type,price,currency\nRed bow,A-1,bows,19.9,USD\n", host, by: owner)
      #expect(second == ImportReport(created: 0, updated: 1, rejected: []))
      let cheaper = try await host.client.send(CatalogAPI.GetProduct(id: red.id))
      #expect(cheaper.price.amount == 1990)
      #expect(cheaper.available == 5)
      #expect(cheaper.description?.rawValue == "Plain")
      let digital =
        "sku,type,title,price,currency,isShipped\nA-1,bows,Red bow,19.9,USD,false\nA-2,bows,Bow,1,JPY,maybe\n"
      let third = try await take(digital, host, by: owner)
      #expect(third.updated == 1)
      #expect(third.rejected.map(\.line) == [3])
      #expect(try await host.client.send(CatalogAPI.GetProduct(id: red.id)).isShipped == false)
    }
  }

  @Test func oneBrokenQuoteSwallowsNothing() async throws {
    try await TestPlatform.catalog { host async throws in
      let owner = try await owner(host)
      let file = """
        sku,type,title,price,currency
        A-1,bows,"Never closed,1,USD
        A-2,bows,Fine,1,USD
        A-3,bows,"Fine, too",1,USD
        A-4,bows,Fine,1,USD
        """
      let report = try await take(file, host, by: owner)
      #expect(report.created == 3, "\(report)")
      #expect(report.rejected.map(\.line) == [2], "\(report)")
      // Two broken quotes do not merge the lines between them into one field.
      let pair = """
        sku,type,title,price,currency
        B-1,bows,"Never closed,1,USD
        B-2,bows,Fine,1,USD
        B-3,bows,12" wide,1,USD
        """
      let both = try await take(pair, host, by: owner)
      #expect(both.created == 1, "\(both)")
      #expect(both.rejected.map(\.line) == [2, 4], "\(both)")
      // A quote that is never closed makes no line part of its field.
      let open = try await take(
        "sku,type,title,price,currency\n\"" + String(repeating: "x\n", count: 4000), host, by: owner)
      #expect(open.rejected.map(\.line) == Array(2...4001))

      // No other product can use the SKU of a variant.
      let shirt = VariantForm(name: try ShortText(validating: "S"), sku: try SKU(validating: "S-1"))
      _ = try await host.product(of: owner, "Shirt", variants: [shirt])
      let taken = try await take(
        "sku,type,title,price,currency\nS-1,bows,Bow,1,USD\nS-2,bows,Bow,1,USD\n",
        host,
        by: owner
      )
      #expect(taken.created == 1, "\(taken)")
      #expect(taken.rejected.map(\.line) == [2], "\(taken)")
    }
  }

  @Test func listsLandToo() async throws {
    try await TestPlatform.catalog { host async throws in
      let owner = try await owner(host)
      let file = """
        [{"sku": "A-1", "type": "bows", "title": "Red", "price": {"amount": 100, "currency": "USD"}, "onHand": 2},
         {"sku": "A-2", "type": "bows", "price": {"amount": 100, "currency": "USD"}},
         7,
         {"sku": "A-3", "type": "bows", "title": "Red", "price": {"amount": -5, "currency": "USD"}},
         {"sku": "A-4", "type": "bows", "title": "Red", "price": {"amount": 1, "currency": "USD"}, "color": "red"},
         {"sku": "A-5", "type": "bows", "title": "Green", "price": {"amount": 1, "currency": "EUR"},
          "images": ["01890a5d-ac96-774b-bcce-b302099a8057"]}]
        """
      let report = try await take(file, type: "application/json", host, by: owner)
      #expect(report.created == 2, "\(report)")
      #expect(report.rejected.map(\.line) == [2, 3, 4, 5], "\(report)")
      #expect(report.rejected.last?.errors.first?.contains("color") == true)
    }
  }

  @Test func filesThatAreNoneAreRefused() async throws {
    try await TestPlatform.catalog { host async throws in
      let owner = try await owner(host)
      let bob = try await host.user("bob")
      #expect(try await host.send(.post, "/v1/products/import", "sku\n", type: "text/csv", by: bob).status == 403)
      for (file, type, status) in [
        ("", "text/csv", 422), ("{}", "application/json", 422), ("[", "application/json", 400),
        ("\"sku,type\na,b\n", "text/csv", 422), ("sku\n" + String(repeating: "a\n", count: 5001), "text/csv", 422),
        ("[" + String(repeating: "1,", count: 5000) + "1]", "application/json", 422),
        ("sku,color\na,b\n", "text/csv", 422), ("sku,sku\na,b\n", "text/csv", 422), ("x", "image/png", 415),
        (String(repeating: "x", count: 5 << 20), "text/csv", 413),
      ] {
        #expect(
          try await host.send(.post, "/v1/products/import", file, type: type, by: owner).status == status,
          "\(file.prefix(20))"
        )
      }
    }
  }
}
