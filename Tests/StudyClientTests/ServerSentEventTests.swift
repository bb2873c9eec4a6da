import TestKit
import Testing

@testable import StudyClient

struct ServerSentEventTests {
  private static let stream = """
    \u{FEFF}id: 7\nretry: 2500\n\n: alive\n\nevent: topics\ndata: {"a":1}\n\nevent:changed\r\ndata\r\n\r\n\
    data: one\rdata:  two\rid: 8\r\rdata: incomplete
    """

  private static let events = [
    ServerSentEvent(name: "topics", data: #"{"a":1}"#, id: "7"), ServerSentEvent(name: "changed", data: "", id: "7"),
    ServerSentEvent(name: "message", data: "one\n two", id: "8"),
  ]

  @Test func eventsAreReadInAnyPortions() throws {
    var generator = SeededGenerator()
    for _ in 0..<200 {
      var parser = ServerSentEventParser()
      var rest = Array(Self.stream.utf8)[...]
      var events: [ServerSentEvent] = []
      while !rest.isEmpty {
        let count = Int.random(in: 1...min(rest.count, 12), using: &generator)
        events += try parser.read(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(events == Self.events, "\(generator)")
      #expect(parser.retryMilliseconds == 2500)
    }
  }

  @Test func anEndlessLineEndsTheStream() {
    var parser = ServerSentEventParser()
    #expect(throws: ServerSentEventParser.LineTooLong.self) {
      for _ in 0..<1100 { _ = try parser.read([UInt8](repeating: 65, count: 1024)) }
    }
  }
}
