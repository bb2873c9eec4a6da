import Contracts

/// Bid increments by price.
///
/// The table is eBay's for US dollars, in cents. Currencies without a minor unit use its numbers unchanged (¥5 up to
/// ¥99), those with three digits ten times and those with four digits a hundred times as much.
enum Increments {
  /// The step for prices up to a limit; the last step has no limit.
  private static let table: [(upTo: Int64, step: Int64)] = [
    (99, 5), (4_99, 25), (24_99, 50), (99_99, 1_00), (249_99, 2_50), (499_99, 5_00), (999_99, 10_00),
    (2_499_99, 25_00), (4_999_99, 50_00), (.max, 100_00),
  ]

  /// The step above a price, in minor units.
  static func step(above price: Int64, in currency: Currency) -> Int64 {
    let scale: Int64 = (0..<max(0, currency.exponent - 2)).reduce(1) { scale, _ in scale * 10 }
    return (table.first { price / scale <= $0.upTo }?.step ?? 100_00) * scale
  }
}
