/// The limits of one run of a tool.
public struct ToolLimits: Sendable, Equatable {
  /// The time by the clock, after which the program is killed.
  public var time: Duration
  /// The processor time of all its threads together, in seconds.
  public var processorSeconds: Int
  /// Bytes of address space. That is more than what is in use: each thread reserves several MiB.
  public var memory: Int64
  /// Bytes of each file it writes.
  public var fileBytes: Int64
  /// Bytes of its standard output that ``ToolRunner/run(_:_:in:limits:)`` returns.
  public var outputBytes: Int

  public init(
    time: Duration = .seconds(300), processorSeconds: Int = 120, memory: Int64 = 2 << 30,
    fileBytes: Int64 = 1 << 30, outputBytes: Int = 1 << 20
  ) {
    (self.time, self.processorSeconds, self.memory) = (time, processorSeconds, memory)
    (self.fileBytes, self.outputBytes) = (fileBytes, outputBytes)
  }
}
