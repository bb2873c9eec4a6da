import Testing

@testable import StudyModel

struct FSRSWeightsTests {
  @Test func defaultsAreWithinBounds() throws {
    #expect(try FSRSWeights(FSRSWeights.default.values) == .default)
  }

  @Test func boundsAreChecked() {
    var values = FSRSWeights.default.values
    values[4] = 10.01
    #expect(throws: WeightsError.outOfBounds(index: 4)) { try FSRSWeights(values) }
    values[4] = .nan
    #expect(throws: WeightsError.outOfBounds(index: 4)) { try FSRSWeights(values) }
    #expect(throws: WeightsError.count(20)) { try FSRSWeights(Array(values.prefix(20))) }
    #expect(throws: WeightsError.outOfBounds(index: 4)) { try FSRSWeights(migrating: values) }
  }

  /// As fsrs-rs converts the defaults of FSRS-4.5.
  @Test func seventeenWeightsAreMigrated() throws {
    let old = [0.4, 0.6, 2.4, 5.8, 4.93, 0.94, 0.86, 0.01, 1.49, 0.14, 0.94, 2.18, 0.05, 0.34, 1.26, 0.29, 2.61]
    let weights = try FSRSWeights(migrating: old).values
    #expect(weights.count == 21)
    #expect(abs(weights[4] - 6.81) < 1e-12)
    #expect(abs(weights[5] - 0.44675014) < 1e-7)
    #expect(abs(weights[6] - 1.36) < 1e-12)
    #expect(Array(weights.suffix(4)) == [0, 0, 0, 0.5])
  }

  @Test func nineteenWeightsKeepTheOldForgettingCurve() throws {
    let old = Array(FSRSWeights.default.values.prefix(19))
    #expect(try FSRSWeights(migrating: old).values == old + [0, 0.5])
    #expect(throws: WeightsError.count(18)) { try FSRSWeights(migrating: Array(old.prefix(18))) }
  }

  @Test func migratedWeightsAreClipped() throws {
    var old = Array(FSRSWeights.default.values.prefix(19))
    old[9] = -4
    old[17] = 9
    let weights = try FSRSWeights(migrating: old)
    #expect(weights.values[9] == 0)
    #expect(weights.values[17] == 2)
  }
}
