import Foundation

/// Runs a parser on inputs that are almost valid, and ends a test at the first one that it does not survive.
///
/// Each input has a seed of its own: `QUINTET_SEED` with the seed that a failure printed makes that input the first. The
/// environment variable `QUINTET_FUZZ` sets the number of inputs. A crash leaves the seed of its input in the folder
/// `QUINTET_FUZZ_FOLDER`, when that is set; a hang is reported with it.
public struct Fuzzer: Sendable {
  /// How the processor time of an input is measured.
  public enum Clock: Sendable {
    /// The parser stays on one thread.
    case thread
    /// The parser may change threads; what other tests do meanwhile counts too.
    case process

    fileprivate func seconds() -> Double {
      var time = timespec()
      clock_gettime(self == .thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
  }

  private let name: String
  private let corpus: FuzzCorpus
  private let count: Int
  private let clock: Clock

  /// Processor time that one input may take, in seconds: a thousand times what it takes.
  private static let limit = 1.0

  /// - Parameters:
  ///   - name: In lowercase with dashes; names the file of a crash.
  ///   - inputs: The number of inputs unless `QUINTET_FUZZ` sets another.
  public init(_ name: String, _ corpus: FuzzCorpus, inputs: Int = 20_000, clock: Clock = .thread) {
    self.name = name
    self.corpus = corpus
    self.clock = clock
    count = ProcessInfo.processInfo.environment["QUINTET_FUZZ"].flatMap { Int($0) } ?? inputs
  }

  /// - Parameters:
  ///   - isMixed: Whether some inputs must be accepted and some refused: a fuzzer that reaches only one of both tests
  ///     little.
  ///   - parse: Returns whether the input was accepted. It throws when what it found contradicts the input, not when
  ///     the parser refuses it.
  public func run(
    isMixed: Bool = true,
    _ parse: (_ input: [UInt8], _ random: inout SeededGenerator) async throws -> Bool
  ) async throws {
    let first = SeededGenerator().seed
    let progress = FuzzProgress(name)
    defer { progress.end() }
    print("fuzz \(name): \(count) inputs, QUINTET_SEED=\(first)")
    let start = ContinuousClock.now
    var accepted = 0
    for number in 0..<count {
      let seed = first &+ UInt64(number)
      progress.begin(seed)
      var random = SeededGenerator(seed: seed)
      let input = corpus.input(&random)
      let state = random
      let before = clock.seconds()
      do { if try await parse(input, &random) { accepted += 1 } } catch {
        throw failure(seed, input, "\(error)")
      }
      if clock.seconds() - before > Self.limit { try await requireFast(seed, input, state, parse) }
      // Other tests share these few threads.
      if number % 256 == 255 { await Task.yield() }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    print("fuzz \(name): \(Int(Double(count) / max(seconds, 1e-9))) inputs per second, \(accepted) accepted")
    guard !isMixed || count < 1000 || accepted > 0 && accepted < count else {
      throw TestKitError("\(name): \(accepted) of \(count) inputs were accepted, which tests nothing")
    }
  }

  /// A machine that does something else for a moment does not do so every time.
  private func requireFast(
    _ seed: UInt64, _ input: [UInt8], _ state: SeededGenerator,
    _ parse: (_ input: [UInt8], _ random: inout SeededGenerator) async throws -> Bool
  ) async throws {
    var fastest = Double.infinity
    for _ in 0..<20 {
      var random = state
      let before = clock.seconds()
      _ = try await parse(input, &random)
      fastest = min(fastest, clock.seconds() - before)
      if fastest <= Self.limit { return }
    }
    throw failure(seed, input, "took \(fastest) s of processor time")
  }

  private func failure(_ seed: UInt64, _ input: [UInt8], _ what: String) -> TestKitError {
    let text = String(decoding: input, as: UTF8.self).debugDescription
    return TestKitError("\(name) QUINTET_SEED=\(seed): \(what)\n\(text)\n\(Data(input).base64EncodedString())")
  }
}

/// Throws when a claim about what a parser has accepted does not hold.
public func confirm(_ holds: Bool, _ claim: @autoclosure () -> String) throws {
  if !holds { throw TestKitError(claim()) }
}
