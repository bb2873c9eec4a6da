import CCurl
import Dispatch
import Synchronization

/// Sends mail by SMTP (RFC 5321) through libcurl, several messages at a time. Each connection to the server is reused,
/// and a further one is opened only while the others are busy.
public final class SMTPClient: Sendable {
  /// The server's address, credentials and connection options.
  public struct Server: Sendable {
    /// `smtp://host:port`, or `smtps://host:port` for TLS from the first byte.
    public var url: String
    public var username: String?
    public var password: String?
    /// Whether `smtp:` requires STARTTLS; otherwise it is used when the server offers it.
    public var requiresTLS: Bool
    /// PEM file of trusted certificate authorities; `nil` for the system's.
    public var authoritiesFile: String?
    /// Timeout for one message, in seconds.
    public var seconds: Double

    public init(
      url: String,
      username: String? = nil,
      password: String? = nil,
      requiresTLS: Bool = true,
      authoritiesFile: String? = nil,
      seconds: Double = 30
    ) {
      self.url = url
      self.username = username
      self.password = password
      self.requiresTLS = requiresTLS
      self.authoritiesFile = authoritiesFile
      self.seconds = seconds
    }
  }

  private let server: Server
  private let lanes: [Lane]
  /// How many messages each lane has to send.
  private let waiting: Mutex<[Int]>

  /// A connection and the queue on which it is used.
  private struct Lane: Sendable {
    let queue = DispatchQueue(label: "quintet.smtp")
    let connection = Connection()
  }

  /// The libcurl handle. Unchecked: only its lane's queue accesses it.
  private final class Connection: @unchecked Sendable {
    let easy = curl_easy_init()
    deinit { curl_easy_cleanup(easy) }
  }

  /// - Parameter connections: How many messages are sent at once; further ones wait.
  public init(_ server: Server, connections: Int = 1) {
    self.server = server
    lanes = (0..<connections).map { _ in Lane() }
    waiting = Mutex(Array(repeating: 0, count: connections))
  }

  /// Sends a message.
  ///
  /// - Parameters:
  ///   - sender: The envelope sender.
  ///   - recipient: The envelope recipient.
  ///   - message: Headers and body in RFC 5322 format, with CR LF line endings.
  /// - Throws: ``ClientError``; ``ClientError/Reason/refused`` when the server permanently rejects the message.
  public func send(from sender: String, to recipient: String, message: [UInt8]) async throws(ClientError) {
    // The first one that is free, so that a few messages share one connection.
    let number = waiting.withLock { waiting in
      let number = waiting.indices.min { waiting[$0] < waiting[$1] } ?? 0
      waiting[number] += 1
      return number
    }
    let lane = lanes[number]
    let failure = await withCheckedContinuation { continuation in
      lane.queue.async { [server] in
        continuation.resume(returning: Self.send(message, from: sender, to: recipient, server, lane.connection))
      }
    }
    waiting.withLock { $0[number] -= 1 }
    if let failure { throw failure }
  }

  private static func send(
    _ message: [UInt8],
    from sender: String,
    to recipient: String,
    _ server: Server,
    _ connection: Connection
  ) -> ClientError? {
    let addresses = [sender, recipient]
    // Reject control characters: an address with a line break could inject a command.
    guard let easy = connection.easy, addresses.allSatisfy({ $0.utf8.allSatisfy { $0 > 32 && $0 != 127 } }) else {
      return ClientError(.invalidRequest, mayHaveRun: false)
    }
    defer { curl_easy_reset(easy) }
    let recipients = curl_slist_append(nil, "<\(recipient)>")
    defer { curl_slist_free_all(recipients) }
    var rest = message[...]
    ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps")
    ccurl_set_string(easy, CURLOPT_PROXY, "")
    ccurl_set_string(easy, CURLOPT_URL, server.url)
    ccurl_set_long(easy, CURLOPT_USE_SSL, Int(server.requiresTLS ? CURLUSESSL_ALL.rawValue : CURLUSESSL_TRY.rawValue))
    if let file = server.authoritiesFile { ccurl_set_string(easy, CURLOPT_CAINFO, file) }
    if let username = server.username { ccurl_set_string(easy, CURLOPT_USERNAME, username) }
    if let password = server.password { ccurl_set_string(easy, CURLOPT_PASSWORD, password) }
    ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, 10_000)
    ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, Int(server.seconds * 1000))
    ccurl_set_string(easy, CURLOPT_MAIL_FROM, "<\(sender)>")
    ccurl_set_list(easy, CURLOPT_MAIL_RCPT, recipients)
    ccurl_set_long(easy, CURLOPT_UPLOAD, 1)
    let result = withUnsafeMutablePointer(to: &rest) { rest in
      ccurl_set_pointer(easy, CURLOPT_READDATA, rest)
      ccurl_set_transfer(easy, CURLOPT_READFUNCTION) { target, size, count, rest in
        guard let target, let rest = rest?.assumingMemoryBound(to: ArraySlice<UInt8>.self) else {
          return Int(CURL_READFUNC_ABORT)
        }
        let room = UnsafeMutableRawBufferPointer(start: target, count: size * count)
        let piece = rest.pointee.prefix(room.count)
        room.copyBytes(from: piece)
        rest.pointee = rest.pointee.dropFirst(piece.count)
        return piece.count
      }
      return curl_easy_perform(easy)
    }
    return error(result, easy)
  }

  private static func error(_ result: CURLcode, _ easy: UnsafeMutableRawPointer) -> ClientError? {
    if result == CURLE_OK { return nil }
    var code = 0
    ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &code)
    // Only libcurl's message, because a server's reply often contains the address.
    let detail = String(cString: curl_easy_strerror(result)) + (code > 0 ? " (\(code))" : "")
    switch result {
    case CURLE_COULDNT_RESOLVE_HOST: return ClientError(.couldNotResolve, mayHaveRun: false, detail)
    case CURLE_COULDNT_CONNECT: return ClientError(.couldNotConnect, mayHaveRun: false, detail)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_USE_SSL_FAILED:
      return ClientError(.tlsFailed, mayHaveRun: false, detail)
    case CURLE_OPERATION_TIMEDOUT: return ClientError(.timedOut, mayHaveRun: true, detail)
    // RFC 5321 §4.2.1: 5yz is permanent. 530 to 538 are authentication errors, which the operator must fix.
    case _ where (550...559).contains(code): return ClientError(.refused, mayHaveRun: false, detail)
    default: return ClientError(.badResponse, mayHaveRun: true, detail)
    }
  }
}
