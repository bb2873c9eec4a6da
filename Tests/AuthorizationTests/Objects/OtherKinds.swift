import Contracts
import Persistence
import TestKit

extension MatrixFixtures {
  static let auth = [session, reminder, device, identity, membership, school]
  static let gateway = [stream]
  static let matching = [conversation, connection]
  static let media = [medium, upload, livestream]

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

  private static let connection = MatrixKind(
    name: "connection request", api: MatchingAPI.self, path: "/v1/connections/{id}"
  ) { _, people in
    let request = try await people.owner.client.send(MatchingAPI.RequestConnection(userID: people.friend.id))
    return .init(id: request.id.rawValue, view: "/v1/connections?status=outgoing")
  }

  /// A stream that is open; the row of it, because a stream that opens here would never end.
  private static let stream = MatrixKind(
    name: "stream", api: GatewayAPI.self, path: "/v1/events/{stream}",
    bodies: ["PUT /v1/events/{stream}/topics": #"{"topics":[]}"#]
  ) { matrix, people in
    let database = try matrix.test.database(of: GatewayAPI.self)
    let (id, session) = (matrix.test.ids.make(StreamID.self), matrix.test.ids.make(SessionID.self))
    try await database.write { tx in
      try tx.execute(
        """
        INSERT INTO realtime_streams (id, user_id, session_id, opened_at, expires_at)
        VALUES (\(id), \(people.owner.id), \(session), \(tx.now), \(tx.now.advanced(bySeconds: 3600)))
        """)
    }
    return .init(
      id: id.rawValue,
      look: {
        try await database.read { db in
          let changes = try db.count("SELECT COUNT(*) FROM realtime_log WHERE name = 'topics'")
          let owners = try db.values("SELECT user_id FROM realtime_streams WHERE id = \(id)", as: UserID.self)
          return "\(id) of \(owners): \(changes) changes"
        }
      })
  }

  private static let upload = MatrixKind(
    name: "upload", api: MediaAPI.self, path: "/v1/uploads/{id}",
    headers: [
      "HEAD /v1/uploads/{id}": ["tus-resumable": "1.0.0"],
      "PATCH /v1/uploads/{id}": [
        "tus-resumable": "1.0.0", "upload-offset": "0", "content-type": "application/offset+octet-stream",
        "content-length": "2",
      ],
      "DELETE /v1/uploads/{id}": ["tus-resumable": "1.0.0"],
      "POST /v1/uploads/{id}": ["tus-resumable": "1.0.0", "x-http-method-override": "DELETE"],
    ]
  ) { matrix, people in
    let version = (name: "tus-resumable", value: "1.0.0")
    let created = try await matrix.test.send(
      .post, "/v1/uploads", headers: [version, ("upload-length", "1000")], by: people.owner)
    guard let id = created.header("location")?.split(separator: "/").last else {
      throw TestKitError("no upload: \(created.status)")
    }
    return .init(
      id: String(id),
      look: {
        let seen = try await matrix.test.send(.head, "/v1/uploads/\(id)", headers: [version], by: people.owner)
        return
          "\(id): \(seen.status), \(seen.header("upload-offset") ?? "none") of \(seen.header("upload-length") ?? "none")"
      })
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
