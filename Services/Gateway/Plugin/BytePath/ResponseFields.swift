import HTTPServing
import HTTPTypes
import NIOCore
import NIOHTTP1
import ServiceKit
import WebClient

/// The fields that the gateway adds to every answer, as the bytes that are sent.
struct ResponseFields: Sendable {
  private let cors: CORS
  private let always: ByteBuffer
  private let policyOfData: ByteBuffer
  private let transportSecurity: ByteBuffer
  private let exposed: ByteBuffer

  init(cors: CORS) {
    func lines(_ fields: [(String, String)]) -> ByteBuffer {
      ByteBuffer(string: fields.map { "\($0): \($1)\r\n" }.joined())
    }
    self.cors = cors
    always = lines(ConstantFields.always.map { ($0.name.rawName, $0.value) })
    policyOfData = lines([(ConstantFields.policyOfData.name.rawName, ConstantFields.policyOfData.value)])
    transportSecurity = lines([("Strict-Transport-Security", Edge.transportSecurity)])
    exposed = lines([("Access-Control-Expose-Headers", CORS.exposed)])
  }

  /// The facts that a response states about itself.
  struct Facts {
    var hasContentPolicy = false
    var hasCacheControl = false
  }

  func write(_ facts: Facts, _ request: ByteRequest, _ limit: RateLimiter.Outcome?, to head: inout ByteBuffer) {
    head.writeStaticString("X-Request-ID: ")
    head.writeString(request.id)
    head.writeStaticString("\r\n")
    if let limit {
      head.writeStaticString("RateLimit-Policy: ")
      head.writeString(limit.policyValue)
      head.writeStaticString("\r\nRateLimit: ")
      head.writeString(limit.value)
      head.writeStaticString("\r\n")
    }
    if !cors.origins.isEmpty {
      head.writeStaticString("Vary: Origin\r\n")
      if let origin = request.origin, cors.allows(origin) {
        head.writeStaticString("Access-Control-Allow-Origin: ")
        head.writeString(cors.origins.contains("*") ? "*" : origin)
        head.writeStaticString("\r\n")
        head.writeImmutableBuffer(exposed)
      }
    }
    head.writeImmutableBuffer(always)
    if !facts.hasContentPolicy { head.writeImmutableBuffer(policyOfData) }
    if request.isSecure { head.writeImmutableBuffer(transportSecurity) }
    // Tokens are in the responses of auth. What does not say that it may be kept is personal, or may become so.
    if request.route.setsCaching || !facts.hasCacheControl { head.writeStaticString("Cache-Control: no-store\r\n") }
  }

  /// The whole head of a file's answer.
  func head(of file: WebFile.Form, isSecure: Bool, date: String, closes: Bool, to head: inout ByteBuffer) {
    Self.statusLine(200, to: &head)
    head.writeImmutableBuffer(file.lines)
    head.writeImmutableBuffer(always)
    if isSecure { head.writeImmutableBuffer(transportSecurity) }
    Self.end(&head, date: date, closes: closes)
  }

  /// Ends a head.
  static func end(_ head: inout ByteBuffer, date: String, closes: Bool) {
    head.writeStaticString("Date: ")
    head.writeString(date)
    head.writeStaticString(closes ? "\r\nConnection: close\r\n\r\n" : "\r\n\r\n")
  }

  static func statusLine(_ status: Int, to head: inout ByteBuffer) {
    if status == 200 { return _ = head.writeStaticString("HTTP/1.1 200 OK\r\n") }
    head.writeStaticString("HTTP/1.1 ")
    head.writeString(String(status))
    head.writeStaticString(" ")
    head.writeString(HTTPResponseStatus(statusCode: status).reasonPhrase)
    head.writeStaticString("\r\n")
  }
}
