import Contracts
import Persistence
import StudyModel

/// The day that it is for a user.
struct LocalToday: Sendable {
  let day: StudyDay
  let utcOffsetMinutes: Int
  let rolloverHour: Int
  let now: Timestamp

  /// - Parameter offset: Local time minus UTC; `nil` for where the user studied last.
  init(
    _ offset: UTCOffsetMinutes?, of user: UserID, _ settings: SchedulerSettings, at now: Timestamp,
    in db: any Connection
  )
    throws
  {
    let last = { () throws -> Int? in
      try db.value("SELECT utc_offset FROM study_log WHERE user_id = \(user) ORDER BY sequence DESC LIMIT 1")
    }
    (utcOffsetMinutes, rolloverHour) = (try offset?.value ?? last() ?? 0, settings.rolloverHour)
    self.now = now
    day = StudyDay(at: now.milliseconds, utcOffsetMinutes: utcOffsetMinutes, rolloverHour: rolloverHour)
  }

  /// The last moment of the day.
  var end: Timestamp {
    let next = day.advanced(by: 1).start(utcOffsetMinutes: utcOffsetMinutes, rolloverHour: rolloverHour)
    return Timestamp(clamping: next - 1)
  }
}

extension CalendarDate {
  /// - Returns: `nil` for days outside the years 0 to 9999.
  init?(_ day: StudyDay) { self.init(day.description) }

  var studyDay: StudyDay? { StudyDay(year: year, month: month, day: day) }
}
