/// The names of people and the texts about themselves. All of them are made up.
enum PersonTexts {
  static let female = words(
    """
    Maya Nora Lina Aisha Chloe Priya Sofia Ingrid Yuki Amara Elena Hannah Leila Mei Rosa Tess Wanda Zoe Camila Freya \
    Ines Jana Keiko Lucia Mira Naomi Odette Paloma Ruth Selma Thandi Uma Vera Xenia Yara Ayla Bianca Dalia Esme Farah
    """)
  static let male = words(
    """
    Leo Omar Ivan Mateo Kofi Jonas Ravi Hugo Kenji Diego Emil Felix Noah Tariq Bruno Caleb Dario Elias Finn Gabriel \
    Hamza Isak Jamal Karim Luca Milo Nico Oscar Pavel Quinn Rafael Samir Theo Umar Viktor Wes Yusuf Zane Anton Boris
    """)
  static let last = words(
    """
    Lindqvist Okafor Marchetti Tanaka Alvarez Novak Haddad Brandt Silva Kimura Osei Petrov Moreau Iyer Castellano \
    Dahl Farouk Greco Holm Ibarra Jansen Kaya Laurent Mbeki Nilsen Ortega Pacheco Quist Romano Sato Torres Ueda \
    Vargas Weiss Yilmaz Zeman Abebe Bauer Costa Duarte Eklund Fontaine Gallo Hoang Ilves Juhasz Khan Lopez Meyer Nair
    """)

  static let schools = [
    "Riverside College", "Lakeview University", "Austin City College", "Hill Country Institute", "Northgate Academy",
  ]

  static let biographies: [[String]] = [
    // Archived
    [
      "Makes beats at night and coffee in the morning.", "Drums first, everything else later.",
      "Writes hooks, looks for the right chords.", "Samples old records, clears every one of them.",
      "Two monitors, one cat, too many synthesizers.",
    ],
    // KeepFit
    [
      "Training for a first half marathon.", "Lifts on weekdays, hikes on weekends.", "Yoga before sunrise.",
      "Back on the bike after a long winter.", "Counts steps, not calories.",
    ],
    // Yesenia Designs
    [
      "Collects ribbons in every color.", "Gives handmade presents only.", "Crafts with the children on Sundays.",
      "Still learning how to tie a proper bow.", "Sews, glues, and sweeps up glitter.",
    ],
    // Roomi
    [
      "Cooks for two by accident, every time.", "Quiet on weekdays, games night on Fridays.",
      "New in town and looking for a bright room.", "Plays the piano until nine, never after.",
      "Brings plants, a bicycle and good manners.",
    ],
    // LetuStudy
    [
      "Preparing for the nursing exam.", "Learns a language a year.", "Third semester, first all-nighter survived.",
      "Makes flashcards of everything.", "Back at school after ten years of work.",
    ],
  ]

  private static func words(_ text: String) -> [String] { text.split(separator: " ").map { String($0) } }
}
