import Contracts
package import Foundation

/// The resources that the process uses, by the names that Prometheus' client libraries have
/// (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics), and which build it is.
package enum ProcessMetrics {
  /// The Swift version that has compiled this.
  package static let swift: String = {
    #if swift(>=6.4)
      "6.4 or newer"
    #elseif swift(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }()

  /// - Parameter version: Of this build, as its operator names it.
  package static func observe(in metrics: Metrics, version: String) {
    metrics.gauge("build_info", help: "Which build this is.", labels: [("version", version), ("swift", swift)]) { 1 }
    metrics.gauge("process_start_time_seconds", help: "When the process started, since 1970.") { [start] in start }
    metrics.counter("process_cpu_seconds_total", help: "CPU time used.") { cpuSeconds }
    #if os(Linux)
      metrics.gauge("process_resident_memory_bytes", help: "Memory in RAM.") { memory(1) }
      metrics.gauge("process_virtual_memory_bytes", help: "Address space.") { memory(0) }
      metrics.gauge("process_open_fds", help: "Open files and connections.") { entries("/proc/self/fd") }
      metrics.gauge("process_threads", help: "Threads.") { entries("/proc/self/task") }
    #endif
    metrics.gauge("process_max_fds", help: "How many files and connections may be open.") {
      var limit = rlimit()
      #if os(Linux)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      #else
        getrlimit(RLIMIT_NOFILE, &limit)
      #endif
      return Double(limit.rlim_cur)
    }
  }

  /// When the process began to observe itself, in seconds since 1970.
  package static let start = Date().timeIntervalSince1970

  /// The processor time of all threads.
  private static var cpuSeconds: Double {
    // POSIX: microseconds.
    Double(clock()) / 1_000_000
  }

  #if os(Linux)
    /// A number of pages of `/proc/self/statm`, in bytes.
    private static func memory(_ field: Int) -> Double {
      let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
      let numbers = text.split(separator: " ").compactMap { Double($0) }
      return numbers.indices.contains(field) ? numbers[field] * Double(sysconf(Int32(_SC_PAGESIZE))) : 0
    }

    private static func entries(_ folder: String) -> Double {
      Double((try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0)
    }
  #endif
}
