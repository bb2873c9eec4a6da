import Contracts
import Foundation

/// `Benchmarks <scenario> [arguments]`: each prints lines of `name value unit`, which `run.py` compares with the peers.
@main
enum Benchmarks {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "json": try JSONBenchmark.run()
    case "call": try await CallBenchmark.run()
    case "auth": try await AuthBenchmark.run()
    case "sqlite": try await SQLiteBenchmark.run()
    case "serve": try await CallBenchmark.serve()
    case "shop": try await ShopBenchmark.run()
    case "ledger" where arguments.count >= 2:
      try await LedgerBenchmark.run(
        orders: Int(arguments[1]) ?? 1_000_000, databaseURL: arguments.dropFirst(2).first)
    case "deck" where arguments.count == 3:
      try await DeckBenchmark.run(people: Int(arguments[1]) ?? 100_000, cities: Int(arguments[2]) ?? 1)
    case "search" where arguments.count == 2: try await SearchBenchmark.run(documents: Int(arguments[1]) ?? 100_000)
    case "messages": try await MessageBenchmark.run(databaseURL: arguments.dropFirst().first)
    case "limits" where arguments.count == 2: try await LimitBenchmark.run(redisURL: arguments[1])
    // The description of a service for the gateway, for upstreams that stand in for auth.
    case "description":
      let description = try ServiceDescription(of: AuthAPI.self)
      let answer = DescriptionAPI.Answer(version: "1", description: description)
      print(String(decoding: try WireJSON.encode(answer), as: UTF8.self))
    case "bare-listings" where arguments.count == 2: try await ShopBenchmark.serveBare(arguments[1])
    case "bare-file" where arguments.count == 3: try await BareServer.run(file: arguments[1], type: arguments[2])
    case "client" where arguments.count == 5:
      try await ClientBenchmark.run(
        library: arguments[1],
        origin: arguments[2],
        inFlight: Int(arguments[3]) ?? 1,
        requests: Int(arguments[4]) ?? 1
      )
    default:
      print(
        "usage: Benchmarks json | call | sqlite | auth | shop | ledger ORDERS [POSTGRES] | deck PEOPLE CITIES | search DOCUMENTS | messages [POSTGRES] | limits REDIS | serve | description | bare-listings DATABASE | bare-file PATH TYPE | client curl|ahc ORIGIN IN_FLIGHT REQUESTS"
      )
      exit(2)
    }
  }

  /// User and system time of this process, in microseconds.
  static func processorTime() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func microseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e6 + Double(time.tv_usec) }
    return microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
  }

  /// Prints the cost of one of `count` repetitions.
  static func measure(_ name: String, count: Int, _ body: () async throws -> Void) async rethrows {
    let (processor, wall) = (processorTime(), Date())
    try await body()
    let elapsed = Date().timeIntervalSince(wall)
    print(
      "\(name) \(format((processorTime() - processor) / Double(count))) us-cpu \(format(Double(count) / elapsed)) per-second"
    )
  }

  static func format(_ value: Double) -> String { String(format: value < 100 ? "%.1f" : "%.0f", value) }

  static func percentile(_ sorted: [Double], _ fraction: Double) -> Double {
    sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]
  }
}
