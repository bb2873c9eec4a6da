import Contracts
import Persistence
import ServiceKit
import StudyModel
import SyncMerge

/// The first page of an app: the sets that were studied last, what is due, and today's study.
struct StudyHomePage: Feature {
  private static let recentSets = 10

  private let core: StudyCore

  init(_ core: StudyCore) { self.core = core }

  func register(in routes: inout Routes) { routes.on(StudyAPI.GetStudyHome.self, home) }

  private struct Found: Sendable {
    var home: StudyHome
    var recent: [SetActivityStore.Activity]
    var counts: [StudySetID: DueCounts.Counts]
    var records: [StoredRecord]
  }

  private func home(_ request: StudyAPI.GetStudyHome, _ call: Call) async throws -> StudyHome {
    let (user, now) = (try call.user.id, core.time.now())
    let found = try await core.database.read { [core] db in
      let settings = try SchedulerSettings.of(user, core.records, in: db)
      let today = try LocalToday(request.utcOffsetMinutes, of: user, settings, at: now, in: db)
      let memberships = try VisibleSets.list(of: user, in: db)
      let due = try DueSets(memberships, of: user, today, settings, in: db)
      let visible = Set(memberships.map(\.space.id))
      // Also sets that the user no longer sees have been studied.
      let recent = try SetActivityStore.list(of: user, limit: SyncPush.maxSpaces, in: db)
        .filter { visible.contains($0.set.space) }.prefix(Self.recentSets)
      let day = Int64(today.day.number)
      let days = try StudyDayStore.list(of: user, from: day, through: day, in: db)
      let date = CalendarDate(today.day) ?? CalendarDate(now)
      return Found(
        home: StudyHome(
          today: StudyDayTotals.list(days).first ?? StudyDayTotals(date: date, milliseconds: 0),
          streak: try StudyStreak.of(user, today, in: db), due: due.total, sets: []),
        recent: Array(recent),
        counts: Dictionary(uniqueKeysWithValues: recent.map { ($0.set, due.counts(of: $0.set)) }),
        records: try RecordStore.find(recent.map { RecordID(trusted: $0.set.rawValue) }, in: db))
    }
    var titles: [String: String] = [:]
    for record in found.records where record.deletedAt == nil {
      titles[record.id.rawValue] = try core.records.open(record)["title"]?.string ?? ""
    }
    var home = found.home
    home.sets = found.recent.compactMap { set, total in
      titles[set.rawValue].map {
        StudyHome.RecentSet(
          set: set, title: $0, lastStudiedAt: total.lastAt, milliseconds: total.milliseconds, reviews: total.reviews,
          due: found.counts[set] ?? DueCounts.Counts())
      }
    }
    return home
  }
}
