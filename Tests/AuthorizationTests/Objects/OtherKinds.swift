import Contracts
import TestKit

extension MatrixFixtures {
  static let auth = [session, reminder]
  static let matching = [conversation]
  static let media = [medium, livestream]

  private static let session = MatrixKind(
    name: "session", api: AuthAPI.self, path: "/v1/auth/sessions/{id}", harmless: ["DELETE /v1/auth/sessions/{id}"]
  ) { matrix, people in
    let login = AuthAPI.LogIn(login: "owner", password: "correct horse owner", app: .keepfit)
    let other = try await matrix.test.client.send(login)
    return .init(id: other.session.rawValue, view: "/v1/auth/sessions")
  }

  private static let reminder = MatrixKind(
    name: "reminder", api: AuthAPI.self, path: "/v1/users/me/reminders/{id}",
    harmless: ["DELETE /v1/users/me/reminders/{id}"]
  ) { _, people in
    let reminder = try await people.owner.client.send(
      AuthAPI.CreateReminder(
        title: ShortText(validating: "Study"), localTime: LocalTime(validating: "2030-01-01T08:00:00"),
        timeZone: TimeZoneName(validating: "Europe/London")))
    return .init(id: reminder.id.rawValue, view: "/v1/users/me/reminders")
  }

  private static let conversation = MatrixKind(
    name: "conversation", api: MatchingAPI.self, path: "/v1/conversations/{id}",
    bodies: [
      "PUT /v1/conversations/{id}/delivered": #"{"upTo":1}"#,
      "PUT /v1/conversations/{id}/read": #"{"upTo":1}"#,
      "PUT /v1/conversations/{id}/messages/{messageID}": #"{"text":"Mine"}"#,
      "PATCH /v1/conversations/{id}/messages/{messageID}": #"{"text":"Mine"}"#,
      "POST /v1/conversations/{id}/reports":
        #"{"messageIDs":["01890a5d-ac96-774b-bcce-b302099a9999"],"reason":"spam"}"#,
    ]
  ) { _, people in
    let started = try await people.owner.client.send(MatchingAPI.StartConversation(userID: people.friend.id))
    return .init(id: started.id.rawValue, view: "/v1/conversations/\(started.id)")
  }

  private static let medium = MatrixKind(
    name: "medium", api: MediaAPI.self, path: "/v1/media/{id}",
    staff: [
      "GET /v1/media/{id}", "DELETE /v1/media/{id}", "POST /v1/media/{id}/links", "GET /v1/media/{id}/crop",
      "PUT /v1/media/{id}/save",
    ],
    harmless: ["DELETE /v1/media/{id}/save", "PUT /v1/media/{id}/crop"]
  ) { matrix, people in
    let id = try await matrix.test.addMedium(of: people.owner)
    return .init(id: id.rawValue, view: "/v1/media/\(id)")
  }

  private static let livestream = MatrixKind(
    name: "livestream", api: MediaAPI.self, path: "/v1/livestreams/{id}", open: ["GET /v1/livestreams/{id}"]
  ) { matrix, people in
    let stream = try await people.owner.client.send(
      MediaAPI.CreateLivestream(
        title: ShortText(validating: "Yoga"), startsAt: matrix.test.time.source.now().advanced(bySeconds: 3600),
        joinURL: WebLink(validating: "https://meet.example.com/yoga")))
    return .init(id: stream.id.rawValue, view: "/v1/livestreams/\(stream.id)")
  }
}
