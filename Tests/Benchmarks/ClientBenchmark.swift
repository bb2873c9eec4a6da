import AsyncHTTPClient
import CurlClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// CurlClient and async-http-client under the same load: a number of concurrent GET requests up to a total.
enum ClientBenchmark {
  static func run(library: String, origin: String, inFlight: Int, requests: Int) async throws {
    switch library {
    case "curl":
      let client = CurlClient(configuration: configuration(inFlight))
      try await drive("curl", inFlight, requests) {
        let response = try await client.execute(ClientRequest(origin: origin, target: "/hello"))
        guard case .bytes = response.body, response.status == 200 else { throw Unexpected() }
      }
      let statistics = client.statistics
      print("curl-new-connections \(statistics.newConnections) of \(statistics.requests)")
      await client.shutdown()
    default:
      var configuration = HTTPClient.Configuration()
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = inFlight
      let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
      try await drive("ahc", inFlight, requests) {
        let response = try await client.execute(HTTPClientRequest(url: origin + "/hello"), timeout: .seconds(30))
        let body = try await response.body.collect(upTo: 1 << 20)
        guard response.status.code == 200, body.readableBytes > 0 else { throw Unexpected() }
      }
      try await client.shutdown()
    }
  }

  private struct Unexpected: Error {}

  private static func configuration(_ inFlight: Int) -> CurlClient.Configuration {
    var configuration = CurlClient.Configuration()
    configuration.concurrentRequests = max(64, inFlight)
    return configuration
  }

  private static func drive(
    _ name: String,
    _ inFlight: Int,
    _ requests: Int,
    _ once: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await loop(inFlight, inFlight * 5, once)  // opens the connections
    let (processor, wall) = (Benchmarks.processorTime(), Date())
    let times = try await loop(inFlight, requests, once)
    let elapsed = Date().timeIntervalSince(wall)
    let cpu = (Benchmarks.processorTime() - processor) / Double(requests)
    let (p50, p99) = (Benchmarks.percentile(times, 0.5), Benchmarks.percentile(times, 0.99))
    print(
      "\(name)-\(inFlight) \(Benchmarks.format(cpu)) us-cpu \(Benchmarks.format(Double(requests) / elapsed)) per-second "
        + "p50 \(Benchmarks.format(p50)) us p99 \(Benchmarks.format(p99)) us"
    )
  }

  @discardableResult
  private static func loop(_ inFlight: Int, _ requests: Int, _ once: @escaping @Sendable () async throws -> Void)
    async throws -> [Double]
  {
    try await withThrowingTaskGroup(of: [Double].self) { group in
      for _ in 0..<inFlight {
        group.addTask {
          var times: [Double] = []
          for _ in 0..<requests / inFlight {
            let start = DispatchTime.now().uptimeNanoseconds
            try await once()
            times.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1000)
          }
          return times
        }
      }
      return try await group.reduce(into: [], +=).sorted()
    }
  }
}
