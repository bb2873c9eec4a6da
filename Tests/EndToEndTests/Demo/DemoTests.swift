import Contracts
import Foundation
import TestKit
import Testing

/// `quintet-demo` from the command line, on a platform in one process.
@Suite(.serialized)
struct DemoTests {
  /// The demo's objects on the platform, by the ids of those that cannot be confused.
  private struct Contents: Equatable {
    var people: Set<String>
    var listings: [ListingID]
    var comments: Int
    var products: [ProductID]
    var posts: [PostID]
    var tools: [ToolID]
    var library: Set<StudySetID>
    var workouts: [WorkoutID]
    var videos: [MediaID]
    var livestreams: [LivestreamID]
    var reviews: Int
    var conversations: Int
    var messages: Int
    var matches: Int
    var auctions: [AuctionID]
    var bids: Int
    var orders: [OrderID]
    var letters: [ContactMessageID]
    var reports: Int
    /// The artist's.
    var media: Set<MediaID>
  }

  /// The properties that follow from the seed, whatever the ids and times of a world are.
  private struct Traits: Equatable {
    var listings: [String]
    var products: [String]
    var posts: [String]
    var library: [String]
    /// The student's.
    var reviews: AnswerScore
    /// The artist's portrait, recordings and covers, with their hashes.
    var media: [String]
  }

  @Test func aKilledRunIsContinuedAndACompleteOneIsNotRepeated() async throws {
    try await DemoRun.running { run in
      let inspector = try await run.inspector()
      try await run.demo(killedAfter: 3, linesWith: ".shown\t")
      #expect(run.steps(with: "shipping") == 0)
      let output = try await run.demo()
      let first = try await contents(run, inspector, output)
      try await check(first, run, output)
      let made = try await traits(run, output)

      #expect(try await run.demo("--logins").contains("shopkeeper"))
      let steps = run.steps(with: "")
      try await run.demo()
      #expect(run.steps(with: "") == steps)
      #expect(try await contents(run, inspector, output) == first)
      // A world of another seed needs a journal of its own.
      try await run.demo("--seed", "2", expects: 1)

      try await run.demo("--remove")
      try await checkNothingIsLeft(of: first, run, inspector)
      #expect(try await run.demo("--remove").contains("There is no demo."))

      // The names are free again, the same seed makes the same world, and the shop sells in it, too.
      let again = try await run.demo()
      #expect(try await traits(run, again) == made)
      let orders = try await inspector.send(OrdersAPI.ListAllOrders(limit: PageSize(checked: 100))).items
      #expect(orders.contains { $0.ownerID != nil })
    }
  }

  @Test func theSameSeedMakesTheSamePeople() async throws {
    var worlds: [Set<String>] = []
    for seed in ["7", "7", "8"] {
      try await DemoRun.running { run in
        try await run.demo("--seed", seed, killedAfter: DemoRun.people, linesWith: "profile.")
        worlds.append(Set(try await run.people(run.inspector()).map { "\($0.key) \($0.value.displayName)" }))
      }
    }
    #expect(worlds[0].count == DemoRun.people)
    #expect(worlds[0] == worlds[1])
    #expect(worlds[0] != worlds[2])
  }

  /// Reads what the demo has made, as its people see it.
  private func contents(_ run: DemoRun, _ inspector: APIClient, _ output: String) async throws -> Contents {
    let page = PageSize(checked: 100)
    let artist = try await run.signIn(.archived, output).client
    let athlete = try await run.signIn(.keepfit, output).client
    let seeker = try await run.signIn(.roomi, output).client
    let listings = try await artist.send(CatalogAPI.ListListings(limit: page)).items
    let conversations = try await seeker.send(MatchingAPI.ListConversations(limit: page)).items
    let auctions = try await artist.send(OrdersAPI.ListAuctions(limit: page)).items
    return Contents(
      people: Set(try await run.people(inspector).keys), listings: listings.map(\.id),
      comments: listings.reduce(0) { $0 + $1.commentCount },
      products: try await run.api.send(CatalogAPI.ListProducts(limit: page)).items.map(\.id),
      posts: try await run.api.send(CatalogAPI.ListPosts(limit: page)).items.map(\.id),
      tools: try await run.api.send(CatalogAPI.ListTools(limit: page)).items.map(\.id),
      library: Set(try await run.api.send(StudyAPI.SearchLibrary(limit: page)).items.map(\.id)),
      workouts: try await athlete.send(StudyAPI.ListWorkouts(limit: page)).items.map(\.id),
      videos: try await run.api.send(MediaAPI.ListMedia(kind: .video, limit: page)).items.map(\.id),
      livestreams: try await athlete.send(MediaAPI.ListLivestreams(limit: page)).items.map(\.id),
      reviews: try await reviews(run, output).answers, conversations: conversations.count,
      messages: conversations.reduce(0) { $0 + $1.lastSequence },
      matches: try await seeker.send(MatchingAPI.ListRoommateMatches(limit: page)).items.count,
      auctions: auctions.map(\.id), bids: auctions.reduce(0) { $0 + $1.bidCount },
      orders: try await inspector.send(OrdersAPI.ListAllOrders(limit: page)).items.map(\.id),
      letters: try await inspector.send(CatalogAPI.ListContactMessages(limit: page)).items.map(\.id),
      reports: try await inspector.send(StudyAPI.ListLibraryReports(limit: page)).items.count,
      media: Set(try await artist.send(MediaAPI.ListMedia(limit: page)).items.map(\.id)))
  }

