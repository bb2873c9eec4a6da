import Contracts

/// The reasons why two people suit each other, in English. They are symmetric.
enum CompatibilityReasons {
  static func of(_ one: CompleteProfile, _ other: CompleteProfile) -> [RoommateReason] {
    let (mine, theirs) = (one.preferences, other.preferences)
    var reasons = [
      smoking(mine.smoking?.own, theirs.smoking?.own), budgets(mine.budget, theirs.budget),
      moveIn(mine.moveIn, theirs.moveIn), stay(mine.stay, theirs.stay),
      similar(mine.cleanliness?.own, theirs.cleanliness?.own, .similarCleanliness, "Similar cleanliness"),
      similar(mine.noise?.own, theirs.noise?.own, .similarNoise, "Similar noise level"),
      same(mine.sleep?.own, theirs.sleep?.own, .sameSleep, "Same sleep rhythm"),
      pets(mine.pets?.own, theirs.pets?.own),
    ]
    reasons += [
      same(mine.guests?.own, theirs.guests?.own, .sameGuests, "Have guests equally often"),
      same(mine.cooking?.own, theirs.cooking?.own, .sameCooking, "Cook equally often"),
      same(mine.workFromHome?.own, theirs.workFromHome?.own, .sameWorkFromHome, "Work from home equally often"),
      languages(mine.languages?.own, theirs.languages?.own), school(one.about.school, other.about.school),
      nearby(one.distance(to: other)),
    ]
    return reasons.compactMap(\.self)
  }

  private static func smoking(_ mine: SmokingHabit?, _ theirs: SmokingHabit?) -> RoommateReason? {
    mine == .never && theirs == .never ? RoommateReason(.nonSmokers, "Both are non-smokers") : nil
  }

  private static func budgets(_ mine: BudgetPreference?, _ theirs: BudgetPreference?) -> RoommateReason? {
    guard let mine, let theirs, mine.currency == theirs.currency else { return nil }
    let common = min(mine.to, theirs.to) - max(mine.from, theirs.from)
    guard common >= 0 else { return nil }
    let text = common == 0 ? "Budgets meet" : "Budgets overlap by \(Money(common, mine.currency))"
    return RoommateReason(.budgetsOverlap, text)
  }

  private static func moveIn(_ mine: MoveInPreference?, _ theirs: MoveInPreference?) -> RoommateReason? {
    guard let mine, let theirs else { return nil }
    let (from, to) = (max(mine.from, theirs.from), min(mine.to, theirs.to))
    guard from <= to else { return nil }
    return RoommateReason(
      .moveInOverlaps, from == to ? "Both can move in on \(from)" : "Both can move in from \(from) to \(to)")
  }

  private static func stay(_ mine: StayPreference?, _ theirs: StayPreference?) -> RoommateReason? {
    guard let mine, let theirs else { return nil }
    let (from, to) = (max(mine.from.value, theirs.from.value), min(mine.to.value, theirs.to.value))
    guard from <= to else { return nil }
    return RoommateReason(.stayOverlaps, from == to ? "Both stay \(from) months" : "Both stay \(from) to \(to) months")
  }

  private static func similar(
    _ mine: LivingLevel?, _ theirs: LivingLevel?, _ code: RoommateReason.Code, _ text: String
  ) -> RoommateReason? {
    guard let mine, let theirs, abs(mine.value - theirs.value) <= 1 else { return nil }
    return RoommateReason(code, text)
  }

  private static func same<Value: Equatable>(
    _ mine: Value?, _ theirs: Value?, _ code: RoommateReason.Code, _ text: String
  ) -> RoommateReason? {
    mine != nil && mine == theirs ? RoommateReason(code, text) : nil
  }

  private static func pets(_ mine: [Pet]?, _ theirs: [Pet]?) -> RoommateReason? {
    guard let mine, let theirs, !mine.isEmpty, Set(mine) == Set(theirs) else { return nil }
    return RoommateReason(.samePets, mine == [.none] ? "Both have no pets" : "Both have the same kinds of pets")
  }

  private static func languages(_ mine: [LanguageCode]?, _ theirs: [LanguageCode]?) -> RoommateReason? {
    let common = Set(mine ?? []).intersection(theirs ?? []).map(\.rawValue).sorted()
    return common.isEmpty ? nil : RoommateReason(.sharedLanguages, "Both speak \(common.joined(separator: ", "))")
  }

  private static func school(_ mine: ShortText?, _ theirs: ShortText?) -> RoommateReason? {
    guard let mine, let theirs, RoommateRegion.folded(mine.rawValue) == RoommateRegion.folded(theirs.rawValue) else {
      return nil
    }
    return RoommateReason(.sameSchool, "Same school")
  }

  private static func nearby(_ distance: RoommateDistance?) -> RoommateReason? {
    switch distance {
    case .under2Kilometers: RoommateReason(.nearby, "Less than 2 km apart")
    case .under5Kilometers: RoommateReason(.nearby, "Less than 5 km apart")
    default: nil
    }
  }
}
