import BlobStorage
import Contracts
import Observability
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

struct PictureTests {
  private static let red: [UInt8] = [255, 0, 0], blue: [UInt8] = [0, 0, 255]

  // MARK: small pictures

  @Test(arguments: TestDatabase.allCases)
  func aProcessedPictureHasSmallOnesAndItsProperties(_ database: TestDatabase) async throws {
    try await PictureHost.run(database) { host in
      let ann = try await host.user("ann")
      let media = try await host.picture(by: ann)
      let shown = try await ann.client.send(MediaAPI.GetMedia(id: media))
      #expect(shown.state == .ready)
      #expect(shown.width == 400)
      #expect(shown.height == 200)
      #expect(try #require(shown.thumbHash).count > 20)
      let response = try await host.thumbnail(media, "?width=64")
      #expect(response.status == 200)
      #expect(response.header("content-type") == "image/jpeg")
      #expect(response.header("x-content-type-options") == "nosniff")
      let halves = try await host.halves(of: response.body)
      #expect(halves == [Self.red, Self.blue])
    }
  }

  @Test(arguments: [
    ("image/webp", "image/webp"), ("image/avif,image/webp;q=0.8,*/*", "image/webp"), ("*/*", "image/jpeg"),
    ("image/webp;q=0, image/*", "image/jpeg"), ("", "image/jpeg"),
  ])
  func theFormatIsChosenByAccept(_ accept: String, _ type: String) async throws {
    try await PictureHost.run { host in
      let media = try await host.picture(by: host.user("ann"))
      let response = try await host.thumbnail(media, accept: accept)
      #expect(response.header("content-type") == type)
      #expect(response.header("vary")?.lowercased().contains("accept") == true)
      #expect(try await host.thumbnail(media, "?format=webp").header("content-type") == "image/webp")
    }
  }

  @Test func theSizeIsTheNextOneUpAndNeverMoreThanThePictureHas() async throws {
    try await PictureHost.run { host in
      let media = try await host.picture(by: host.user("ann"))
      let files = try await host.core.database.read { db in try MediaFileStore.list(of: media, in: db) }
      for (width, name) in [(1, "64"), (64, "64"), (65, "160"), (321, "640"), (4000, "640")] {
        let response = try await host.thumbnail(media, "?width=\(width)&format=jpeg")
        let file = try #require(files.first { $0.name == "thumbnail-\(name).jpg" })
        #expect(response.header("etag") == "\"\(file.blob)\"")
      }
      #expect(try await host.thumbnail(media, "?width=0").status == 422)
    }
  }

  @Test func whatTheCallerHasIsNotSentAgain() async throws {
    try await PictureHost.run { host in
      let media = try await host.picture(by: host.user("ann"))
      let tag = try #require(try await host.thumbnail(media).header("etag"))
      let response = try await host.thumbnail(media, ifNoneMatch: tag)
      #expect(response.status == 304)
      #expect(response.body == [])
    }
  }

  @Test func onlyThoseWhoMayLoadThePictureSeeItsSmallOnes() async throws {
    try await PictureHost.run { host in
      let (ann, bea) = (try await host.user("ann"), try await host.user("bea"))
      let media = try await host.picture(by: ann, visibility: .owner)
      #expect(try await host.thumbnail(media, by: bea).status == 404)
      #expect(try await host.thumbnail(media).status == 404)
      let own = try await host.thumbnail(media, by: ann)
      #expect(own.status == 200)
      #expect(try #require(own.header("cache-control")).hasPrefix("private"))
      // Also with the small pictures in the cache.
      #expect(try await host.thumbnail(media, by: bea).status == 404)
      let link = try await ann.client.send(MediaAPI.LinkMedia(id: media, file: MediaFilePath(checked: "thumbnail")))
      #expect(try await host.test.send(.get, link.url).status == 200)
    }
  }

  @Test func aPictureThatBecomesPrivateIsNotSentMuchLonger() async throws {
    try await PictureHost.run { host in
      let ann = try await host.user("ann")
      let media = try await host.picture(by: ann)
      #expect(try #require(try await host.thumbnail(media).header("cache-control")).hasPrefix("public"))
      _ = try await ann.client.send(MediaAPI.UpdateMedia(id: media, visibility: .owner))
      host.test.time.advance(seconds: 6)
      #expect(try await host.thumbnail(media).status == 404)
    }
  }

  @Test func aPictureThatIsNotProcessedYetIsNotReady() async throws {
    try await PictureHost.run { host in
      let media = try await host.upload(by: host.user("ann"))
      #expect(try await host.thumbnail(media).status == 409)
    }
  }

  // MARK: the cache

