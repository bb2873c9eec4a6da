import Contracts
import Foundation

/// The JSON coders compared with Foundation's, on a page of 20 listings.
enum JSONBenchmark {
  static func run() throws {
    let page = SampleListing.page(20)
    let bytes = try WireJSON.encode(page)
    print("page \(bytes.count) bytes")
    let encoder = JSONEncoder()
    let decoder = JSONDecoder()
    let data = Data(bytes)
    for _ in 0..<2 {
      try repeated("encode-ours") { _ = try WireJSON.encode(page) }
      try repeated("encode-foundation") { _ = try encoder.encode(page) }
      try repeated("decode-ours") { _ = try WireJSON.decode(Page<SampleListing>.self, from: bytes) }
      try repeated("decode-foundation") { _ = try decoder.decode(Page<SampleListing>.self, from: data) }
    }
  }

  private static func repeated(_ name: String, _ body: () throws -> Void) rethrows {
    let count = 5000
    let start = Benchmarks.processorTime()
    for _ in 0..<count { try body() }
    print("\(name) \(Benchmarks.format((Benchmarks.processorTime() - start) / Double(count))) us-cpu")
  }
}
