import SyncMerge
import Testing

struct MergeRecordTests {
  @Test func editsOfDifferentFieldsAreBothKept() {
    var record = TestRecord()
    #expect(record.apply(.put("front", .number(1), at: at(10, 1))) == .applied)
    // The other device has to be sent what it did not know.
    #expect(record.apply(.put("back", .number(2), at: at(20, 2))) == .merged)
    #expect(record["front"] == .number(1))
    #expect(record["back"] == .number(2))
  }

  @Test func theLastWriterWinsAndTheOtherIsAnswered() {
    var record = TestRecord()
    _ = record.apply(.put("n", .number(1), at: at(20, 1)))
    #expect(record.apply(.put("n", .number(2), at: at(10, 2))) == .merged)
    #expect(record.apply(.put("n", .number(1), at: at(11, 2))) == .merged)
    #expect(record["n"] == .number(1))
    #expect(record.apply(.put("n", .number(3), at: at(21, 2), seen: at(20, 1))) == .applied)
  }

  @Test func oneMillisecondOnTwoDevicesHasOneWinner() {
    let changes = [TestChange.put("n", .number(1), at: at(5, 1)), .put("n", .number(2), at: at(5, 2))]
    for order in [changes, changes.reversed()] {
      var record = TestRecord()
      for change in order { _ = record.apply(change) }
      #expect(record["n"] == .number(2))
    }
  }

  @Test func aLateEditMakesTheVersionGrow() {
    var record = TestRecord()
    _ = record.apply(.put("a", .number(1), at: at(20, 1)))
    let seen = record.version
    _ = record.apply(.put("b", .number(2), at: at(10, 2)))
    #expect(record.version > seen)
    // Someone who had seen only the first does not know what the deletion takes along.
    #expect(record.apply(.delete(at: at(30, 3), seen: seen)) == .deletedUnseenEdits)
    #expect(record.hasLostEdits)
  }

  @Test func aDeletionOfWhatWasSeenLosesNothing() {
    var record = TestRecord()
    _ = record.apply(.put("n", .number(1), at: at(10, 1)))
    #expect(record.apply(.delete(at: at(20, 2), seen: at(10, 1))) == .applied)
    #expect(!record.hasLostEdits)
    #expect(record.apply(.delete(at: at(25, 2), seen: at(20, 2))) == .applied)
    #expect(record.lifecycle == at(25, 2))
  }

  @Test func anEditOfADeletedRecordIsKeptAndRestored() {
    var record = TestRecord()
    _ = record.apply(.put("n", .number(1), at: at(10, 1)))
    _ = record.apply(.delete(at: at(20, 1), seen: at(10, 1)))
    #expect(record.apply(.put("n", .number(2), at: at(30, 2), seen: at(10, 1))) == .deleted)
    #expect(record.isDeleted && record.hasLostEdits)
    #expect(record.apply(.restore(at: at(40, 1), seen: record.version)) == .applied)
    #expect(!record.isDeleted && !record.hasLostEdits)
    #expect(record["n"] == .number(2))
    // A deletion from before the restoration comes too late.
    #expect(record.apply(.delete(at: at(35, 3), seen: at(30, 2))) == .merged)
    #expect(!record.isDeleted)
  }

  @Test func editsOfOnesOwnBeforeADeletionAreNotLost() {
    var record = TestRecord()
    _ = record.apply(.put("n", .number(1), at: at(10, 1)))
    _ = record.apply(.put("n", .number(2), at: at(20, 2), seen: at(10, 1)))
    #expect(record.apply(.delete(at: at(21, 2), seen: at(10, 1))) == .applied)
  }

  @Test func textsThatDoNotFitAreBothKept() {
    var record = TestRecord()
    _ = record.edit(nil, "water", at: at(10, 1))
    #expect(record.edit("water", "aqua", at: at(20, 1), seen: at(10, 1)) == .applied)
    #expect(record.edit("water", "eau", at: at(15, 2), seen: at(10, 1)) == .textConflict)
    #expect(record["text"] == .string("aqua"))
    #expect(record.variants == [.init(field: "text", text: "eau", version: at(15, 2))])
    // The second device goes on with its text.
    #expect(record.edit("eau", "eau fraîche", at: at(16, 2), seen: at(10, 1)) == .textConflict)
    #expect(record.variants.map(\.text) == ["eau fraîche"])
    let choice = TestChange.put(
      "text", .string("eau fraîche"), at: at(30, 1), seen: record.version, base: "aqua", dismissed: [at(16, 2)])
    #expect(record.apply(choice, mergedTexts: texts) == .applied)
    #expect(record["text"] == .string("eau fraîche"))
    #expect(record.variants.isEmpty)
  }

