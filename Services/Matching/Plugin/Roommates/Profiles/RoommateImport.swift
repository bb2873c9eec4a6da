package import Contracts
import Persistence

extension MatchingPlugin {
  /// Stores complete profiles in one transaction, for measurements with many people.
  package func addRoommates(_ profiles: [(user: UserID, profile: MatchingAPI.PutRoommateProfile)]) async throws {
    guard let core = features.lazy.compactMap({ $0 as? RoommateProfiles }).first?.core else { return }
    try await core.database.write { tx in
      for (user, profile) in profiles {
        let stages = RoommateStages(
          contact: profile.contact, identity: profile.identity, about: profile.about, preferences: profile.preferences,
          photos: profile.photos)
        let stored = StoredRoommate(
          userID: user, generation: core.ids.text(), isComplete: true, version: 1, stages: stages, updatedAt: tx.now,
          activeAt: tx.now)
        try core.profiles.save(stored, wasVisible: false, in: tx)
      }
    }
  }
}
