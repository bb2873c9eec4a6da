import Contracts
import Logging
import TestKit
import Testing

@testable import Persistence

/// Tables written as one text.
@Suite struct SchemaTests {
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private static let things: Schema = """
    -- A comment; it is no statement;
    CREATE TABLE things
      (id TEXT PRIMARY KEY,
       -- Within a statement, too;
       text TEXT NOT NULL DEFAULT 'a;b');

    CREATE INDEX things_by_text ON things (text);
    """

  private static let kept =
    Schema.on(
      .sqlite, "CREATE TRIGGER things_stay BEFORE DELETE ON things BEGIN SELECT RAISE(ABORT, 'things stay'); END;")
    + Schema.on(
      .postgresql,
      """
      CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN RAISE EXCEPTION ''things stay''; END';
      CREATE TRIGGER things_stay BEFORE DELETE ON things FOR EACH ROW EXECUTE FUNCTION refuse_change();
      """)

  @Test func statementsEndAtTheEndOfALine() {
    #expect(
      Self.things.statements.map(\.sql.text) == [
        "CREATE TABLE things\n  (id TEXT PRIMARY KEY,\n   text TEXT NOT NULL DEFAULT 'a;b')",
        "CREATE INDEX things_by_text ON things (text)",
      ])
    #expect(Self.kept.statements.map(\.dialect) == [.sqlite, .postgresql, .postgresql])
    #expect(Self.kept.statements.first?.sql.text.hasSuffix("'things stay'); END") == true)
  }

  @Test(arguments: TestDatabase.allCases)
  func eachDatabaseGetsItsStatements(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      let migration = Migration("001", why: "things", creating: [Self.things, Self.kept])
      #expect(try await database.migrate([migration], logger: Self.logger) == ["001"])
      try await database.write { tx in try tx.execute("INSERT INTO things (id) VALUES ('a')") }
      await #expect(throws: DatabaseError.self) {
        try await database.write { tx in try tx.execute("DELETE FROM things") }
      }
      #expect(try await database.read { db in try db.values("SELECT text FROM things", as: String.self) } == ["a;b"])
    }
  }

  @Test func aHashCoversBothDatabasesAndNoComments() {
    func hash(_ schemas: Schema...) -> String { Migration("001", why: "things", creating: schemas).hash }
    let withoutComments: Schema = """
      CREATE TABLE things
        (id TEXT PRIMARY KEY,
         text TEXT NOT NULL DEFAULT 'a;b');
      CREATE INDEX things_by_text ON things (text);
      """
    #expect(hash(Self.things) == hash(withoutComments))
    #expect(hash(Self.things) != hash(Self.things, Self.kept))
    #expect(hash(Self.things, Self.kept) != hash(Self.things, .on(.sqlite, "CREATE TABLE others (id TEXT);")))
  }
}
