import Contracts
import TestKit
import Testing

@testable import Observability
@testable import ServiceKit

/// The metrics that a process shows of itself, from memory.
struct MetricsHistoryTests {
  private static func counts(_ seconds: [Double]) -> Metrics.Histogram.Counts {
    let histogram = Metrics.Histogram()
    for duration in seconds { histogram.record(seconds: duration) }
    return histogram.counts
  }

  @Test(
    "a quantile lies in the bucket of its duration",
    arguments: [
      ([], 0.99, nil),
      ([0.2, 0.2, 0.2, 0.2], 0.5, 0.175),
      ([0.2], 1, 0.25),
      ([0.001, 0.001, 0.001, 6], 0.99, 7.4),
      ([100], 0.99, 10),
    ] as [([Double], Double, Double?)])
  func quantiles(_ durations: [Double], _ share: Double, _ expected: Double?) throws {
    let found = Self.counts(durations).quantile(share)
    guard let expected else {
      #expect(found == nil)
      return
    }
    let seconds = try #require(found)
    #expect(abs(seconds - expected) < 0.000_001)
  }

  @Test("a sample has what was measured since the one before, of its service only")
  func samples() throws {
    let (metrics, time) = (Metrics(), ManualTime())
    let history = MetricsHistory(of: metrics, time.source)
    func histogram(_ name: String, _ service: String, status: String? = nil) -> Metrics.Histogram {
      var labels: Metrics.Labels = [("service", service)]
      if let status { labels.append(("http_response_status_code", status)) }
      return metrics.histogram(name, help: "A test.", labels: labels)
    }
    let answered = histogram("http_server_request_duration_seconds", "shop", status: "200")
    let failed = histogram("http_server_request_duration_seconds", "shop", status: "503")
    let other = histogram("http_server_request_duration_seconds", "other", status: "500")
    let commit = histogram("db_commit_seconds", "shop")
    answered.record(seconds: 0.2)
    history.sample(["shop", "other"])
    #expect(history.measurements(of: "shop").samples.isEmpty)

    for _ in 0..<3 { answered.record(seconds: 0.2) }
    failed.record(seconds: 0.2)
    for _ in 0..<5 { other.record(seconds: 9) }
    for seconds in [0.001, 0.003] { commit.record(seconds: seconds) }
    time.advance(seconds: 15)
    history.sample(["shop", "other"])
    let sample = try #require(history.measurements(of: "shop").samples.first)
    #expect(sample.at == time.source.now())
    #expect(sample.seconds == 15)
    #expect(sample.requests == 4)
    #expect(sample.errors == 1)
    #expect(sample.latency.map { (0.1...0.25).contains($0) } == true)
    #expect(sample.queue == nil)
    let seconds = try #require(sample.commit)
    #expect(abs(seconds - 0.002) < 0.000_001)
    #expect(history.measurements(of: "other").samples.map(\.requests) == [5])
    #expect(history.measurements(of: "unknown").samples.isEmpty)
  }

  @Test("samples of more than an hour are forgotten, and a clock that was set back is none")
  func bounds() {
    let time = ManualTime()
    let history = MetricsHistory(of: Metrics(), time.source)
    for _ in 0..<300 {
      history.sample(["shop"])
      time.advance(seconds: 15)
    }
    let samples = history.measurements(of: "shop").samples
    #expect(samples.count == 240)
    #expect(samples.last?.at == time.source.now().advanced(bySeconds: -15))
    time.advance(seconds: -60)
    history.sample(["shop"])
    #expect(history.measurements(of: "shop").samples == samples)
  }
}
