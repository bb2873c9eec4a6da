import Contracts
import Persistence
import ServiceKit
import TestKit

@testable import AuthService

/// Objects of accounts: devices, ways to sign in, and schools.
extension MatrixFixtures {
  static let factors = [passkey]

  static let device = MatrixKind(
    name: "device", api: AuthAPI.self, path: "/v1/users/me/devices/{id}",
    // The device of a signed-in user is taken; one without a user could be registered by anyone.
    harmless: ["PUT /v1/users/me/devices/{id}", "DELETE /v1/users/me/devices/{id}"],
    bodies: ["PUT /v1/users/me/devices/{id}": #"{"apnsToken":"\#(String(repeating: "e", count: 64))"}"#]
  ) { matrix, people in
    let id = matrix.test.ids.make(DeviceID.self)
    _ = try await people.owner.client.send(
      AuthAPI.PutDevice(id: id, apnsToken: PushToken(checked: String(repeating: "a", count: 64))))
    let database = try matrix.test.database(of: AuthAPI.self)
    return .init(
      id: id.rawValue,
      look: {
        try await database.read { db in
          let rows = try db.all("SELECT user_id, token_lookup FROM devices WHERE id = \(id)") { row in
            [try row["user_id"] as String, try row["token_lookup"] as String]
          }
          return "\(id): \(rows)"
        }
      })
  }

  static let identity = MatrixKind(
    name: "identity at a provider", api: AuthAPI.self, path: "/v1/auth/identities/{id}"
  ) { matrix, people in
    let identity = ProviderIdentity(issuer: "https://accounts.example.com", subject: "owner")
    try await matrix.test.database(of: AuthAPI.self).write { tx in
      try IdentityStore.insert(identity, of: people.owner.id, in: tx)
    }
    return .init(id: identity.id, view: "/v1/auth/identities")
  }

  static let passkey = MatrixKind(
    name: "passkey", api: AuthAPI.self, path: "/v1/auth/passkeys/{id}",
    bodies: ["PATCH /v1/auth/passkeys/{id}": #"{"name":"Mine"}"#]
  ) { matrix, people in
    let core = try matrix.test.plugin(AuthPlugin.self).core
    let stored = StoredPasskey(
      passkey: Passkey(
        id: core.ids.make(), name: ShortText(checked: "Phone"), createdAt: core.time.now(), lastUsedAt: nil,
        isBackedUp: false, isDistrusted: false),
      userID: people.owner.id, credential: "b3duZXI", key: PasskeyKey(.edDSA, Array(repeating: 1, count: 32)),
      signCount: 0, isBackupEligible: false, transports: [])
    try await core.database.write { tx in
      try PasskeyStore(keys: core.environment.dataKeys).insert(stored, in: tx)
    }
    return .init(id: stored.id.rawValue, view: "/v1/auth/passkeys")
  }

  /// The owner is of its staff.
  static let membership = MatrixKind(
    name: "membership of a school", api: AuthAPI.self, path: "/v1/users/me/schools/{id}"
  ) { matrix, people in
    let id = try await newSchool(matrix, people)
    return .init(id: id.rawValue, view: "/v1/users/me/schools")
  }

  /// The owner is of its staff, and manages a member.
  static let school = MatrixKind(
    name: "school's members", api: AuthAPI.self, path: "/v1/schools/{id}/members",
    bodies: [
      "POST /v1/schools/{id}/members/import": "[]", "PATCH /v1/schools/{id}/members/{user}": #"{"role":"instructor"}"#,
    ]
  ) { matrix, people in
    let id = try await newSchool(matrix, people)
    return .init(
      id: id.rawValue,
      look: {
        let members = try await people.owner.client.send(AuthAPI.ListSchoolMembers(id: id)).items
        return "\(id): \(members)"
      })
  }

  private static func newSchool(_ matrix: MatrixPlatform, _ people: MatrixKind.People) async throws -> SchoolID {
    let core = try matrix.test.plugin(AuthPlugin.self).core
    let id = core.ids.make(SchoolID.self)
    let members = SchoolMemberStore(keys: core.environment.dataKeys)
    let (staff, student) = (core.ids.make(ID<StoredMember>.self), core.ids.make(ID<StoredMember>.self))
    try await core.database.write { tx in
      let school = School(
        id: id, name: ShortText(checked: "North"), country: CountryCode(checked: "DE"), isActive: true,
        createdAt: tx.now, version: 1)
      try SchoolStore.insert(school, in: tx)
      try members.insert(
        StoredMember(id: staff, school: id, user: people.owner.id, role: .staff, number: nil, joinedAt: tx.now), in: tx)
      try members.insert(
        StoredMember(
          id: student, school: id, user: people.friend.id, role: .student, number: SourceID(checked: "n-1"),
          joinedAt: tx.now), in: tx)
    }
    return id
  }
}
