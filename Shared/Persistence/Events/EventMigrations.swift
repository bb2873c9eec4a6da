/// The tables of events: ``Outbox``. The outbox of a service in use is large, and all its requests write to it: what
/// reads or changes its rows runs concurrently with them.
enum EventMigrations {
  static let all = [
    Migration(
      "platform-020-event-lanes",
      why: "delivering a batch of events costs one row, whatever waits; one failing event delays its subject only",
      [
        // The number of the last event of each subject, incremented in the transaction that records one.
        """
        CREATE TABLE event_subjects (subject TEXT PRIMARY KEY, sequence BIGINT NOT NULL, used_on BIGINT NOT NULL)
        """,
        "CREATE INDEX event_subjects_by_day ON event_subjects (used_on)",
        // `sequence` orders the events of a subject. `position` is the place in the lane, NULL until the relay assigns it.
        "ALTER TABLE outbox ADD COLUMN sequence BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE outbox ADD COLUMN lane BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE outbox ADD COLUMN position BIGINT",
        // The last assigned position of each lane.
        "CREATE TABLE event_lanes (lane BIGINT PRIMARY KEY, head BIGINT NOT NULL)",
        // Until where a subscriber has received a lane. `claim` is that of the relay that delivers the next events.
        """
        CREATE TABLE event_cursors
          (subscriber TEXT NOT NULL, lane BIGINT NOT NULL, position BIGINT NOT NULL, claim TEXT,
           claimed_until BIGINT NOT NULL, PRIMARY KEY (subscriber, lane))
        """,
        // The events that a subscriber has rejected, and later ones of their subjects, which wait behind them.
        """
        CREATE TABLE event_retries
          (subscriber TEXT NOT NULL, event_id TEXT NOT NULL REFERENCES outbox (id), subject TEXT NOT NULL,
           sequence BIGINT NOT NULL, attempts BIGINT NOT NULL, due_at BIGINT NOT NULL, is_dead BIGINT NOT NULL,
           failure TEXT, PRIMARY KEY (subscriber, event_id))
        """,
        "CREATE INDEX event_retries_due ON event_retries (subscriber, due_at) WHERE is_dead = 0",
        """
        CREATE INDEX event_retries_subject ON event_retries (subscriber, subject, sequence, event_id) WHERE is_dead = 0
        """,
        "CREATE INDEX event_retries_event ON event_retries (event_id)",
        "DROP INDEX outbox_by_age",
      ]
    ),
    .index(
      "platform-021-outbox-lanes", why: "a relay reads the next events of a lane, and no others",
      "outbox_lanes", on: "outbox", "(lane, position)", isUnique: true),
    // What the relay has distributed so far is history: one lane, in the order in which it was recorded.
    .fill(
      "platform-022-event-history",
      why: "new subscribers receive the events that were distributed before there were lanes",
      "outbox"
    ) { after, last in
      """
      UPDATE outbox SET position = h.place
      FROM (
        SELECT o.id, ROW_NUMBER() OVER (ORDER BY o.id)
          + COALESCE((SELECT MAX(l.position) FROM outbox l WHERE l.lane = 0), 0) AS place
        FROM outbox o WHERE o.id > \(after) AND o.id <= \(last) AND o.is_distributed = 1
      ) h
      WHERE outbox.id = h.id
      """
    },
    .index(
      "platform-023-outbox-without-position", why: "a relay finds the events that were committed since the last round",
      "outbox_without_position", on: "outbox", "(sequence, id) WHERE position IS NULL"),
    Migration(
      "platform-024-event-cursors", why: "subscribers continue where the history ends",
      [
        """
        INSERT INTO event_lanes (lane, head) VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0),
          (8, 0), (9, 0), (10, 0), (11, 0), (12, 0), (13, 0), (14, 0), (15, 0)
        """,
        """
        UPDATE event_lanes SET head = COALESCE((SELECT MAX(position) FROM outbox WHERE outbox.lane = 0), 0)
        WHERE lane = 0
        """,
        """
        INSERT INTO event_cursors (subscriber, lane, position, claimed_until)
        SELECT s.subscriber, l.lane, l.head, 0 FROM event_subscriptions s CROSS JOIN event_lanes l
        """,
        // What subscribers have not received of the history. An event that was distributed too late to be part of it has
        // no position yet, and is delivered by its lane.
        """
        INSERT INTO event_retries (subscriber, event_id, subject, sequence, attempts, due_at, is_dead, failure)
        SELECT d.subscriber, d.event_id, d.subject, 0, CASE d.is_dead WHEN 1 THEN d.attempts ELSE 0 END,
          CASE WHEN EXISTS (SELECT 1 FROM outbox_deliveries e JOIN outbox p ON p.id = e.event_id
            WHERE e.subscriber = d.subscriber AND e.subject = d.subject AND e.is_dead = 0
              AND e.event_id < d.event_id AND p.position IS NOT NULL)
          THEN 9223372036854775807 ELSE 0 END,
          d.is_dead, d.failure
        FROM outbox_deliveries d JOIN outbox o ON o.id = d.event_id WHERE o.position IS NOT NULL
        """,
      ]
    ),
    .index(
      "platform-026-outbox-by-type", why: "each type of events has a retention of its own",
      "outbox_by_type", on: "outbox", "(type, recorded_at)"),
    .index(
      "platform-027-due-of-subjects", why: "what is due of a subject is found without those that wait behind it",
      "event_retries_due_of_subject", on: "event_retries", "(subscriber, subject, due_at) WHERE is_dead = 0"),
    .index(
      "platform-028-dead-letters", why: "dead letters are found and revived without reading other events",
      "event_retries_dead", on: "event_retries", "(subscriber, subject, sequence, event_id) WHERE is_dead = 1"),
  ]
}