  @Test func hitsAndMissesAreCounted() async throws {
    try await PictureHost.run { host in
      let media = try await host.picture(by: host.user("ann"))
      for _ in 0..<3 { #expect(try await host.thumbnail(media).status == 200) }
      let metrics = host.core.environment.metrics.text()
      #expect(metrics.contains("media_thumbnail_cache_hits_total 2\n"))
      #expect(metrics.contains("media_thumbnail_cache_misses_total 1\n"))
    }
  }

  @Test func picturesComeFromRedis() async throws {
    try await withRedis { url in
      try await PictureHost.run(settings: ["media.redis.url": url]) { host in
        let media = try await host.picture(by: host.user("ann"))
        let first = try await host.thumbnail(media), second = try await host.thumbnail(media)
        #expect(first.body == second.body)
        #expect(host.core.environment.metrics.text().contains("media_thumbnail_cache_hits_total 1\n"))
      }
    }
  }

  @Test func withoutRedisPicturesComeFromTheStorage() async throws {
    try await PictureHost.run(settings: ["media.redis.url": "redis://127.0.0.1:1"]) { host in
      let media = try await host.picture(by: host.user("ann"))
      #expect(try await host.thumbnail(media).status == 200)
    }
  }

  @Test func theMemoryOfTheCacheIsBounded() async throws {
    let cache = MemoryBlobCache(maxBytes: 100_000)
    let blobs = (0..<200).map { BlobHash(of: [UInt8($0)]) }
    for blob in blobs {
      await cache.keep(Array(repeating: 1, count: 1_000), of: blob)
      _ = await cache.find(blobs[0])
    }
    var kept: [Int] = []
    for (index, blob) in blobs.enumerated() where await cache.find(blob) != nil { kept.append(index) }
    #expect(kept == [0] + Array(122..<200))
    await cache.keep(Array(repeating: 1, count: 50_000), of: BlobHash(of: []))
    #expect(await cache.find(BlobHash(of: [])) == nil)
  }

  // MARK: cropping

  @Test(arguments: TestDatabase.allCases)
  func aCroppedPictureIsMadeAgain(_ database: TestDatabase) async throws {
    try await PictureHost.run(database) { host in
      let ann = try await host.user("ann")
      let media = try await host.picture(by: ann)
      let before = try await host.thumbnail(media, "?width=640")
      let cropped = try await ann.client.send(
        MediaAPI.CropPicture(id: media, rectangle: Self.rectangle(left: 220, width: 160, height: 160)))
      #expect(cropped.state == .uploaded)
      try await host.process(media)
      host.test.time.advance(seconds: 6)
      let after = try await host.thumbnail(media, "?width=640")
      #expect(after.header("etag") != before.header("etag"))
      let halves = try await host.halves(of: after.body)
      #expect(halves == [Self.blue, Self.blue])
      let shown = try await ann.client.send(MediaAPI.GetMedia(id: media))
      #expect(shown.width == 160)
      let crop = try await ann.client.send(MediaAPI.GetPictureCrop(id: media))
      #expect(crop.width == 400)
      #expect(crop.crop.rectangle == Self.rectangle(left: 220, width: 160, height: 160))
    }
  }

  @Test func smallPicturesOfTheUncroppedOneAreGone() async throws {
    try await PictureHost.run { host in
      let ann = try await host.user("ann")
      let media = try await host.picture(by: ann)
      _ = try await ann.client.send(
        MediaAPI.CropPicture(id: media, rectangle: Self.rectangle(left: 0, width: 50, height: 50)))
      try await host.process(media)
      let names = try await host.core.database.read { db in try MediaFileStore.list(of: media, in: db).map(\.name) }
      #expect(names == ["original", "picture.png", "thumbnail-64.jpg", "thumbnail-64.webp"])
    }
  }

  @Test func aRectangleOutsideThePictureIsRefused() async throws {
    try await PictureHost.run { host in
      let ann = try await host.user("ann")
      let media = try await host.picture(by: ann)
      let outside = MediaAPI.CropPicture(
        id: media, quarterTurns: QuarterTurns(checked: 1),
        rectangle: Self.rectangle(left: 100, width: 101, height: 10))
      let problem = try await problem { _ = try await ann.client.send(outside) }
      #expect(problem?.status == 422)
      let stored = try await host.core.database.read { db in try PictureStore.find(media, in: db) }
      #expect(stored?.crop == PictureCrop())
    }
  }

  @Test func onlyTheOwnerCrops() async throws {
    try await PictureHost.run { host in
      let (ann, bea) = (try await host.user("ann"), try await host.user("bea"))
      let media = try await host.picture(by: ann)
      let turn = MediaAPI.CropPicture(id: media, quarterTurns: QuarterTurns(checked: 2))
      #expect(try await problem { _ = try await bea.client.send(turn) }?.status == 404)
      #expect(try await problem { _ = try await bea.client.send(MediaAPI.GetPictureCrop(id: media)) }?.status == 404)
    }
  }

  @Test func aPictureThatIsNotProcessedCannotBeCropped() async throws {
    try await PictureHost.run { host in
      let ann = try await host.user("ann")
      let media = try await host.upload(by: ann)
      let turn = MediaAPI.CropPicture(id: media, quarterTurns: QuarterTurns(checked: 2))
      #expect(try await problem { _ = try await ann.client.send(turn) }?.status == 409)
    }
  }

  private static func rectangle(left: Int, width: Int, height: Int) -> PictureRectangle {
    PictureRectangle(
      left: PictureOffset(checked: left), top: PictureOffset(checked: 0), width: PictureLength(checked: width),
      height: PictureLength(checked: height))
  }
}
