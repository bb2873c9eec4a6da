import CCurl
import Foundation
import NIOCore
import Synchronization

/// The event loop that owns libcurl's multi handle and every transfer; other threads communicate through a mailbox.
///
/// One thread blocks in `curl_multi_poll` and is woken by `curl_multi_wakeup`, as libcurl's `libcurl-thread` manual
/// requires.
final class CurlLoop: Sendable {
  struct Submission: Sendable {
    let id: Int
    let request: ClientRequest
    let upload: UploadBuffer?
    let feeder: UploadFeeder?
    let isRetry: Bool
    /// The deadline of the whole request, including queueing and earlier attempts; on the loop's clock, in seconds.
    let deadline: Double?
    let continuation: CheckedContinuation<ClientResponse, any Error>
  }

  enum Command: Sendable {
    case start(Submission)
    case cancel(Int)
    /// Resumes a paused transfer.
    case resume(Int)
  }

  /// libcurl's multi handle, which only the loop's thread may use.
  ///
  /// Unchecked: other threads use the pointer only for `curl_multi_wakeup`, which libcurl documents as the one function
  /// that may be called from any thread; the mailbox's lock prevents calls after the handle is freed.
  struct Multi: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
  }

  private struct Mailbox: ~Copyable {
    var commands: [Command] = []
    var isPolling = false
    var isStopping = false
    var isStopped = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let multi: Multi
  private let mailbox = Mutex(Mailbox())
  private let counters = Mutex(CurlClient.Statistics())
  private let ids = Atomic<Int>(0)

  init(configuration: CurlClient.Configuration) {
    _ = Self.globalInit
    guard let handle = curl_multi_init() else { preconditionFailure("libcurl cannot allocate a multi handle") }
    multi = Multi(handle: handle)
    let thread = Thread { [self] in
      run(CurlLoopState(loop: self, multi: multi.handle, configuration: configuration))
    }
    thread.name = "curl"
    thread.start()
  }

  /// Once per process, before any thread uses libcurl.
  private static let globalInit: Void = {
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    signal(SIGPIPE, SIG_IGN)
  }()

  func nextID() -> Int { ids.add(1, ordering: .relaxed).newValue }

  var statistics: CurlClient.Statistics { counters.withLock { $0 } }

  func count(_ change: (inout CurlClient.Statistics) -> Void) { counters.withLock { change(&$0) } }

  func post(_ command: Command) {
    let isStopped = mailbox.withLock { mailbox in
      if mailbox.isStopping { return true }
      mailbox.commands.append(command)
      if mailbox.isPolling {
        mailbox.isPolling = false
        curl_multi_wakeup(multi.handle)
      }
      return false
    }
    if isStopped, case .start(let submission) = command {
      submission.upload?.close()
      submission.continuation.resume(throwing: ClientError(.shutDown, mayHaveRun: false))
    }
  }

  func shutdown() async {
    await withCheckedContinuation { continuation in
      let isStopped = mailbox.withLock { mailbox in
        if mailbox.isStopped { return true }
        mailbox.waiters.append(continuation)
        mailbox.isStopping = true
        curl_multi_wakeup(multi.handle)
        return false
      }
      if isStopped { continuation.resume() }
    }
  }

  private func run(_ state: CurlLoopState) {
    while true {
      let (commands, isStopping) = mailbox.withLock { mailbox in
        defer { mailbox.commands.removeAll(keepingCapacity: true) }
        return (mailbox.commands, mailbox.isStopping)
      }
      for command in commands { state.handle(command) }
      if isStopping { break }
      state.perform()
      let isIdle = mailbox.withLock { mailbox in
        mailbox.isPolling = mailbox.commands.isEmpty && !mailbox.isStopping
        return mailbox.isPolling
      }
      guard isIdle else { continue }
      curl_multi_poll(multi.handle, nil, 0, state.pollMilliseconds, nil)
      mailbox.withLock { $0.isPolling = false }
    }
    state.stop()
    let waiters = mailbox.withLock { mailbox in
      // The state keeps what the connections' callbacks use.
      withExtendedLifetime(state) { _ = curl_multi_cleanup(multi.handle) }
      mailbox.isStopped = true
      defer { mailbox.waiters = [] }
      return mailbox.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
