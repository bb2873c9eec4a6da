package import Contracts
import Synchronization

/// The measurements of the process's services in the last hour, in memory: samples of some of the process's metrics.
package final class MetricsHistory: Sendable {
  package static let interval = Duration.seconds(15)
  /// An hour of samples.
  private static let count = 240

  /// The counts since the start.
  private struct Totals {
    var requests, failed, queue, commit: Metrics.Histogram.Counts
  }

  private struct Series {
    var totals: Totals
    var at: Timestamp
    var samples: [MetricsSample] = []
  }

  private let metrics: Metrics
  private let time: TimeSource
  /// The series by the names of services.
  private let series = Mutex<[String: Series]>([:])

  package init(of metrics: Metrics, _ time: TimeSource) { (self.metrics, self.time) = (metrics, time) }

  package func measurements(of service: String) -> ServiceMetrics {
    ServiceMetrics(service: service, samples: series.withLock { $0[service]?.samples ?? [] })
  }

  /// Takes a sample of each service; the first one is only what the next is compared with.
  package func sample(_ services: [String]) {
    let now = time.now()
    for service in services {
      let totals = totals(of: service)
      series.withLock { series in
        guard var known = series[service] else {
          series[service] = Series(totals: totals, at: now)
          return
        }
        let seconds = now.seconds(since: known.at)
        // The clock was set back.
        if seconds > 0 {
          known.samples.append(Self.sample(at: now, seconds, from: known.totals, to: totals))
          known.samples.removeFirst(max(0, known.samples.count - Self.count))
        }
        (known.totals, known.at) = (totals, now)
        series[service] = known
      }
    }
  }

  private func totals(of service: String) -> Totals {
    func counts(_ name: String, where isIncluded: (Metrics.Labels) -> Bool = { _ in true }) -> Metrics.Histogram.Counts
    {
      metrics.counts(of: name) { labels in
        labels.contains { $0.name == "service" && $0.value == service } && isIncluded(labels)
      }
    }
    return Totals(
      requests: counts("http_server_request_duration_seconds"),
      failed: counts("http_server_request_duration_seconds") { labels in
        labels.contains { $0.name == "http_response_status_code" && $0.value.hasPrefix("5") }
      },
      queue: counts("db_queue_seconds"), commit: counts("db_commit_seconds"))
  }

  private static func sample(
    at now: Timestamp, _ seconds: Double, from before: Totals, to after: Totals
  ) -> MetricsSample {
    let requests = after.requests.since(before.requests)
    return MetricsSample(
      at: now, seconds: seconds, requests: requests.total, errors: after.failed.since(before.failed).total,
      latency: requests.quantile(0.99), queue: after.queue.since(before.queue).mean,
      commit: after.commit.since(before.commit).mean)
  }
}
