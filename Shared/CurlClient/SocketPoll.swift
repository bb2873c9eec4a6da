import CCurl
import Foundation

/// The sockets and the timer that libcurl waits for. Only the loop's thread accesses it; others may ``WakeUp``.
///
/// What one turn costs depends on how many sockets have something to do: `curl_multi_perform` and `curl_multi_poll` go
/// through all transfers each time, which is most of the time when a thousand wait
/// (<https://curl.se/libcurl/c/curl_multi_socket_action.html>).
final class SocketPoll {
  private let multi: UnsafeMutableRawPointer
  private let epoll: Int32
  private let wake: WakeUp
  private var events: [epoll_event]
  /// When libcurl wants to be called without an event, in seconds; infinite if not.
  private var timer = Double.infinity

  /// What wakes a waiting ``turn(until:)``; of any thread.
  struct WakeUp: Sendable {
    fileprivate let descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))

    func callAsFunction() {
      var one: UInt64 = 1
      _ = write(descriptor, &one, 8)
    }
  }

  /// Must be kept until the multi handle is freed.
  init(_ multi: UnsafeMutableRawPointer, _ wake: WakeUp) {
    self.multi = multi
    self.wake = wake
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    precondition(epoll >= 0 && wake.descriptor >= 0, "no descriptor is left for a client's event loop")
    events = Array(repeating: epoll_event(), count: 256)
    // Edge-triggered, so that its counter need not be read.
    _ = ccurl_epoll_set(epoll, EPOLL_CTL_ADD, wake.descriptor, true, false, true)
    let me = Unmanaged.passUnretained(self).toOpaque()
    ccurl_multi_set_socket_callback(multi) { _, socket, what, me, known in
      guard let me else { return -1 }
      Unmanaged<SocketPoll>.fromOpaque(me).takeUnretainedValue().watch(socket, what, isKnown: known != nil)
      return 0
    }
    ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, me)
    ccurl_multi_set_timer_callback(multi) { _, milliseconds, me in
      guard let me else { return -1 }
      Unmanaged<SocketPoll>.fromOpaque(me).takeUnretainedValue().timer =
        milliseconds < 0 ? .infinity : CurlLoopState.now() + Double(milliseconds) / 1000
      return 0
    }
    ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, me)
  }

  deinit {
    close(epoll)
    close(wake.descriptor)
  }

  private func watch(_ socket: curl_socket_t, _ what: Int32, isKnown: Bool) {
    if what == CURL_POLL_REMOVE {
      // It may be closed already, and is then no longer watched.
      _ = ccurl_epoll_set(epoll, EPOLL_CTL_DEL, socket, false, false, false)
      return
    }
    let (reads, writes) = (what & CURL_POLL_IN != 0, what & CURL_POLL_OUT != 0)
    if isKnown, ccurl_epoll_set(epoll, EPOLL_CTL_MOD, socket, reads, writes, false) == 0 { return }
    if ccurl_epoll_set(epoll, EPOLL_CTL_ADD, socket, reads, writes, false) != 0 {
      _ = ccurl_epoll_set(epoll, EPOLL_CTL_MOD, socket, reads, writes, false)
    }
    // Marks it as known until libcurl removes it.
    curl_multi_assign(multi, socket, UnsafeMutableRawPointer(mutating: multi))
  }

  /// Waits for events until a time, in seconds, or until it is woken, and lets libcurl do what they ask for.
  func turn(until deadline: Double) {
    let wait = (min(deadline, timer) - CurlLoopState.now()) * 1000
    let milliseconds = wait <= 0 ? 0 : Int32(min(60_000, wait.rounded(.up)))
    let count = epoll_wait(epoll, &events, Int32(events.count), milliseconds)
    var running: Int32 = 0
    if count > 0 {
      for index in 0..<Int(count) {
        let (socket, mask) = (ccurl_event_descriptor(&events[index]), ccurl_event_mask(&events[index]))
        if socket != wake.descriptor { curl_multi_socket_action(multi, socket, mask, &running) }
      }
    }
    guard timer <= CurlLoopState.now() else { return }
    timer = .infinity
    curl_multi_socket_action(multi, curl_socket_t(CURL_SOCKET_TIMEOUT), 0, &running)
  }
}
