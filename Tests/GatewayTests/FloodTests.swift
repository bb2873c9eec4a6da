import AuthService
import Contracts
import CurlClient
import Foundation
import HTTPServing
import HTTPTypes
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import GatewayService

/// The resources of the gateway that one host can occupy.
@Suite(.serialized)
struct FloodTests {
  // MARK: connections and streams

  @Test func connectionsOfAnAddressAreCapped() async throws {
    let settings = ["http.connectionsPerAddress": "5", "limits.read": "0/1"]
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], settings: settings) { _, web in
      let request = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
      var open: [RawConnection] = []
      for _ in 0..<5 {
        let connection = try RawConnection(to: web.url)
        connection.send(request)
        #expect(await connection.receive(until: "ok\n").hasPrefix("HTTP/1.1 200"))
        open.append(connection)
      }
      for _ in 0..<3 {
        let refused = try RawConnection(to: web.url)
        refused.send(request)
        let (text, isClosed) = await refused.receiveAll()
        #expect(text.isEmpty)
        #expect(isClosed)
      }
      // The private port has no cap, and counts them.
      let metrics = try await web.http.send(ClientRequest(origin: web.privateURL, target: "/metrics"))
      let text = String(decoding: try await metrics.body.collect(upTo: 10 << 20), as: UTF8.self)
      #expect(text.contains("http_connections_refused_total 3\n"))
      open.removeLast()
      try await eventually("there is room for another one") {
        let connection = try RawConnection(to: web.url)
        connection.send(request)
        return await connection.receive(until: "ok\n").hasPrefix("HTTP/1.1 200")
      }
    }
  }

  /// The connections of a proxy are those of many clients.
  @Test func connectionsOfProxiesAreNotCapped() async throws {
    let settings = ["http.connectionsPerAddress": "2"]
    try await EdgeClient.run(settings) { edge async throws in
      var open: [RawConnection] = []
      for _ in 0..<10 {
        let connection = try RawConnection(to: edge.web.url)
        connection.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await connection.receive(until: "ok\n").hasPrefix("HTTP/1.1 200"))
        open.append(connection)
      }
      #expect(open.count == 10)
    }
  }

  @Test func streamsOfANetworkAreCapped() async throws {
    try await EdgeClient.run(["realtime.streamsPerAddress": "3"], time: nil) { edge async throws in
      func open(_ address: String) async throws -> ClientResponse {
        // Everyone is another guest: the limit of a user does not matter.
        try await edge.web.http.send(
          ClientRequest(
            origin: edge.web.url, target: "/v1/events",
            headers: [
              .authorization: "Bearer \(try await edge.guest())", EdgeClient.name("X-Forwarded-For"): address,
            ], delivery: .streaming, timeouts: .init(firstByte: Waiting.limit, total: nil)))
      }
      let hub = try edge.test.realtime.hub
      var streams: [ClientResponse] = []
      for number in 1...3 {
        streams.append(try await open("2001:db8::\(number)"))
        try await eventually("the stream is open") { hub.count == number }
      }
      let refused = try await open("2001:db8::4")
      #expect(refused.status == 429)
      #expect(refused.headers[.retryAfter] == "30")
      streams.append(try await open("192.0.2.1"))
      #expect(streams.map(\.status) == [200, 200, 200, 200])
      // A stream that ends makes room.
      streams.removeFirst()
      try await eventually("there is room") { try await open("2001:db8::5").status == 200 }
    }
  }

  // MARK: refusals

  @Test func whoeverDoesNotStopIsDisconnected() async throws {
    let settings = ["limits.read": "1/3600"]
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], settings: settings, time: ManualTime()) {
      _, web in
      let connection = try RawConnection(to: web.url)
      connection.send(String(repeating: "GET /v1/fitness-levels HTTP/1.1\r\nHost: a\r\n\r\n", count: 60))
      let (text, isClosed) = await connection.receiveAll()
      #expect(isClosed)
      // The first is served; thirty are only refused.
      #expect(text.ranges(of: "HTTP/1.1 200 ").count == 1)
      #expect(text.ranges(of: "HTTP/1.1 429 ").count == 31)
      #expect(text.ranges(of: "Connection: close").count == 1)
    }
  }

  // MARK: uploads

  /// Only so many bodies of each network are passed on at the same time.
  @Test func slowUploadsLeavePlacesForOthers() throws {
    let uploads = Uploads()
    func context(_ address: String) -> RequestContext { DownloadSlotsTests.context(address) }
    var slots: [TransferSlots.Slot] = []
    while let slot = try? uploads.slot(for: context("2001:db8:1:1::\(slots.count)"), of: "media-index") {
      slots.append(slot)
    }
    #expect(slots.count == Uploads.perNetwork)
    let problem = #expect(throws: Problem.self) {
      try uploads.slot(for: context("2001:db8:1:1::1"), of: "media-index")
    }
    #expect(problem?.status == 503)
    #expect(problem?.headers["Connection"] == "close")
    slots.append(try uploads.slot(for: context("192.0.2.1"), of: "media-index"))
    // Another service has its own.
    slots.append(try uploads.slot(for: context("2001:db8:1:1::1"), of: "study-sync"))
    slots.removeFirst()
    slots.append(try uploads.slot(for: context("2001:db8:1:1::1"), of: "media-index"))
  }

  /// A service is not even connected to before a body of unknown length has arrived or is large.
  @Test func slowBodiesDoNotOccupyServices() async throws {
    let requests = Counter()
    let operation = Contracts.Operation.put(
      "/v1/auth/blob", "Put", access: .anyone, limits: .init(bodyBytes: 1 << 20), accepts: .raw)
    var description = try ServiceDescription(of: AuthAPI.self)
    description.operations.append(PublicOperation(operation))
    for index in description.operations.indices { description.operations[index].seconds = Waiting.limit }
    let described = String(
      decoding: try WireJSON.encode(DescriptionAPI.Answer(version: "1", description: description)), as: UTF8.self)
    let upstream = try ScriptedServer { connection in
      while true {
        let head = connection.readHead()
        if head.isEmpty { return }
        if head.contains("/v1/auth/blob") { requests.add() }
        let length = head.firstMatch(of: /(?i)content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
        let body = String(decoding: connection.readBody(length), as: UTF8.self)
        if head.contains("/v1/auth/blob") {
          connection.answer("received \(body)")
        } else {
          let isDescription = head.contains(DescriptionAPI.Describe.operation.path.description)
          connection.answer(isDescription ? described : #"{"items":[],"next":"2026-01-01T00:00:00.000Z"}"#)
        }
      }
    }
    defer { upstream.stop() }
    try await TestPlatform.listen([GatewayPlugin.self], settings: ["services.auth.url": upstream.origin]) { _, web in
      try await web.client.waitForServices()
      let slow = try (0..<20).map { _ in
        let connection = try RawConnection(to: web.url)
        connection.send("PUT /v1/auth/blob HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nslow\r\n")
        return connection
      }
      // Requests behind those that do not end.
      for _ in 0..<3 {
        let whole = try await web.http.send(
          ClientRequest(.put, origin: web.url, target: "/v1/auth/blob", body: .bytes(Array("whole".utf8))))
        #expect(try await whole.body.collect(upTo: 100) == Array("received whole".utf8))
      }
      #expect(requests.value == 3)
      slow[0].send("0\r\n\r\n")
      #expect(await slow[0].receive(until: "received slow").contains("received slow"))
      #expect(requests.value == 4)
    }
  }

  // MARK: crash reports

  private func report(_ edge: EdgeClient, from address: String, _ text: String = "crash") async throws -> ClientResponse
  {
    try await edge.send(
      .post, "/v1/crash-reports", from: address,
      body: #"{"app":"keepfit","version":"1.0","device":"iPhone14,2","text":"\#(text)"}"#)
  }

  @Test(arguments: TestDatabase.allCases)
  func crashReportsAreLimitedByNetworkAndDay(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await database.withSettings { settings in
      let all = settings.merging(["crashes.perAddress": "3/86400"]) { $1 }
      try await EdgeClient.run(all, time: time) { edge async throws in
        var statuses: [Int] = []
        for number in 1...5 { statuses.append(try await report(edge, from: "2001:db8::\(number)").status) }
        #expect(statuses == [201, 201, 201, 429, 429])
        #expect(try await report(edge, from: "192.0.2.1").status == 201)
        let stored = try await edge.test.database(of: GatewayAPI.self).read {
          try $0.count("SELECT COUNT(*) FROM crash_reports")
        }
        #expect(stored == 4)
        time.advance(seconds: 28_800)
        #expect(try await report(edge, from: "2001:db8::9").status == 201)
      }
    }
  }

  /// A flood from ever new networks replaces old reports; it never takes more of the disk.
  @Test(arguments: TestDatabase.allCases)
  func crashReportsHaveAQuota(_ database: TestDatabase) async throws {
    try await database.withSettings { settings in
      try await EdgeClient.run(settings.merging(["crashes.megabytes": "1"]) { $1 }) { edge async throws in
        let text = String(repeating: "x", count: 40_000)
        for number in 1...40 { #expect(try await report(edge, from: "192.0.2.\(number)", text).status == 201) }
        let (count, size, noted) = try await edge.test.database(of: GatewayAPI.self).read { db in
          (
            try db.count("SELECT COUNT(*) FROM crash_reports"),
            try db.count("SELECT CAST(SUM(bytes) AS BIGINT) FROM crash_reports"), try CrashReportStore.size(in: db)
          )
        }
        #expect(count == 26)
        #expect(size <= 1 << 20)
        #expect(noted == size)
      }
    }
  }

  /// When the maximum is lowered, very many reports may have to go.
  @Test(arguments: TestDatabase.allCases)
  func aCrashReportDoesNotWaitForAllThatExceedTheQuota(_ database: TestDatabase) async throws {
    // Without workers, which would delete the reports as soon as they start.
    let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self]
    let settings = ["crashes.megabytes": "1"]
    try await TestPlatform.run(plugins, settings: settings, database: database) { test async throws in
      let stored = try test.database(of: GatewayAPI.self)
      let ids = IDGenerator()
      let (count, bytes) = (5000, 1000)
      try await stored.write { tx in
        for _ in 0..<count {
          let id: CrashReportID = ids.make()
          try tx.execute(
            """
            INSERT INTO crash_reports (id, app, version, device, text, bytes, reported_at)
            VALUES (\(id), \(ClientApp.web), '1', 'Pixel', 'crash', \(bytes), \(tx.now))
            """
          )
        }
        try tx.execute("UPDATE crash_report_size SET bytes = \(count * bytes)")
      }
      func left() async throws -> Int {
        try await stored.read { db in try db.count("SELECT COUNT(*) FROM crash_reports") }
      }
      let report = GatewayAPI.ReportCrash(
        app: .keepfit, version: try ShortText(validating: "1.0"), device: try ShortText(validating: "iPhone14,2"),
        text: try CrashText(validating: "crash"))
      _ = try await test.client.send(report)
      #expect(try await left() == count - 1000 + 1)
      try await test.plugin(GatewayPlugin.self).runOnce("crash-reports.purge")
      let (size, noted) = try await stored.read { db in
        (try db.count("SELECT CAST(SUM(bytes) AS BIGINT) FROM crash_reports"), try CrashReportStore.size(in: db))
      }
      #expect(size <= 1 << 20)
      #expect(size > (1 << 20) - 2 * bytes)
      #expect(noted == size)
    }
  }
}
