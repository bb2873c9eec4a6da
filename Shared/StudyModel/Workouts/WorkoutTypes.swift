extension WorkoutType {
  /// Stored with each workout; changes with the table.
  public static let tableVersion = "compendium-2024.1"

  /// All types, in the order of the Compendium's headings.
  public static let all: [WorkoutType] = cycling + conditioning + running + sports + walking + swimming

  private typealias Entry = (code: String, met: Double)

  private static func type(
    _ id: String, _ name: String, light: Entry? = nil, moderate: Entry? = nil, vigorous: Entry? = nil
  ) -> WorkoutType {
    var entries: [WorkoutIntensity: CompendiumEntry] = [:]
    if let light { entries[.light] = CompendiumEntry(code: light.code, met: light.met) }
    if let moderate { entries[.moderate] = CompendiumEntry(code: moderate.code, met: moderate.met) }
    if let vigorous { entries[.vigorous] = CompendiumEntry(code: vigorous.code, met: vigorous.met) }
    return WorkoutType(id: id, name: name, entries: entries)
  }

  private static let cycling = [
    type("cycling", "Cycling", light: ("01015", 4.3), moderate: ("01016", 7.0), vigorous: ("01017", 9.0)),
    type(
      "stationary-bike", "Stationary bike", light: ("01214", 4.0), moderate: ("01220", 6.0), vigorous: ("01232", 10.3)),
    type("spinning", "Indoor cycling class", vigorous: ("01270", 9.0)),
  ]

  private static let conditioning = [
    type("aerobics", "Aerobics", moderate: ("02005", 4.8), vigorous: ("02006", 8.0)),
    type("calisthenics", "Calisthenics", light: ("02024", 2.8), moderate: ("02022", 3.8), vigorous: ("02020", 7.5)),
    type(
      "circuit-training", "Circuit training", light: ("02034", 3.5), moderate: ("02035", 5.0),
      vigorous: ("02040", 7.5)),
    type("elliptical", "Elliptical trainer", moderate: ("02048", 5.0), vigorous: ("02049", 9.0)),
    type("weights", "Weight training", light: ("02054", 3.5), moderate: ("02052", 5.0), vigorous: ("02050", 6.0)),
    type("body-weight", "Body weight exercises", light: ("02056", 3.0), vigorous: ("02057", 6.5)),
    type("kettlebell", "Kettlebell swings", vigorous: ("02058", 9.8)),
    type("squats", "Squats and deadlifts", moderate: ("02052", 5.0)),
    type("hiit", "High-intensity interval training", moderate: ("02210", 7.0), vigorous: ("02214", 11.0)),
    type("stair-machine", "Stair machine", vigorous: ("02065", 9.3)),
    type("rowing", "Rowing machine", moderate: ("02071", 5.0), vigorous: ("02072", 7.5)),
    type("rowing-150-watts", "Rowing machine, 150 watts and more", vigorous: ("02073", 11.0)),
    type("rowing-200-watts", "Rowing machine, 200 watts and more", vigorous: ("02074", 14.0)),
    type("stretching", "Stretching", light: ("02101", 2.3)),
    type("pilates", "Pilates", light: ("02105", 2.8)),
    type("yoga", "Yoga", light: ("02175", 2.3), moderate: ("02160", 4.0), vigorous: ("02153", 8.0)),
    type("zumba", "Zumba", moderate: ("02315", 5.5), vigorous: ("02310", 6.5)),
    type("water-aerobics", "Water aerobics", moderate: ("02120", 5.3)),
    type("home-exercise", "Exercise video", light: ("02140", 2.5), moderate: ("02143", 4.0), vigorous: ("02145", 6.0)),
  ]

  private static let running = [
    type("jogging", "Jogging", light: ("12010", 6.0), moderate: ("12020", 7.5)),
    type("running", "Running", light: ("12030", 8.5), moderate: ("12050", 9.3), vigorous: ("12070", 11.0)),
    type("running-8-mph", "Running, 8 mph (13 km/h)", vigorous: ("12090", 12.0)),
    type("running-10-mph", "Running, 10 mph (16 km/h)", vigorous: ("12120", 14.8)),
  ]

  private static let sports = [
    type("boxing", "Boxing", light: ("15110", 5.8), moderate: ("15120", 7.8), vigorous: ("15100", 12.3)),
    type("martial-arts", "Martial arts", light: ("15425", 5.3), vigorous: ("15430", 10.3)),
    type("jump-rope", "Jumping rope", light: ("15552", 8.3), moderate: ("15551", 11.8), vigorous: ("15550", 12.3)),
  ]

  private static let walking = [
    type("walking", "Walking", light: ("17190", 3.8), moderate: ("17200", 4.8), vigorous: ("17220", 5.5)),
    type("hill-climbing", "Walking uphill", light: ("17034", 5.3), moderate: ("17035", 7.0), vigorous: ("17036", 8.8)),
    type("stairs", "Climbing stairs", light: ("17133", 4.5), moderate: ("17131", 6.8), vigorous: ("17134", 9.3)),
    type("backpacking", "Hiking with a backpack", moderate: ("17010", 7.0)),
  ]

  private static let swimming = [
    type("swimming", "Swimming", light: ("18240", 5.8), moderate: ("18290", 8.0), vigorous: ("18230", 9.8)),
    type("breaststroke", "Swimming, breaststroke", moderate: ("18265", 5.3), vigorous: ("18260", 10.3)),
    type("backstroke", "Swimming, backstroke", moderate: ("18255", 4.8), vigorous: ("18250", 9.5)),
  ]
}
