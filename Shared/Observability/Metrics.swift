import Synchronization

/// Counters, gauges and histograms in Prometheus' text format (version 0.0.4).
public final class Metrics: Sendable {
  /// Names and values that distinguish the series of one metric.
  public typealias Labels = [(name: String, value: String)]

  private struct Family {
    let type: String
    let help: String
    var series: [(labels: String, write: @Sendable (_ name: String, _ labels: String) -> String)] = []
  }

  private let families = Mutex<[String: Family]>([:])
  /// The histograms of each metric, for what the process shows of itself.
  private let histograms = Mutex<[String: [(labels: Labels, histogram: Histogram)]]>([:])

  public init() {}

  /// A monotonically increasing counter; its name ends in `_total`.
  public func counter(_ name: String, help: String, labels: Labels = []) -> Counter {
    let counter = Counter()
    add(name, "counter", help, labels) { name, labels in "\(name)\(Self.braces(labels)) \(counter.value)\n" }
    return counter
  }

  /// A gauge whose value is read on every scrape, from memory: a scrape waits for nothing. While there is no value, the
  /// gauge is left out.
  public func gauge(_ name: String, help: String, labels: Labels = [], read: @escaping @Sendable () -> Double?) {
    add(name, "gauge", help, labels) { name, labels in
      read().map { "\(name)\(Self.braces(labels)) \(Self.number($0))\n" } ?? ""
    }
  }

  /// A gauge that one process of a service at a time sets again and again, such as a count of rows. A value that was not
  /// set for some minutes is left out: the work is done by another process, or fails.
  public func sampledGauge(_ name: String, help: String, labels: Labels = []) -> SampledGauge {
    let sampled = SampledGauge()
    gauge(name, help: help, labels: labels) { sampled.value }
    return sampled
  }

  /// A counter whose value is maintained elsewhere and read on every scrape.
  public func counter(_ name: String, help: String, labels: Labels = [], read: @escaping @Sendable () -> Int) {
    add(name, "counter", help, labels) { name, labels in "\(name)\(Self.braces(labels)) \(read())\n" }
  }

  /// A counter of an amount that is not whole, such as seconds, maintained elsewhere and read on every scrape.
  public func counter(_ name: String, help: String, labels: Labels = [], read: @escaping @Sendable () -> Double) {
    add(name, "counter", help, labels) { name, labels in "\(name)\(Self.braces(labels)) \(Self.number(read()))\n" }
  }

  /// A histogram that is recorded elsewhere.
  package func histogram(_ name: String, help: String, labels: Labels = [], of histogram: Histogram) {
    histograms.withLock { $0[name, default: []].append((labels, histogram)) }
    add(name, "histogram", help, labels) { name, labels in histogram.text(name, labels) }
  }

  /// A histogram of durations in seconds.
  public func histogram(_ name: String, help: String, labels: Labels = []) -> Histogram {
    let new = Histogram()
    histogram(name, help: help, labels: labels, of: new)
    return new
  }

  /// The sum of the histograms of a metric.
  ///
  /// - Parameter isIncluded: Whether a histogram with these labels is one of them.
  func counts(of name: String, where isIncluded: (Labels) -> Bool) -> Histogram.Counts {
    let known = histograms.withLock { $0[name] ?? [] }
    return known.filter { isIncluded($0.labels) }.reduce(into: Histogram.Counts()) { $0.add($1.histogram.counts) }
  }

  private func add(
    _ name: String,
    _ type: String,
    _ help: String,
    _ labels: Labels,
    _ write: @escaping @Sendable (String, String) -> String
  ) {
    let text = labels.map { "\($0.name)=\"\(Self.escape($0.value))\"" }.joined(separator: ",")
    families.withLock { $0[name, default: Family(type: type, help: help)].series.append((text, write)) }
  }

  /// All metrics in Prometheus' text format.
  public func text() -> String {
    let families = families.withLock { $0 }
    return families.sorted { $0.key < $1.key }.map { name, family in
      "# HELP \(name) \(family.help)\n# TYPE \(name) \(family.type)\n"
        + family.series.map { $0.write(name, $0.labels) }.joined()
    }.joined()
  }

  fileprivate static func braces(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }

  fileprivate static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }

  private static func escape(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  /// A monotonically increasing count.
  public final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    public func increment(by amount: Int = 1) { count.add(amount, ordering: .relaxed) }
    var value: Int { count.load(ordering: .relaxed) }
  }

  /// The last value of a gauge that is sampled in the background.
  public final class SampledGauge: Sendable {
    private static let shown = Duration.seconds(180)
    private let last = Mutex<(value: Double, at: ContinuousClock.Instant)?>(nil)

    public func set(_ value: Double) { last.withLock { $0 = (value, .now) } }

    var value: Double? { last.withLock { last in last.flatMap { .now - $0.at < Self.shown ? $0.value : nil } } }
  }

  /// A histogram of durations with OpenTelemetry's buckets for `http.server.request.duration`.
  public final class Histogram: Sendable {
    package init() {}

    static let bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

    /// How many durations were in each bucket, the last of which has no bound, and their sum.
    struct Counts: Sendable, Equatable {
      var buckets = [Int](repeating: 0, count: bounds.count + 1)
      var sum = 0.0

      var total: Int { buckets.reduce(0, +) }

      /// In seconds; `nil` when nothing was counted.
      var mean: Double? { total > 0 ? sum / Double(total) : nil }

      mutating func add(_ other: Counts) {
        for (index, count) in other.buckets.enumerated() { buckets[index] += count }
        sum += other.sum
      }

      /// The counts after an earlier moment.
      func since(_ earlier: Counts) -> Counts {
        Counts(buckets: zip(buckets, earlier.buckets).map { $0 - $1 }, sum: sum - earlier.sum)
      }

      /// The duration in seconds that a share of all does not exceed, as if those of a bucket were spread evenly; that of
      /// the last bucket is its lower bound. `nil` when nothing was counted.
      func quantile(_ share: Double) -> Double? {
        guard total > 0 else { return nil }
        var (rest, lower) = (share * Double(total), 0.0)
        for (bound, count) in zip(bounds, buckets) {
          if count > 0, rest <= Double(count) { return lower + (bound - lower) * rest / Double(count) }
          (rest, lower) = (rest - Double(count), bound)
        }
        return lower
      }
    }

    private let state = Mutex(Counts())

    var counts: Counts { state.withLock { $0 } }

    public func record(seconds: Double) {
      let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
      state.withLock { state in
        state.buckets[bucket] += 1
        state.sum += seconds
      }
    }

    fileprivate func text(_ name: String, _ labels: String) -> String {
      let counts = counts
      let prefix = labels.isEmpty ? "" : labels + ","
      var total = 0
      var text = ""
      for (index, count) in counts.buckets.enumerated() {
        total += count
        let bound = index < Self.bounds.count ? Metrics.number(Self.bounds[index]) : "+Inf"
        text += "\(name)_bucket{\(prefix)le=\"\(bound)\"} \(total)\n"
      }
      return text
        + "\(name)_sum\(Metrics.braces(labels)) \(counts.sum)\n\(name)_count\(Metrics.braces(labels)) \(total)\n"
    }
  }
}
