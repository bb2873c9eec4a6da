import Contracts

/// Conversations of roommates who have matched, and of artists who are connected.
struct DemoTalks: DemoPart {
  private struct Talk: Sendable {
    let first: DemoPerson
    let second: DemoPerson
    let lines: [String]
  }

  let world: DemoWorld

  init(_ world: DemoWorld) { self.world = world }

  func fill() async throws {
    try await world.each("conversations", talks) { talk in
      let step = "talk.\(talk.first.index).\(talk.second.index)"
      let id = try await world.journal.once(step) { _ in
        let start = MatchingAPI.StartConversation(userID: world.id(of: talk.second))
        return try await talk.first.account.send(start).id.rawValue
      }
      // The main character has something unread.
      let count = talk.first.isMainCharacter || talk.second.isMainCharacter ? talk.lines.count : talk.lines.count - 1
      for number in 0..<count {
        try await say(talk, number, in: ConversationID(trusted: id), "\(step).\(number)")
      }
    }
  }

  private var talks: [Talk] {
    let matched = DemoRoommates(world).pairs.filter { ($0.0.index + $0.1.index) % 10 < 7 }
    let homes = matched.prefix(14) + matched.filter { $0.1.isMainCharacter || $0.0.isMainCharacter }.prefix(4)
    let artists = world.people(of: .archived)
    let music = artists.dropFirst().prefix(5).filter { $0.index % 4 != 3 }.compactMap { artist in
      artists.first.map { (artist, $0) }
    }
    var seen: Set<[Int]> = []
    let all = homes.map { ($0, TalkTexts.roommates) } + music.map { ($0, TalkTexts.music) }
    return all.enumerated().compactMap { number, talk in
      let ((first, second), texts) = talk
      guard seen.insert([first.index, second.index].sorted()).inserted else { return nil }
      return Talk(first: first, second: second, lines: texts[number % texts.count])
    }
  }

  private func say(_ talk: Talk, _ number: Int, in conversation: ConversationID, _ step: String) async throws {
    var ids = DemoRandom(world.seed, "\(world.journal["world"] ?? "").\(step)")
    let message = MessageID(trusted: ids.uuid())
    var random = world.random(step)
    let (author, reader) = number % 2 == 0 ? (talk.first, talk.second) : (talk.second, talk.first)
    try await world.once(step) { _ in
      let text = try MessageText(validating: talk.lines[number])
      // A request that is not answered takes three messages; these people are matched or connected.
      try await author.account.attempt(MatchingAPI.SendMessage(id: conversation, messageID: message, text: text))
      guard random.chance(0.2) else { return }
      let emoji = try Emoji(validating: random.pick(TalkTexts.reactions))
      try await reader.account.attempt(
        MatchingAPI.AddReaction(id: conversation, messageID: message, emoji: emoji))
    }
  }
}
