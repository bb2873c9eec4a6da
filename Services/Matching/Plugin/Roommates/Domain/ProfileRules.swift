import Contracts

/// The rules for profiles, beyond what their types already guarantee.
enum ProfileRules {
  static let leastAge = 18
  private static let years = 2000...2100

  /// - Parameter isComplete: Whether every stage has to be there.
  static func errors(_ stages: RoommateStages, isComplete: Bool, on today: CalendarDate) -> [Problem.Detail] {
    var errors = Errors()
    if isComplete {
      for stage in stages.missing { errors.add(stage.rawValue, "is required in a complete profile") }
      if let preferences = stages.preferences, preferences.place == nil {
        errors.add("preferences.place", "is required in a complete profile")
      }
    }
    if let identity = stages.identity {
      let age = identity.birthday.years(until: today)
      if age < leastAge { errors.add("identity.birthday", "must be at least \(leastAge) years ago") }
      if age > RoommateAge.range.upperBound { errors.add("identity.birthday", "is too long ago") }
    }
    if let photos = stages.photos, photos.others.count > 8 {
      errors.add("photos.others", "may have at most 8 items")
    }
    if let preferences = stages.preferences { errors.check(preferences) }
    return errors.found
  }

  private struct Errors {
    var found: [Problem.Detail] = []

    mutating func add(_ location: String, _ message: String) {
      found.append(.init(location: "body.\(location)", message: message))
    }

    mutating func check(_ preferences: RoommatePreferences) {
      if let place = preferences.place { check(place) }
      if let budget = preferences.budget {
        if !(0...Price.limit).contains(budget.from) {
          add("preferences.budget.from", "must be from 0 to \(Price.limit)")
        }
        if budget.to > Price.limit { add("preferences.budget.to", "must be at most \(Price.limit)") }
        order("budget", budget.from, budget.to)
      }
      if let moveIn = preferences.moveIn {
        for (name, day) in [("from", moveIn.from), ("to", moveIn.to)] where !ProfileRules.years.contains(day.year) {
          add("preferences.moveIn.\(name)", "must be from the year 2000 to 2100")
        }
        order("moveIn", moveIn.from, moveIn.to)
      }
      if let stay = preferences.stay { order("stay", stay.from.value, stay.to.value) }
      if let age = preferences.age { order("age", age.from.value, age.to.value) }
      if let gender = preferences.gender { accepted("gender", gender.accepts, gender.weight) }
      choice("smoking", preferences.smoking)
      choice("cleanliness", preferences.cleanliness)
      choice("noise", preferences.noise)
      choice("sleep", preferences.sleep)
      choice("guests", preferences.guests)
      choice("cooking", preferences.cooking)
      choice("workFromHome", preferences.workFromHome)
      if let pets = preferences.pets {
        if let own = pets.own { list("pets.own", own) }
        if let own = pets.own, own.contains(.none), own.count > 1 {
          add("preferences.pets.own", "must not combine none with other values")
        }
        accepted("pets", pets.accepts, pets.weight)
      }
      if let languages = preferences.languages {
        if let own = languages.own { list("languages.own", own) }
        accepted("languages", languages.accepts ?? languages.own, languages.weight)
      }
    }

    private mutating func check(_ place: RoommatePlace) {
      if place.city == nil && place.position == nil {
        add("preferences.place", "must have a city or a position")
      }
      guard let position = place.position, SnappedPosition(position) == nil else { return }
      add("preferences.place.position", "must have a latitude from -90 to 90 and a longitude from -180 to 180")
    }

    private mutating func order<Value: Comparable>(_ field: String, _ from: Value, _ to: Value) {
      if from > to { add("preferences.\(field).to", "must not be before from") }
    }

    private mutating func choice<Value>(_ field: String, _ choice: ChoicePreference<Value>?) {
      if let choice { accepted(field, choice.accepts, choice.weight) }
    }

    private mutating func accepted<Value: Hashable>(_ field: String, _ values: [Value]?, _ weight: PreferenceWeight?) {
      if let values { return list("\(field).accepts", values, isWeighted: weight != nil && weight != .indifferent) }
      if weight == .must || weight == .prefer { add("preferences.\(field).accepts", "is required with a weight") }
    }

    private mutating func list<Value: Hashable>(_ field: String, _ values: [Value], isWeighted: Bool = false) {
      if values.isEmpty && isWeighted { add("preferences.\(field)", "must not be empty with a weight") }
      if values.count > 20 { add("preferences.\(field)", "may have at most 20 items") }
      if Set(values).count < values.count { add("preferences.\(field)", "must not repeat items") }
    }
  }
}
