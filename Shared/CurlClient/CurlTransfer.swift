import CCurl
import HTTPTypes
import NIOCore
import Timing

/// One attempt of one request, on the loop's thread. It must outlive the use of its handle because libcurl's callbacks
/// hold an unretained pointer to it until the handle is reset.
final class CurlTransfer {
  let submission: CurlLoop.Submission
  let easy: UnsafeMutableRawPointer
  private let loop: CurlLoop
  /// Unowned because it owns its transfers and outlives them.
  private unowned let owner: CurlLoopState
  private var continuation: CheckedContinuation<ClientResponse, any Error>?
  private var list: UnsafeMutablePointer<curl_slist>?
  private var addressList: UnsafeMutablePointer<curl_slist>?

  private var status = 0
  private var fields = HTTPFields()
  private var isHeadComplete = false
  private var body = ByteBuffer()
  private var received = 0
  private var stream: ResponseBuffer?
  private var failure: ClientError?
  private var wasSent = false
  private var isUploadComplete = false
  private var sent = 0
  /// The port of the connection at this end while the sender of the body has nothing.
  private(set) var pausedPort: Int?
  private var localPort: Int?
  private var isClosedByPeer = false
  /// Whether all of the response has come before the end of the request's body, which is not awaited then. libcurl
  /// reads that to its end, and waits for it while the upload is paused.
  var isAnsweredEarly: Bool {
    guard submission.upload != nil, !isUploadComplete, isHeadComplete, fields[.contentEncoding] == nil else {
      return false
    }
    if request.method == .head || status == 204 || status == 304 { return true }
    return fields[.contentLength].flatMap { Int($0) } == received
  }
  /// Whether only the origin can be the cause of a delay.
  var waitsForOrigin: Bool { (submission.upload == nil || isUploadComplete) && stream == nil }
  /// The deadline of the response head, in seconds; extended while a body is sent, none while its sender waits.
  private(set) var firstByteDeadline: Double?

  init(
    _ submission: CurlLoop.Submission,
    easy: UnsafeMutableRawPointer,
    loop: CurlLoop,
    owner: CurlLoopState,
    startedAt: Double
  ) {
    self.submission = submission
    self.easy = easy
    self.loop = loop
    self.owner = owner
    continuation = submission.continuation
    firstByteDeadline = submission.request.timeouts.firstByte.map { startedAt + $0 }
  }

  var id: Int { submission.id }
  private var request: ClientRequest { submission.request }

  static func of(easy: UnsafeMutableRawPointer) -> CurlTransfer? {
    var pointer: UnsafeMutableRawPointer?
    ccurl_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
    return pointer.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
  }

  // MARK: options

