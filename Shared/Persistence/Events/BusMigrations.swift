/// The tables of what a service has taken from a broker: ``BusInbox``.
enum BusMigrations {
  static let all = [
    Migration(
      "platform-025-bus",
      why: "a consumer knows how far it has read each lane, so it sees what a broker has lost or brings out of order",
      [
        // The position up to which every event of a source's lane has had its effect, or is set aside.
        """
        CREATE TABLE bus_lanes
          (source TEXT NOT NULL, lane BIGINT NOT NULL, position BIGINT NOT NULL, PRIMARY KEY (source, lane))
        """,
        // The events that were rejected, and later ones of their subjects, which wait behind them.
        """
        CREATE TABLE bus_asides
          (source TEXT NOT NULL, event_id TEXT NOT NULL, type TEXT NOT NULL, subject TEXT NOT NULL, lane BIGINT NOT NULL,
           position BIGINT NOT NULL, event TEXT NOT NULL, attempts BIGINT NOT NULL, due_at BIGINT NOT NULL,
           is_dead BIGINT NOT NULL, failure TEXT, PRIMARY KEY (source, event_id))
        """,
        "CREATE INDEX bus_asides_due ON bus_asides (due_at) WHERE is_dead = 0",
        "CREATE INDEX bus_asides_subject ON bus_asides (source, subject, position) WHERE is_dead = 0",
      ]
    ),
    .index(
      "platform-029-bus-due-of-subjects", why: "what is due of a subject is found without those that wait behind it",
      "bus_asides_due_of_subject", on: "bus_asides", "(source, subject, due_at) WHERE is_dead = 0"),
    .index(
      "platform-032-bus-dead-letters", why: "dead letters are found and revived without reading other events",
      "bus_asides_dead", on: "bus_asides", "(source, subject, position, event_id) WHERE is_dead = 1"),
  ]
}
