extension Transaction {
  /// Records that an event was received; `false` when it was received before and must not be applied again.
  public func receive(source: String, id: String) throws -> Bool {
    try execute(
      "INSERT INTO inbox (source, id, received_at) VALUES (\(source), \(id), \(now)) ON CONFLICT DO NOTHING"
    ) == 1
  }
}
