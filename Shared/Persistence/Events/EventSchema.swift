/// The tables of events between services: outbox, cursors and inbox.
enum EventSchema {
  static let tables: Schema = """
    CREATE TABLE event_subscriptions
      (subscriber TEXT PRIMARY KEY, url TEXT NOT NULL, types TEXT NOT NULL, updated_at BIGINT NOT NULL);

    -- The number of the last event of each subject, incremented in the transaction that records one.
    CREATE TABLE event_subjects (subject TEXT PRIMARY KEY, sequence BIGINT NOT NULL, used_on BIGINT NOT NULL);
    CREATE INDEX event_subjects_by_day ON event_subjects (used_on);

    -- `sequence` orders the events of a subject. `position` is the place in the lane, NULL until the relay assigns it.
    CREATE TABLE outbox
      (id TEXT PRIMARY KEY, type TEXT NOT NULL, subject TEXT NOT NULL, sequence BIGINT NOT NULL, lane BIGINT NOT NULL,
       position BIGINT, data TEXT NOT NULL, traceparent TEXT, recorded_at BIGINT NOT NULL);
    -- A relay reads the next events of a lane, and no others.
    CREATE UNIQUE INDEX outbox_lanes ON outbox (lane, position);
    -- What was committed since the last round.
    CREATE INDEX outbox_without_position ON outbox (sequence, id) WHERE position IS NULL;
    -- Each type of events has a retention of its own.
    CREATE INDEX outbox_by_type ON outbox (type, recorded_at);

    -- The last assigned position of each lane.
    CREATE TABLE event_lanes (lane BIGINT PRIMARY KEY, head BIGINT NOT NULL);
    INSERT INTO event_lanes (lane, head) VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0),
      (8, 0), (9, 0), (10, 0), (11, 0), (12, 0), (13, 0), (14, 0), (15, 0);

    -- Until where a subscriber has received a lane. `claim` is that of the relay that delivers the next events.
    CREATE TABLE event_cursors
      (subscriber TEXT NOT NULL, lane BIGINT NOT NULL, position BIGINT NOT NULL, claim TEXT,
       claimed_until BIGINT NOT NULL, PRIMARY KEY (subscriber, lane));

    -- The events that a subscriber has rejected, and later ones of their subjects, which wait behind them.
    CREATE TABLE event_retries
      (subscriber TEXT NOT NULL, event_id TEXT NOT NULL REFERENCES outbox (id), subject TEXT NOT NULL,
       sequence BIGINT NOT NULL, attempts BIGINT NOT NULL, due_at BIGINT NOT NULL, is_dead BIGINT NOT NULL,
       failure TEXT, PRIMARY KEY (subscriber, event_id));
    CREATE INDEX event_retries_due ON event_retries (subscriber, due_at) WHERE is_dead = 0;
    CREATE INDEX event_retries_subject ON event_retries (subscriber, subject, sequence, event_id) WHERE is_dead = 0;
    CREATE INDEX event_retries_event ON event_retries (event_id);
    CREATE INDEX event_retries_due_of_subject ON event_retries (subscriber, subject, due_at) WHERE is_dead = 0;
    CREATE INDEX event_retries_dead ON event_retries (subscriber, subject, sequence, event_id) WHERE is_dead = 1;

    CREATE TABLE inbox
      (source TEXT NOT NULL, id TEXT NOT NULL, received_at BIGINT NOT NULL, PRIMARY KEY (source, id));
    CREATE INDEX inbox_by_age ON inbox (received_at);

    -- The position up to which every event of a source's lane has had its effect, or is set aside.
    CREATE TABLE bus_lanes
      (source TEXT NOT NULL, lane BIGINT NOT NULL, position BIGINT NOT NULL, PRIMARY KEY (source, lane));

    -- The events that were rejected, and later ones of their subjects, which wait behind them.
    CREATE TABLE bus_asides
      (source TEXT NOT NULL, event_id TEXT NOT NULL, type TEXT NOT NULL, subject TEXT NOT NULL, lane BIGINT NOT NULL,
       position BIGINT NOT NULL, event TEXT NOT NULL, attempts BIGINT NOT NULL, due_at BIGINT NOT NULL,
       is_dead BIGINT NOT NULL, failure TEXT, PRIMARY KEY (source, event_id));
    CREATE INDEX bus_asides_due ON bus_asides (due_at) WHERE is_dead = 0;
    CREATE INDEX bus_asides_subject ON bus_asides (source, subject, position) WHERE is_dead = 0;
    CREATE INDEX bus_asides_due_of_subject ON bus_asides (source, subject, due_at) WHERE is_dead = 0;
    CREATE INDEX bus_asides_dead ON bus_asides (source, subject, position, event_id) WHERE is_dead = 1;
    """
}
