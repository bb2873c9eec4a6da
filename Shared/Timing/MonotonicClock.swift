import Dispatch

/// The time for deadlines and durations, which no change of the machine's clock moves.
public enum MonotonicClock {
  /// Seconds since an unspecified moment. Reading it costs some nanoseconds and allocates nothing.
  public static func now() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1_000_000_000 }
}
