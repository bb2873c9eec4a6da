import Contracts
import ServiceKit
import TestKit
import Testing

/// Likes and the archive: each user counts once, also with concurrent requests.
@Suite(.serialized)
struct LikeTests {
  @Test(arguments: TestDatabase.allCases)
  func countersAreExact(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let ada = try await host.user("ada")
      let listing = try await host.listing(of: ada)
      let people = try await concurrently(0..<100) { _ in try await host.guest() }
      // Every user likes, every second one removes the like; all requests are sent twice.
      _ = try await concurrently(people.indices) { index in
        for _ in 0..<2 { _ = try await people[index].client.send(CatalogAPI.LikeListing(id: listing.id)) }
        guard index.isMultiple(of: 2) else { return }
        for _ in 0..<2 { _ = try await people[index].client.send(CatalogAPI.UnlikeListing(id: listing.id)) }
      }
      func likes() async throws -> Int { try await ada.client.send(CatalogAPI.GetListing(id: listing.id)).likeCount }
      #expect(try await likes() == 50)
      #expect(try await people[1].client.send(CatalogAPI.GetListing(id: listing.id)).isLiked)
      #expect(try await !people[0].client.send(CatalogAPI.GetListing(id: listing.id)).isLiked)

      // One user on many devices concurrently.
      _ = try await concurrently(0..<100) { index in
        if index.isMultiple(of: 2) {
          _ = try await ada.client.send(CatalogAPI.LikeListing(id: listing.id))
        } else {
          _ = try await ada.client.send(CatalogAPI.UnlikeListing(id: listing.id))
        }
      }
      let own = try await ada.client.send(CatalogAPI.GetListing(id: listing.id))
      #expect(own.likeCount == 50 + (own.isLiked ? 1 : 0))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theArchiveIsOnesOwn(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      var listings: [Listing] = []
      for number in 0..<5 { listings.append(try await host.listing(of: ada, "Beat \(number)")) }
      for index in [3, 0, 4, 1, 0] {
        _ = try await bob.client.send(CatalogAPI.ArchiveListing(id: listings[index].id))
      }
      _ = try await ada.client.send(CatalogAPI.ArchiveListing(id: listings[2].id))
      let two = PageSize(checked: 2)
      let first = try await bob.client.send(CatalogAPI.ListArchive(limit: two))
      // A listing archived between two pages does not shift the next page.
      _ = try await bob.client.send(CatalogAPI.ArchiveListing(id: listings[2].id))
      let rest = try await allPages { cursor in
        try await bob.client.send(CatalogAPI.ListArchive(limit: two, cursor: cursor ?? first.nextCursor))
      }
      #expect((first.items + rest).map(\.id) == [1, 4, 0, 3].map { listings[$0].id })
      #expect(first.items.allSatisfy { $0.isArchived })
      _ = try await bob.client.send(CatalogAPI.UnarchiveListing(id: listings[4].id))
      _ = try await ada.client.send(CatalogAPI.DeleteListing(id: listings[0].id))
      let left = try await allPages { try await bob.client.send(CatalogAPI.ListArchive(limit: two, cursor: $0)) }
      #expect(left.map(\.id) == [2, 1, 3].map { listings[$0].id })
      let seen = try await ada.client.send(CatalogAPI.GetListing(id: listings[2].id))
      #expect(seen.archiveCount == 2)
      #expect(seen.isArchived)
      #expect(!seen.isLiked)
    }
  }

  @Test func onlyWhatIsThereIsLiked() async throws {
    try await TestPlatform.catalog { host async throws in
      let ada = try await host.user("ada")
      let text = host.ids.text()
      for (path, code) in [
        ("listings/\(text)/like", "listing-not-found"), ("listings/\(text)/archive", "listing-not-found"),
        ("posts/\(text)/like", "post-not-found"), ("comments/\(text)/like", "comment-not-found"),
      ] {
        for method in [Contracts.Operation.Method.put, .delete] {
          let answer = try await host.send(method, "/v1/\(path)", by: ada)
          #expect(try WireJSON.decode(Problem.self, from: answer.body).code == code)
        }
        #expect(try await host.send(.put, "/v1/\(path)").status == 401)
      }
      #expect(try await host.send(.put, "/v1/listings/one/like", by: ada).status == 422)
    }
  }
}
