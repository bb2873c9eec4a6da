import CCurl
import Foundation
import NIOCore
import Timing

/// State that only the loop's thread accesses: transfers, handles and limits.
final class CurlLoopState {
  private let loop: CurlLoop
  private let multi: UnsafeMutableRawPointer
  private let configuration: CurlClient.Configuration
  private let limits: Admission.Limits
  private var origins: [String: Admission] = [:]
  private var waiting: [Int: CurlLoop.Submission] = [:]
  private var transfers: [Int: CurlTransfer] = [:]
  private var idleHandles: [UnsafeMutableRawPointer] = []
  /// Streamed responses whose head was received in this iteration.
  private var readyHeads: [CurlTransfer] = []
  /// The transfers whose response precedes the end of their upload: its head or its last bytes came in this iteration.
  private var early: [CurlTransfer] = []
  private let sockets = OpenSockets()
  /// How often the connections of paused uploads are looked at, in seconds.
  private static let peerCheckSeconds = 1.0
  /// When to check the deadlines next, in seconds.
  private var nextCheck = Double.infinity

  init(loop: CurlLoop, multi: UnsafeMutableRawPointer, configuration: CurlClient.Configuration) {
    self.loop = loop
    self.multi = multi
    self.configuration = configuration
    limits = Admission.Limits(
      concurrent: configuration.concurrentRequests,
      queued: configuration.queuedRequests,
      queueSeconds: configuration.queueSeconds,
      breakerFailures: configuration.breakerFailures,
      breakerSeconds: configuration.breakerSeconds
    )
    // With a cache smaller than the concurrency, libcurl reopens connections, at four to five times a request's cost.
    ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.concurrentRequests * 2)
    ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
  }

  var pollMilliseconds: Int32 {
    guard nextCheck.isFinite else { return 60_000 }
    return Int32(min(60_000, max(0, (nextCheck - MonotonicClock.now()) * 1000) + 1))
  }

  // MARK: commands

  func handle(_ command: CurlLoop.Command) {
    switch command {
    case .start(let submission): arrive(submission)
    case .cancel(let id): cancel(id)
    case .resume(let id):
      if let transfer = transfers[id] { curl_easy_pause(transfer.easy, CURLPAUSE_CONT) }
    }
  }

  private func arrive(_ submission: CurlLoop.Submission) {
    let now = MonotonicClock.now()
    loop.count { statistics in
      statistics.requests += 1
      if submission.isRetry { statistics.retries += 1 }
    }
    switch origins[submission.request.destination, default: Admission(limits: limits)].arrive(submission.id, at: now) {
    case .start: start(submission, at: now)
    case .wait:
      waiting[submission.id] = submission
      nextCheck = min(nextCheck, now + limits.queueSeconds)
    case .refuse(let reason): refuse(submission, reason)
    }
  }

  private func refuse(_ submission: CurlLoop.Submission, _ reason: ClientError.Reason) {
    loop.count { $0.failures += 1 }
    submission.upload?.close()
    submission.continuation.resume(throwing: ClientError(reason, mayHaveRun: false))
  }

  private func start(_ submission: CurlLoop.Submission, at now: Double) {
    guard let easy = idleHandles.popLast() ?? curl_easy_init() else {
      refuse(submission, .invalidRequest)
      return
    }
    let transfer = CurlTransfer(submission, easy: easy, loop: loop, owner: self, startedAt: now)
    let result = transfer.configure(configuration, sockets)
    guard result == CURLE_OK else {
      recycle(transfer)
      refuse(submission, .invalidRequest)
      startNext(after: submission, .neutral, at: now)
      return
    }
    transfers[submission.id] = transfer
    if let deadline = transfer.firstByteDeadline { nextCheck = min(nextCheck, deadline) }
    curl_multi_add_handle(multi, easy)
    loop.count { $0.inFlight += 1 }
  }

  private func cancel(_ id: Int) {
    if let submission = waiting.removeValue(forKey: id) {
      _ = origins[submission.request.destination]?.cancel(id)
      refuse(submission, .cancelled)
    } else if let transfer = transfers[id] {
      end(transfer, .failure(ClientError(.cancelled, mayHaveRun: true)))
    }
  }

  /// Called by a transfer that has a new deadline, in seconds.
  func check(at deadline: Double) { nextCheck = min(nextCheck, deadline) }

  // MARK: transfers

  /// Called from a transfer's callback when the head of a streamed response is complete. It is delivered at the end of
  /// the iteration, so that a small body received with it is returned as one buffer.
  func headIsReady(_ transfer: CurlTransfer) { readyHeads.append(transfer) }

  /// Called from a transfer's callback when the head of the response, or all of it, is there before the upload's end.
  func answerPrecedesUpload(_ transfer: CurlTransfer) { early.append(transfer) }

  func uploadIsPaused() { check(at: MonotonicClock.now() + Self.peerCheckSeconds) }

  func perform() {
    var running: Int32 = 0
    curl_multi_perform(multi, &running)
    var remaining: Int32 = 0
    while let message = curl_multi_info_read(multi, &remaining) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
        let transfer = CurlTransfer.of(easy: easy)
      else { continue }
      let result = ccurl_message_result(message)
      end(transfer, result == CURLE_OK || transfer.isAnsweredEarly ? .success(()) : .failure(transfer.error(result)))
    }
    endAnswered()
    for transfer in readyHeads { transfer.deliverHead() }
    readyHeads.removeAll(keepingCapacity: true)
    let now = MonotonicClock.now()
    if now >= nextCheck { checkDeadlines(now) }
  }

  private func endAnswered() {
    let answered = early
    early.removeAll(keepingCapacity: true)
    for transfer in answered where transfers[transfer.id] === transfer {
      if transfer.isAnsweredEarly {
        end(transfer, .success(()))
      } else if transfer.pausedPort != nil {
        // libcurl stops sending after an error, but finds out only when it is asked to send.
        curl_easy_pause(transfer.easy, CURLPAUSE_CONT)
      }
    }
  }

  private func checkPeers() {
    let paused = Dictionary(grouping: transfers.values.filter { $0.pausedPort != nil }) { $0.pausedPort ?? 0 }
    guard !paused.isEmpty else { return }
    for port in sockets.closedByPeer(Set(paused.keys)) { paused[port]?.forEach { $0.peerHasClosed() } }
  }

  private func checkDeadlines(_ now: Double) {
    for transfer in transfers.values {
      if let deadline = transfer.firstByteDeadline, deadline <= now {
        end(transfer, .failure(ClientError(.timedOut, mayHaveRun: true, "no response head in time")))
      }
    }
    checkPeers()
    for origin in origins.keys {
      for (id, reason) in origins[origin]?.expire(at: now) ?? [] {
        if let submission = waiting.removeValue(forKey: id) { refuse(submission, reason) }
      }
    }
    let deadlines = transfers.values.compactMap(\.firstByteDeadline) + origins.values.compactMap(\.nextDeadline)
    nextCheck = deadlines.min() ?? .infinity
    if transfers.values.contains(where: { $0.pausedPort != nil }) { uploadIsPaused() }
  }

  private func end(_ transfer: CurlTransfer, _ result: Result<Void, ClientError>) {
    guard transfers.removeValue(forKey: transfer.id) != nil else { return }
    curl_multi_remove_handle(multi, transfer.easy)
    var connections = 0
    ccurl_get_long(transfer.easy, CURLINFO_NUM_CONNECTS, &connections)
    loop.count { statistics in
      statistics.inFlight -= 1
      statistics.newConnections += connections
      if case .failure = result { statistics.failures += 1 }
    }
    let submission = transfer.submission
    let outcome = Self.outcome(result, transfer)
    transfer.finish(result)
    recycle(transfer)
    startNext(after: submission, outcome, at: MonotonicClock.now())
  }

  private static func outcome(_ result: Result<Void, ClientError>, _ transfer: CurlTransfer) -> Admission.Outcome {
    switch result {
    case .success: .success
    case .failure(let error):
      switch error.reason {
      // A caller that sends the body or reads the response slowly does not indicate the origin's health.
      case .timedOut where !transfer.waitsForOrigin: .neutral
      case .couldNotResolve, .couldNotConnect, .tlsFailed, .timedOut, .connectionLost, .badResponse: .failure
      default: .neutral
      }
    }
  }

  private func startNext(after submission: CurlLoop.Submission, _ outcome: Admission.Outcome, at now: Double) {
    let origin = submission.request.destination
    guard let started = origins[origin]?.finish(submission.id, outcome, at: now) else { return }
    for id in started {
      if let next = waiting.removeValue(forKey: id) { start(next, at: now) }
    }
    if let admission = origins[origin] {
      if admission.isOpen { nextCheck = now } else if admission.isForgettable { origins[origin] = nil }
    }
    let open = origins.values.count { $0.isOpen }
    loop.count { $0.openCircuits = open }
  }

  private func recycle(_ transfer: CurlTransfer) {
    curl_easy_reset(transfer.easy)
    transfer.releaseList()
    if idleHandles.count < configuration.concurrentRequests {
      idleHandles.append(transfer.easy)
    } else {
      curl_easy_cleanup(transfer.easy)
    }
  }

  /// Fails all requests and frees the handles; libcurl invokes no callbacks afterward.
  func stop() {
    for submission in waiting.values { refuse(submission, .shutDown) }
    waiting = [:]
    for transfer in Array(transfers.values) {
      end(transfer, .failure(ClientError(.shutDown, mayHaveRun: true)))
    }
    for easy in idleHandles { curl_easy_cleanup(easy) }
    idleHandles = []
  }
}
