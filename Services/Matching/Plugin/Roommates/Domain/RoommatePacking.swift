import Contracts

extension PackedRoommate {
  /// Packs a profile. Preferences that lack what they compare count nothing.
  init(_ profile: CompleteProfile, _ tables: inout RoommateTables) {
    self.init(PackedID(profile.userID))
    let preferences = profile.preferences
    birthday = Self.packed(profile.identity.birthday)
    own |= Self.bits(of: [profile.identity.gender], .gender)
    add(preferences.gender?.accepts, preferences.gender?.weight, .gender)
    add(preferences.smoking, .smoking)
    own |= Self.bits(of: preferences.pets?.own ?? [], .pets)
    add(preferences.pets?.accepts, preferences.pets?.weight, .pets)
    add(preferences.cleanliness, .cleanliness)
    add(preferences.noise, .noise)
    add(preferences.sleep, .sleep)
    add(preferences.guests, .guests)
    add(preferences.cooking, .cooking)
    add(preferences.workFromHome, .workFromHome)
    addRanges(preferences)
    if let position = preferences.place?.position {
      point = EarthPoint(position)
      if let distance = preferences.distance {
        kilometers = UInt8(distance.kilometers.value)
        add(distance.weight, .distance)
      }
    }
    if let name = profile.about.school {
      school = tables.number(of: RoommateRegion.folded(name.rawValue))
      add(preferences.school?.weight, .school)
    }
    let (spoken, accepted) = (preferences.languages?.own ?? [], preferences.languages?.accepts ?? [])
    if !spoken.isEmpty || !accepted.isEmpty {
      languages = tables.number(of: LanguageSets(own: spoken, accepts: accepted.isEmpty ? spoken : accepted))
      add(preferences.languages?.weight, .languages)
    }
  }

  private mutating func addRanges(_ preferences: RoommatePreferences) {
    if let budget = preferences.budget {
      (budgetFrom, budgetTo, currency) = (budget.from, budget.to, Self.packed(budget.currency))
      add(budget.weight, .budget)
    }
    if let moveIn = preferences.moveIn {
      (moveInFrom, moveInTo) = (Self.days(moveIn.from), Self.days(moveIn.to))
      add(moveIn.weight, .moveIn)
    }
    if let stay = preferences.stay {
      (stayFrom, stayTo) = (UInt8(stay.from.value), UInt8(stay.to.value))
      add(stay.weight, .stay)
    }
    if let age = preferences.age {
      (ageFrom, ageTo) = (UInt8(age.from.value), UInt8(age.to.value))
      add(age.weight, .age)
    }
  }

  private mutating func add<Value: RoommateWord>(_ choice: ChoicePreference<Value>?, _ field: RoommateField) {
    if let value = choice?.own { own |= Self.bits(of: [value], field) }
    add(choice?.accepts, choice?.weight, field)
  }

  private mutating func add<Value: RoommateWord>(
    _ accepted: [Value]?, _ weight: PreferenceWeight?, _ field: RoommateField
  ) {
    guard let accepted, !accepted.isEmpty else { return }
    accepts |= Self.bits(of: accepted, field)
    if weight == .must { required |= field.mask }
    add(weight, field)
  }

  private mutating func add(_ weight: PreferenceWeight?, _ field: RoommateField) {
    switch weight {
    case .must: musts |= field.bit
    case .prefer: prefers |= field.bit
    case .indifferent, nil: break
    }
  }

  private static func bits<Value: RoommateWord>(of values: [Value], _ field: RoommateField) -> UInt64 {
    values.reduce(0) { $0 | 1 << (field.bits.offset + UInt64($1.position)) }
  }

  /// Five bits for each letter.
  private static func packed(_ currency: Currency) -> UInt16 {
    currency.code.utf8.reduce(0) { $0 << 5 | UInt16($1 & 0x1F) }
  }

  static func days(_ date: CalendarDate) -> UInt16 {
    let start = Timestamp("\(date)T00:00:00Z")?.microseconds ?? 0
    return UInt16(clamping: start / 86_400_000_000)
  }
}

/// A value of a small closed set.
protocol RoommateWord {
  /// Its position in the set.
  var position: Int { get }
}

extension RoommateWord where Self: CaseIterable & Equatable {
  var position: Int { Self.allCases.enumerated().first { $0.element == self }?.offset ?? 0 }
}

extension Gender: RoommateWord {}
extension SmokingHabit: RoommateWord {}
extension Pet: RoommateWord {}
extension SleepRhythm: RoommateWord {}
extension LivingFrequency: RoommateWord {}
extension LivingLevel: RoommateWord { var position: Int { value - 1 } }
