import Contracts
import GatewayService
import ServiceKit
import TestKit
import Testing

/// Callers of the byte path that do not read, or read late.
@Suite(.serialized)
struct SlowReaderTests {
  private static let path = "/v1/auth/blob"
  /// The length of an answer: more than the systems and the gateway's channel hold, but not so much that it needs a
  /// slot.
  private static let length = 250_000

  private static let operations: [Contracts.Operation] = [
    .get("/v1/auth/blob", "Get", access: .anyone),
    .put("/v1/auth/blob", "Put", access: .anyone, limits: .init(bodyBytes: 1000), accepts: .raw),
  ]

  /// - Parameter answered: Counts the answers that the gateway has received completely.
  private func run(_ answered: Counter, _ body: (_ url: String) async throws -> Void) async throws {
    var description = try ServiceDescription(of: AuthAPI.self)
    description.operations += Self.operations.map { PublicOperation($0) }
    for index in description.operations.indices { description.operations[index].seconds = Waiting.limit }
    let known = DescriptionAPI.Answer(version: "1", description: description)
    let described = String(decoding: try WireJSON.encode(known), as: UTF8.self)
    let upstream = try ScriptedServer { connection in
      while true {
        let head = connection.readHead()
        if head.isEmpty { return }
        if head.contains(Self.path) {
          let isSmall = head.contains("?small")
          connection.answer(isSmall ? "small" : String(repeating: "x", count: Self.length), closes: true)
          // The gateway closes the connection when it has received the answer.
          connection.waitForClose()
          return answered.add()
        }
        let length = head.firstMatch(of: /(?i)content-length: (\d+)/).flatMap { Int($0.1) }
        connection.readBody(length ?? 0)
        let isDescription = head.contains(DescriptionAPI.Describe.operation.path.description)
        connection.answer(isDescription ? described : #"{"items":[],"keys":[],"next":"2026-01-01T00:00:00.000Z"}"#)
      }
    }
    defer { upstream.stop() }
    let settings = [
      "services.auth.url": upstream.origin, "edge.fast": "true", "http.writeSeconds": "3600", "limits.read": "0/1",
      "shutdown.seconds": "600",
    ]
    try await TestPlatform.listen([GatewayPlugin.self], settings: settings) { _, web in
      try await web.client.waitForServices()
      try await body(web.url)
    }
  }

  private static let get = "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n"
  private static let last = "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  /// Otherwise a few callers could take all connections to a service, with responses that need no slot.
  @Test func responsesWithoutASlotAreBufferedWhetherTheyAreReadOrNot() async throws {
    let answered = Counter()
    try await run(answered) { url async throws in
      let connection = try RawConnection(to: url, isNarrow: true)
      connection.send(Self.last)
      try await eventually("the gateway has the answer") { answered.value == 1 }
      let answers = PlainAnswer.all(in: await connection.receiveAll().text)
      #expect(answers.map(\.body.utf8.count) == [Self.length])
    }
  }

  /// Answers do not pile up in memory: the next request waits until the last answer has been read, but for a rest.
  @Test func pipelinedRequestsWaitForTheirReader() async throws {
    let answered = Counter()
    try await run(answered) { url async throws in
      let connection = try RawConnection(to: url, isNarrow: true)
      connection.send(String(repeating: Self.get, count: 20) + Self.last)
      #expect(try await standstill(of: "answers") { answered.value } == 1)
      let answers = PlainAnswer.all(in: await connection.receiveAll().text)
      #expect(answers.map(\.body.utf8.count) == Array(repeating: Self.length, count: 21))
      try await eventually("the gateway has all answers") { answered.value == 21 }
    }
  }

  /// The end of the caller's input, after nothing or in a later request, does not cut the answer that is still on its way.
  @Test(arguments: ["", "PUT /v1/auth/blob HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12"])
  func answersAreCompleteWhenTheCallerSendsNoMore(rest: String) async throws {
    let answered = Counter()
    try await run(answered) { url async throws in
      let connection = try RawConnection(to: url, isNarrow: true)
      connection.send(Self.get + rest)
      connection.closeOutput()
      try await eventually("the gateway has the answer") { answered.value == 1 }
      let (text, isClosed) = await connection.receiveAll()
      #expect(isClosed)
      #expect(PlainAnswer.all(in: text).map(\.body.utf8.count) == [Self.length])
    }
  }

  /// Nor does a shutdown that begins after the head of the answer.
  @Test func answersAreCompleteWhenTheGatewayStops() async throws {
    let answered = Counter()
    var received: Task<(text: String, isClosed: Bool), Never>?
    try await run(answered) { url async throws in
      let narrow = try RawConnection(to: url, isNarrow: true)
      narrow.send(Self.get)
      try await eventually("the gateway has the answer") { answered.value == 1 }
      received = Task {
        try? await eventually("the gateway stops") { (try? RawConnection(to: url)) == nil }
        return await narrow.receiveAll()
      }
    }
    let (text, isClosed) = try #require(await received?.value)
    #expect(isClosed)
    #expect(PlainAnswer.all(in: text).map(\.body.utf8.count) == [Self.length])
  }

  /// A head that is on its way when the gateway stops is that of a last request.
  @Test func aRequestThatHasBegunIsAnsweredWhenTheGatewayStops() async throws {
    var received: Task<String, Never>?
    try await run(Counter()) { url async throws in
      let get = "GET \(Self.path)?small HTTP/1.1\r\nHost: a\r\n\r\n"
      let connection = try RawConnection(to: url)
      connection.send(get + get.prefix(20))
      let first = await connection.receive(until: "\r\n\r\nsmall")
      received = Task {
        try? await eventually("the gateway stops") { (try? RawConnection(to: url)) == nil }
        connection.send(String(get.dropFirst(20)))
        return first + (await connection.receiveAll().text)
      }
    }
    let text = try #require(await received?.value)
    #expect(PlainAnswer.all(in: text).map(\.body) == ["small", "small"])
  }
}
