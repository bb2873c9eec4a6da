// The JSON in the table `col` of schema 11. Property names are Anki's.

extension AnkiCollectionWriter {
  struct Configuration: Encodable {
    var nextPos: Int64
    var schedVer = 2
    var sched2021 = true
    var creationOffset = 0
    var curDeck = 1
    var activeDecks = [1]
    var newSpread = 0
    var collapseTime = 1200
    var timeLim = 0
    var estTimes = true
    var dueCounts = true
    var sortType = "noteFld"
    var sortBackwards = false
    var addToCur = true
  }

  struct Deck: Encodable {
    var id: Int64
    var name: String
    var mod: Int64
    var usn = -1
    var desc = ""
    var dyn = 0
    var conf = 1
    var collapsed = false
    var browserCollapsed = false
    var extendNew = 0
    var extendRev = 0
    var newToday = [0, 0]
    var revToday = [0, 0]
    var lrnToday = [0, 0]
    var timeToday = [0, 0]
  }

  struct Model: Encodable {
    struct Field: Encodable {
      var name: String
      var ord: Int
      var sticky = false
      var rtl = false
      var font = "Arial"
      var size = 20
      var media: [String] = []
    }
    struct Template: Encodable {
      var name = "Card 1"
      var ord = 0
      var qfmt = "{{Front}}"
      var afmt = "{{FrontSide}}\n\n<hr id=answer>\n\n{{Back}}"
      var bqfmt = ""
      var bafmt = ""
      var did: Int?
    }
    struct Requirement: Encodable {
      func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode(0)
        try values.encode("any")
        try values.encode([0])
      }
    }

    var id: Int64
    var mod: Int64
    var name = "Quintet"
    var type = 0
    var usn = -1
    var sortf = 0
    var did = 1
    var tmpls = [Template()]
    var flds = [Field(name: "Front", ord: 0), Field(name: "Back", ord: 1)]
    var req = [Requirement()]
    var css = ".card { font-family: arial; font-size: 20px; text-align: center; }"
    var latexPre = ""
    var latexPost = ""
    var tags: [String] = []
    var vers: [String] = []
  }

  struct DeckOptions: Encodable {
    struct New: Encodable {
      var delays = [1.0, 10.0]
      var ints = [1, 4, 0]
      var initialFactor = 2500
      var order = 1
      var perDay = 20
      var bury = false
    }
    struct Review: Encodable {
      var perDay = 200
      var ease4 = 1.3
      var maxIvl = 36_500
      var ivlFct = 1.0
      var hardFactor = 1.2
      var bury = false
    }
    struct Lapse: Encodable {
      var delays = [10.0]
      var leechAction = 1
      var leechFails = 8
      var minInt = 1
      var mult = 0.0
    }

    var id = 1
    var name = "Default"
    var mod = 0
    var usn = 0
    var dyn = false
    var maxTaken = 60
    var timer = 0
    var autoplay = true
    var replayq = true
    var new = New()
    var rev = Review()
    var lapse = Lapse()
  }
}
