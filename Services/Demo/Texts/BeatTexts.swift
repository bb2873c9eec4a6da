/// Titles and comments of music.
enum BeatTexts {
  private static let first = [
    "Midnight", "Paper", "Copper", "Slow", "Neon", "Velvet", "Winter", "Golden", "Distant", "Concrete", "Silver",
    "Hollow", "Northern", "Electric", "Faded", "Crystal", "Lucky", "Quiet", "Scarlet", "Tidal", "Wild", "Amber",
  ]
  private static let second = [
    "Drive", "Lantern", "Harbor", "Motion", "Letters", "Avenue", "Signal", "Garden", "Mirage", "Echo", "Static",
    "Tempo", "Balcony", "Cassette", "Fever", "Current", "Rooftop", "Skyline", "Pulse", "Daydream", "Orbit", "Rain",
  ]

  /// Different for every number up to 22.
  static func title(_ number: Int, _ random: inout DemoRandom) -> String {
    "\(first[number % first.count]) \(random.pick(second))"
  }

  static func description(of beat: Beat) -> String {
    let use =
      beat.isOpen
      ? "An open without drums, with room for your voice." : "Mixed and ready for vocals; it loops without a seam."
    return "\(beat.tempo) BPM in \(beat.key). \(use)"
  }

  static let comments = [
    "That bass line stays with you.", "Would love to write to this one.", "The drums are so clean!",
    "Is the exclusive still free?", "On repeat since this morning.", "What did you use for the bells?",
    "Leased it for my next single, thank you.", "The drop after four bars, wow.", "Perfect tempo for a night drive.",
    "Can you make a version without the melody?", "My favorite of yours so far.", "Headphones on, world off.",
  ]

  static let offers = [
    "I would like the exclusive for my EP. Would you consider this?",
    "We are two artists and could release it in spring.", "This is what our label can pay at the moment.",
  ]

  static let notes = [
    "We both make beats in the same key. Let us connect!", "Loved your last one.", "Saw your profile, great taste.",
  ]
}
