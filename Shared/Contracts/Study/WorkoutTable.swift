/// The types of workouts, from the 2024 Adult Compendium of Physical Activities.
public struct WorkoutTable: Codable, Sendable, Equatable {
  public var items: [ListedWorkoutType]
  public var tableVersion: String
  public var formulaVersion: Int

  public init(items: [ListedWorkoutType], tableVersion: String, formulaVersion: Int) {
    (self.items, self.tableVersion, self.formulaVersion) = (items, tableVersion, formulaVersion)
  }
}

public struct ListedWorkoutType: Codable, Sendable, Equatable {
  public struct Intensity: Codable, Sendable, Equatable {
    public var intensity: IntensityLevel
    /// Multiple of the energy used at rest.
    public var met: Double
    public var compendiumCode: String

    public init(intensity: IntensityLevel, met: Double, compendiumCode: String) {
      (self.intensity, self.met, self.compendiumCode) = (intensity, met, compendiumCode)
    }
  }

  public var id: WorkoutTypeID
  public var name: String
  /// From light to vigorous; at least one.
  public var intensities: [Intensity]

  public init(id: WorkoutTypeID, name: String, intensities: [Intensity]) {
    (self.id, self.name, self.intensities) = (id, name, intensities)
  }
}

public struct WorkoutTypeID: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...64, pattern: "^[a-z0-9-]+$", example: "running",
    violation: { text in
      text.utf8.allSatisfy { $0.isLowercaseOrDigit || $0 == UInt8(ascii: "-") }
        ? nil : "must be lowercase letters, digits and hyphens"
    }
  )
}

public enum IntensityLevel: String, WireEnum { case light, moderate, vigorous }

/// Finished workouts of some days.
public struct WorkoutTotals: Codable, Sendable, Equatable {
  /// Some workouts together.
  public struct Sum: Codable, Sendable, Equatable {
    public var count: Int
    public var activeSeconds: Double
    public var kilocalories: Double

    public init(count: Int = 0, activeSeconds: Double = 0, kilocalories: Double = 0) {
      (self.count, self.activeSeconds, self.kilocalories) = (count, activeSeconds, kilocalories)
    }
  }

  public struct Day: Codable, Sendable, Equatable {
    public var day: CalendarDate
    public var sum: Sum

    public init(day: CalendarDate, sum: Sum) { (self.day, self.sum) = (day, sum) }
  }

  public struct TypeSum: Codable, Sendable, Equatable {
    public var type: String
    public var sum: Sum

    public init(type: String, sum: Sum) { (self.type, self.sum) = (type, sum) }
  }

  public var all: Sum
  /// The days that have workouts, in their order.
  public var days: [Day]
  /// The sums by type, in alphabetical order.
  public var types: [TypeSum]

  public init(all: Sum, days: [Day], types: [TypeSum]) { (self.all, self.days, self.types) = (all, days, types) }
}