  private func traits(_ run: DemoRun, _ output: String) async throws -> Traits {
    let page = PageSize(checked: 100)
    let (artist, account) = try await run.signIn(.archived, output)
    let listings = try await artist.send(CatalogAPI.ListListings(limit: page)).items.map { listing in
      "\(listing.name.rawValue) \(listing.price.amount) \(listing.likeCount) \(listing.commentCount)"
    }
    var products: [String] = []
    for product in try await run.api.send(CatalogAPI.ListProducts(limit: page)).items {
      let picture = try #require(product.images.first)
      let look = try await artist.send(MediaAPI.GetMedia(id: picture)).thumbHash ?? ""
      products.append("\(product.title.rawValue) \(product.price.amount) \(look)")
    }
    let posts = try await run.api.send(CatalogAPI.ListPosts(limit: page)).items.map { post in
      "\(post.title.rawValue) \(post.likeCount) \(post.commentCount)"
    }
    let media = try await artist.send(MediaAPI.ListMedia(owner: account.id, limit: page)).items.map { media in
      "\(media.title?.rawValue ?? "") \(media.sha256 ?? "")"
    }
    return Traits(
      listings: listings.sorted(), products: products.sorted(), posts: posts.sorted(),
      library: try await run.api.send(StudyAPI.SearchLibrary(limit: page)).items.map(\.title).sorted(),
      reviews: try await reviews(run, output), media: media.sorted())
  }

  /// The student's answers of all weeks.
  private func reviews(_ run: DemoRun, _ output: String) async throws -> AnswerScore {
    let student = try await run.signIn(.letustudy, output).client
    let day = CalendarDate(TimeSource.system.now().advanced(bySeconds: -86_400 * 60))
    let statistics = try await student.send(
      StudyAPI.GetStudyStatistics(from: day, to: CalendarDate(TimeSource.system.now())))
    return statistics.days.reduce(into: AnswerScore()) { sum, day in
      sum.answers += day.reviews.answers
      sum.correct += day.reviews.correct
    }
  }

  private func check(_ world: Contents, _ run: DemoRun, _ output: String) async throws {
    #expect(world.people.count == DemoRun.people)
    #expect(world.listings.count == 5)
    #expect(world.products.count == 11)
    #expect(world.posts.count == 5)
    #expect(world.tools.count == 2)
    #expect(world.library.count >= 6)
    #expect(world.workouts.count == 24)
    #expect(world.videos.count == 2)
    #expect(world.livestreams.count == 2)
    #expect(world.reviews > 200)
    #expect(world.matches >= 1)
    #expect(world.conversations >= 1 && world.messages >= 4)
    #expect(world.auctions.count == 1)
    #expect(!world.orders.isEmpty)
    #expect(world.letters.count == 2)
    #expect(world.reports == 1)
    // A portrait, four recordings and their covers.
    #expect(world.media.count >= 9)
    // The picture of every person is shown, and every beat is heard.
    let (artist, account) = try await run.signIn(.archived, output)
    let photo = try #require(account.details.photo)
    #expect(try await artist.send(MediaAPI.GetMedia(id: photo)).state == .ready)
    let listing = try #require(try await artist.send(CatalogAPI.ListListings()).items.first)
    #expect(try await artist.send(MediaAPI.GetMedia(id: listing.audio)).kind == .audio)
    let cover = try await artist.send(MediaAPI.GetMedia(id: try #require(listing.cover)))
    #expect(cover.kind == .image)
    #expect(cover.state == .ready)
    let auction = try #require(try await artist.send(OrdersAPI.ListAuctions()).items.first)
    #expect(auction.closesAt.seconds(since: auction.opensAt) <= 300)
    #expect(output.contains("shopkeeper"))
  }

  private func checkNothingIsLeft(of world: Contents, _ run: DemoRun, _ inspector: APIClient) async throws {
    let page = PageSize(checked: 100)
    #expect(try await run.api.send(CatalogAPI.ListProducts()).items.isEmpty)
    #expect(try await run.api.send(CatalogAPI.ListPosts()).items.isEmpty)
    #expect(try await run.api.send(CatalogAPI.ListTools()).items.isEmpty)
    #expect(try await inspector.send(CatalogAPI.ListContactMessages()).items.isEmpty)
    #expect(try await run.api.send(CatalogAPI.GetSite()).title == nil)
    #expect(!FileManager.default.fileExists(atPath: run.journal))
    // Services erase what they have of an account when they learn that it is gone.
    try await eventually("nothing of the people is left") {
      let listings = try await inspector.send(CatalogAPI.ListListings()).items
      let library = try await run.api.send(StudyAPI.SearchLibrary()).items
      var media = 0
      for id in Array(world.media) + world.videos where (try? await inspector.send(MediaAPI.GetMedia(id: id))) != nil {
        media += 1
      }
      let reports = try await inspector.send(StudyAPI.ListLibraryReports()).items
      let people = try await run.people(inspector)
      return people.isEmpty && listings.isEmpty && library.isEmpty && media == 0 && reports.isEmpty
    }
    // Payments stay in the books, without a name.
    try await eventually("orders have no names") {
      try await inspector.send(OrdersAPI.ListAllOrders(limit: page)).items.allSatisfy { $0.ownerID == nil }
    }
  }
}
