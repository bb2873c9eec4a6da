import Contracts
public import Threads

extension WorkThreads {
  /// Threads whose callers are asked to return in five seconds when too much is waiting.
  ///
  /// - Parameters:
  ///   - count: How many threads; by default one per core.
  ///   - name: The name that debuggers show.
  ///   - capacity: How many pieces of work may wait.
  public convenience init(_ count: Int? = nil, named name: String, waiting capacity: Int) {
    self.init(count, named: name, waiting: capacity, refusal: Problem(.overloaded, retryAfter: 5))
  }
}