  func configure(_ configuration: CurlClient.Configuration, _ sockets: OpenSockets) -> CURLcode {
    let me = Unmanaged.passUnretained(self).toOpaque()
    sockets.watch(easy)
    ccurl_set_pointer(easy, CURLOPT_PRIVATE, me)
    ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    ccurl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
    ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    ccurl_set_string(easy, CURLOPT_PROXY, configuration.proxy ?? "")
    ccurl_set_long(easy, CURLOPT_MAXAGE_CONN, configuration.idleConnectionSeconds)
    ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, Int(request.timeouts.connect * 1000))
    if let deadline = submission.deadline {
      ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, Int(max(1, min(1e9, (deadline - MonotonicClock.now()) * 1000))))
    }
    if let stall = request.timeouts.stall {
      ccurl_set_long(easy, CURLOPT_LOW_SPEED_LIMIT, 1)
      ccurl_set_long(easy, CURLOPT_LOW_SPEED_TIME, max(1, Int(stall)))
    }
    if submission.isRetry { ccurl_set_long(easy, CURLOPT_FRESH_CONNECT, 1) }
    if request.redirects > 0 {
      ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 1)
      ccurl_set_long(easy, CURLOPT_MAXREDIRS, request.redirects)
    }
    if request.decompresses { ccurl_set_string(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate") }
    setProtocolAndTrust(configuration)
    setCallbacks(me)
    setMethodAndBody()
    setHeaders()
    if let address = request.address {
      addressList = curl_slist_append(nil, "::\(address)")
      ccurl_set_list(easy, CURLOPT_CONNECT_TO, addressList)
    }
    return ccurl_set_string(easy, CURLOPT_URL, request.origin + request.target)
  }

  private func setProtocolAndTrust(_ configuration: CurlClient.Configuration) {
    let isHTTP2 = configuration.usesHTTP2 && request.origin.hasPrefix("https:")
    ccurl_set_long(easy, CURLOPT_HTTP_VERSION, isHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
    // Otherwise a burst opens a connection for each request instead of sharing one.
    if isHTTP2 { ccurl_set_long(easy, CURLOPT_PIPEWAIT, 1) }
    if let file = configuration.authoritiesFile {
      ccurl_set_string(easy, CURLOPT_CAINFO, file)
      // Otherwise the system's folder of authorities is trusted besides.
      ccurl_set_string(easy, CURLOPT_CAPATH, nil)
    }
    if let identity = configuration.identity {
      ccurl_set_string(easy, CURLOPT_SSLCERT, identity.certificateFile)
      ccurl_set_string(easy, CURLOPT_SSLKEY, identity.keyFile)
    }
  }

  private func setCallbacks(_ me: UnsafeMutableRawPointer) {
    ccurl_set_transfer(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, me in
      guard let bytes, let me else { return 0 }
      let transfer = Unmanaged<CurlTransfer>.fromOpaque(me).takeUnretainedValue()
      transfer.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
      return size * count
    }
    ccurl_set_pointer(easy, CURLOPT_HEADERDATA, me)
    ccurl_set_transfer(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, me in
      guard let bytes, let me else { return 0 }
      let transfer = Unmanaged<CurlTransfer>.fromOpaque(me).takeUnretainedValue()
      return transfer.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    ccurl_set_pointer(easy, CURLOPT_WRITEDATA, me)
    // libcurl resends a request by itself when a reused connection is closed without a response.
    ccurl_set_prereq(easy) { me, _, _, _, localPort in
      guard let me else { return CURL_PREREQFUNC_ABORT }
      let transfer = Unmanaged<CurlTransfer>.fromOpaque(me).takeUnretainedValue()
      return transfer.maySend(from: Int(localPort)) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
    ccurl_set_pointer(easy, CURLOPT_PREREQDATA, me)
    if submission.upload != nil {
      ccurl_set_transfer(easy, CURLOPT_READFUNCTION) { bytes, size, count, me in
        guard let bytes, let me else { return Int(CURL_READFUNC_ABORT) }
        let transfer = Unmanaged<CurlTransfer>.fromOpaque(me).takeUnretainedValue()
        return transfer.sendBody(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
      }
      ccurl_set_pointer(easy, CURLOPT_READDATA, me)
    }
  }

  private func setMethodAndBody() {
    switch request.body {
    case _ where request.method == .head: ccurl_set_long(easy, CURLOPT_NOBODY, 1)
    case .none where request.method == .post:
      ccurl_set_long(easy, CURLOPT_POST, 1)
      ccurl_set_long(easy, CURLOPT_POSTFIELDSIZE, 0)
      ccurl_set_string(easy, CURLOPT_COPYPOSTFIELDS, "")
    case .none: break
    case .bytes(let body):
      ccurl_set_long(easy, CURLOPT_POST, 1)
      ccurl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      body.withUnsafeBytes { bytes in
        _ = ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      }
    case .stream(let length, _):
      ccurl_set_long(easy, CURLOPT_POST, 1)
      ccurl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(length ?? -1))
    }
    if request.method != .head { ccurl_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
  }

  private func setHeaders() {
    var hasContentType = false
    var hasAccept = false
    for field in request.headers {
      if field.name == .contentType { hasContentType = true }
      if field.name == .accept { hasAccept = true }
      // libcurl's syntax for a header without a value.
      append(field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)")
    }
    // An empty header removes libcurl's default.
    switch request.body {
    case .none: if request.method == .post, !hasContentType { append("Content-Type:") }
    case .bytes, .stream:
      append("Expect:")
      if !hasContentType { append("Content-Type:") }
      if case .stream(nil, _) = request.body { append("Transfer-Encoding: chunked") }
    }
    if !hasAccept { append("Accept:") }
    ccurl_set_list(easy, CURLOPT_HTTPHEADER, list)
  }

  private func append(_ line: String) { list = curl_slist_append(list, line) ?? list }

  func releaseList() {
    curl_slist_free_all(list)
    curl_slist_free_all(addressList)
    list = nil
    addressList = nil
  }

  // MARK: callbacks

  /// Called each time before the request is sent.
  private func maySend(from localPort: Int) -> Bool {
    defer { wasSent = true }
    self.localPort = localPort
    if !wasSent || request.isRepeatable || request.redirects > 0 { return true }
    failure = ClientError(.connectionLost, mayHaveRun: true, "the connection was closed before a response")
    return false
  }

  private func receiveHeader(_ line: UnsafeRawBufferPointer) {
    if isHeadComplete { return }  // trailers
    if line.starts(with: "HTTP/".utf8) {
      // Anything other than three digits is invalid; status 0 is reported as a bad response.
      let digits = line.dropFirst(5).drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
      status = Int(String(decoding: digits, as: UTF8.self)).flatMap { (100...999).contains($0) ? $0 : nil } ?? 0
      fields = HTTPFields()
    } else if line.count <= 2 {
      guard status >= 200, !willBeFollowed else { return }
      isHeadComplete = true
      firstByteDeadline = nil
      if submission.upload != nil, !isUploadComplete { owner.answerPrecedesUpload(self) }
      if request.delivery == .streaming { owner.headIsReady(self) }
    } else if let field = HeaderLine.parse(line) {
      fields.append(field)
    }
  }

  private var willBeFollowed: Bool {
    request.redirects > 0 && (300..<400).contains(status) && fields[.location] != nil
  }

  private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    received += bytes.count
    if isAnsweredEarly { owner.answerPrecedesUpload(self) }
    if received > request.responseLimit {
      failure = ClientError(.responseTooLarge, mayHaveRun: true, "more than \(request.responseLimit) bytes")
      return 0
    }
    if request.delivery == .streaming, body.readableBytes + bytes.count > ResponseBuffer.highWaterMark { deliverHead() }
    if let stream {
      if stream.offer(ByteBuffer(bytes: bytes)) { return bytes.count }
      received -= bytes.count  // libcurl passes the same bytes again
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    body.writeBytes(bytes)
    return bytes.count
  }

  /// The deadline of the head begins anew with every piece that is sent; while the sender has nothing, there is none.
  private func expectHead(_ isExpected: Bool) {
    guard let seconds = request.timeouts.firstByte, !isHeadComplete else { return }
    firstByteDeadline = isExpected ? MonotonicClock.now() + seconds : nil
    if let firstByteDeadline { owner.check(at: firstByteDeadline) }
  }

  /// Lets libcurl read what the peer has sent before it closed the connection, and then fails the transfer.
  func peerHasClosed() {
    isClosedByPeer = true
    curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  private func sendBody(_ target: UnsafeMutableRawBufferPointer) -> Int {
    pausedPort = nil
    if isClosedByPeer {
      failure = ClientError(.connectionLost, mayHaveRun: true, "the connection was closed during the upload")
      return Int(CURL_READFUNC_ABORT)
    }
    switch submission.upload?.read(into: target) {
    case .bytes(let count):
      sent += count
      // libcurl does not ask again after the announced length.
      if case .stream(let length?, _) = request.body, sent >= length { isUploadComplete = true }
      expectHead(true)
      return count
    case .end:
      isUploadComplete = true
      expectHead(true)
      return 0
    case .pause:
      expectHead(false)
      pausedPort = localPort
      owner.uploadIsPaused()
      return Int(CURL_READFUNC_PAUSE)
    case .failed, nil:
      failure = ClientError(.uploadFailed, mayHaveRun: true, "the request body could not be read completely")
      return Int(CURL_READFUNC_ABORT)
    }
  }

  // MARK: results

  /// Returns the head while the body is still being received.
  func deliverHead() {
    guard let continuation else { return }
    self.continuation = nil
    let (loop, id) = (loop, id)
    let stream = ResponseBuffer(
      upload: submission.feeder,
      resume: { loop.post(.resume(id)) },
      cancel: { loop.post(.cancel(id)) }
    )
    if body.readableBytes > 0 { _ = stream.offer(body) }
    body = ByteBuffer()
    self.stream = stream
    continuation.resume(
      returning: ClientResponse(status: status, headers: fields, body: .stream(ResponseStream(stream)))
    )
  }

  func finish(_ result: Result<Void, ClientError>) {
    submission.upload?.close()
    stream?.finish(result)
    guard let continuation else { return }
    self.continuation = nil
    switch result {
    case .success where status == 0:
      continuation.resume(throwing: ClientError(.badResponse, mayHaveRun: true, "the response has no valid status"))
    case .success:
      continuation.resume(returning: ClientResponse(status: status, headers: fields, body: .bytes(body)))
    case .failure(let error): continuation.resume(throwing: error)
    }
  }

  func error(_ code: CURLcode) -> ClientError {
    if let failure { return failure }
    var sent = 0
    ccurl_get_long(easy, CURLINFO_REQUEST_SIZE, &sent)
    let reason: ClientError.Reason =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .couldNotResolve
      case CURLE_COULDNT_CONNECT: .couldNotConnect
      case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE:
        .tlsFailed
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: .connectionLost
      case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .invalidRequest
      default: .badResponse
      }
    return ClientError(reason, mayHaveRun: sent > 0, String(cString: curl_easy_strerror(code)))
  }
}
