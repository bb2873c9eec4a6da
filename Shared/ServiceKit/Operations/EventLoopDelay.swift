import Logging
import NIOCore
import NIOPosix
import Observability

/// How long the event loops of the process let tasks wait: near zero, unless something blocks a loop or the machine is
/// overloaded.
enum EventLoopDelay {
  /// - Returns: What measures it while the process runs.
  static func observed(in metrics: Metrics, _ logger: Logger) -> PeriodicTask {
    let delay = metrics.histogram("event_loop_delay_seconds", help: "How long tasks wait for an event loop.")
    return PeriodicTask("event-loops.measure", every: .seconds(1), logger: logger) {
      for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
        let begun = ContinuousClock.now
        loop.execute { delay.record(seconds: (ContinuousClock.now - begun) / .seconds(1)) }
      }
    }
  }
}
