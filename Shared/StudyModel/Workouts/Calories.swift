/// Energy used by exercise.
public enum Calories {
  /// Stored with each workout, so that a change of the formula or the table never changes past totals.
  public static let formulaVersion = 1

  /// Kilocalories: MET × 3.5 × kg ÷ 200 × minutes.
  ///
  /// 1 MET is an oxygen uptake of 3.5 ml per kg and minute, and a liter of oxygen about 5 kcal. The other convention, 1
  /// kcal per kg and hour, gives 5 % less. Values that are negative or not finite count as 0.
  public static func burned(met: Double, kilograms: Double, activeSeconds: Double) -> Double {
    guard met.isFinite, kilograms.isFinite, activeSeconds.isFinite else { return 0 }
    return max(met, 0) * 3.5 * max(kilograms, 0) / 200 * (max(activeSeconds, 0) / 60)
  }
}
