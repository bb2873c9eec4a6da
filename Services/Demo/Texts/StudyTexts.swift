/// A set of cards to learn.
struct DemoDeck: Sendable {
  let title: String
  let description: String
  let tags: [String]
  let cards: [(front: String, back: String)]

  /// - Parameter lines: A card each, its sides separated by `=`.
  init(_ title: String, _ description: String, tags: [String], _ lines: String) {
    (self.title, self.description, self.tags) = (title, description, tags)
    cards = lines.split(separator: "\n").compactMap { line in
      let sides = line.split(separator: "=", maxSplits: 1).map { String($0) }
      return sides.count == 2 ? (sides[0], sides[1]) : nil
    }
  }
}

enum StudyTexts {
  static let decks = [
    DemoDeck(
      "Capitals of Europe", "Every country that comes up in the test.", tags: ["geography", "europe"],
      """
      Portugal=Lisbon
      Norway=Oslo
      Hungary=Budapest
      Croatia=Zagreb
      Latvia=Riga
      Bulgaria=Sofia
      Iceland=Reykjavík
      Slovenia=Ljubljana
      Romania=Bucharest
      Malta=Valletta
      Estonia=Tallinn
      Switzerland=Bern
      Albania=Tirana
      Finland=Helsinki
      """),
    DemoDeck(
      "Spanish: the kitchen", "Words for cooking together.", tags: ["spanish", "language"],
      """
      the spoon=la cuchara
      the knife=el cuchillo
      the pot=la olla
      the frying pan=la sartén
      to peel=pelar
      to boil=hervir
      the salt=la sal
      the garlic=el ajo
      the oven=el horno
      the plate=el plato
      to stir=remover
      the recipe=la receta
      """),
    DemoDeck(
      "Bones of the human body", "Anatomy, first semester.", tags: ["anatomy", "nursing"],
      """
      Collarbone=Clavicle
      Shoulder blade=Scapula
      Upper arm=Humerus
      Thigh=Femur
      Kneecap=Patella
      Shin=Tibia
      Breastbone=Sternum
      Jaw=Mandible
      Skull=Cranium
      Heel=Calcaneus
      Tailbone=Coccyx
      """),
    DemoDeck(
      "Chemical elements", "Symbols that do not follow from the English name.", tags: ["chemistry"],
      """
      Sodium=Na
      Potassium=K
      Iron=Fe
      Silver=Ag
      Gold=Au
      Lead=Pb
      Tin=Sn
      Mercury=Hg
      Copper=Cu
      Tungsten=W
      Antimony=Sb
      """),
    DemoDeck(
      "Years to remember", "World history in one column.", tags: ["history"],
      """
      Printing press of Gutenberg=1450
      Columbus reaches America=1492
      Luther's theses=1517
      French Revolution=1789
      First steam railway=1825
      Suffrage in New Zealand=1893
      First powered flight=1903
      Penicillin is discovered=1928
      Moon landing=1969
      Fall of the Berlin Wall=1989
      """),
    DemoDeck(
      "Big O", "How the time of an algorithm grows.", tags: ["computer science"],
      """
      Binary search=O(log n)
      Merge sort=O(n log n)
      Insertion sort, worst case=O(n²)
      Access to an array=O(1)
      Look-up in a balanced tree=O(log n)
      Breadth-first search=O(V + E)
      Look-up in a hash table, expected=O(1)
      All subsets=O(2ⁿ)
      """),
  ]
}