  @Test func textsThatFitAreMerged() {
    var record = TestRecord()
    _ = record.edit(nil, "one two three", at: at(10, 1))
    _ = record.edit("one two three", "ONE two three", at: at(20, 1), seen: at(10, 1))
    #expect(record.edit("one two three", "one two THREE", at: at(15, 2), seen: at(10, 1)) == .merged)
    #expect(record["text"] == .string("ONE two THREE"))
    #expect(record.version == at(20, 0, counter: 1))
  }

  @Test func beyondTheBudgetConcurrentEditsAreKeptSideBySide() {
    var record = TestRecord()
    _ = record.edit(nil, "one two three", at: at(10, 1))
    _ = record.edit("one two three", "ONE two three", at: at(20, 1), seen: at(10, 1))
    let change = TestChange.put(
      "text", .string("one two THREE"), at: at(15, 2), seen: at(10, 1), base: "one two three")
    // Three texts of 13 bytes are compared.
    var copy = record
    var budget = MergeBudget(bytes: 39)
    #expect(copy.apply(change, mergedTexts: texts, within: &budget) == .merged)
    #expect(budget.bytes == 0)
    #expect(record.apply(change, mergedTexts: texts, within: &budget) == .textConflict)
    #expect(record["text"] == .string("ONE two three"))
    #expect(record.variants.map(\.text) == ["one two THREE"])
    // An edit that meets nothing of others costs nothing.
    let next = TestChange.put("text", .string("1"), at: at(30, 1), seen: record.version, base: "ONE two three")
    #expect(record.apply(next, mergedTexts: texts, within: &budget) == .applied)
  }

  @Test func aMergedTextIsNotLongerThanTexts() {
    var record = TestRecord()
    let rule = [MergedText("text", maxLength: 9)]
    _ = record.apply(.put("text", .string("a b c"), at: at(10, 1)), mergedTexts: rule)
    _ = record.apply(
      .put("text", .string("a1234 b c"), at: at(20, 1), seen: at(10, 1), base: "a b c"), mergedTexts: rule)
    let outcome = record.apply(
      .put("text", .string("a b c1234"), at: at(21, 2), seen: at(10, 1), base: "a b c"), mergedTexts: rule)
    #expect(outcome == .textConflict)
    #expect(record["text"] == .string("a b c1234"))
    #expect(record.variants.map(\.text) == ["a1234 b c"])
  }

  @Test func aTextWithoutItsBaseDoesNotRemoveWhatItsAuthorDidNotSee() {
    var record = TestRecord()
    _ = record.edit(nil, "one", at: at(10, 1))
    #expect(record.edit(nil, "two", at: at(20, 2)) == .textConflict)
    #expect(record["text"] == .string("two"))
    #expect(record.variants.map(\.text) == ["one"])
    #expect(record.edit(nil, "three", at: at(30, 1), seen: record.version) == .applied)
  }

  @Test func clearedRecordsAreDeletedStill() {
    var record = TestRecord()
    _ = record.apply(.put("n", .number(1), at: at(30, 1)))
    _ = record.apply(.delete(at: at(20, 2), seen: at(10, 1)))
    let version = record.version
    record.clearDeleted()
    #expect(record.isDeleted && record.fields.isEmpty && !record.hasLostEdits)
    #expect(record.version == version)
    record.noteLostEdit()
    #expect(record.hasLostEdits && record.version > version)
  }

  @Test func fieldsOfDeletedRecordsAreClearedWithoutALostEdit() {
    var record = TestRecord()
    _ = record.apply(.put("n", .number(1), at: at(30, 1)))
    _ = record.apply(.put("text", .string("one"), at: at(10, 1)))
    let live = record
    record.clearDeleted(fields: ["n"])
    #expect(record == live)
    _ = record.apply(.delete(at: at(40, 1), seen: record.version))
    let version = record.version
    record.clearDeleted(fields: ["n"])
    #expect(record.fields.map(\.name) == ["text"])
    #expect(record.isDeleted && !record.hasLostEdits)
    #expect(record.version == version)
  }
}
