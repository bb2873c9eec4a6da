import Contracts
import Foundation

/// Prints where to look, and as whom.
struct DemoLogins {
  let world: DemoWorld
  let password: String
  let ownerPassword: String?

  func show() {
    var lines = ["", "  \(world.platform.origin)", ""]
    for person in world.people where person.isMainCharacter {
      lines.append(row(person.app.rawValue, person.username, password))
    }
    if let owner = world.owner {
      lines.append(row("admin", owner.username, ownerPassword ?? ""))
      lines.append("")
      lines.append("  Staff also enter a code: quintet demo --code --journal \(world.journal.path)")
    }
    print((lines + [""]).joined(separator: "\n"))
    // Also where the output is not a terminal and the command stays.
    fflush(nil)
  }

  private func row(_ app: String, _ username: String, _ password: String) -> String {
    func column(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(1, width - text.count))
    }
    return "  \(column(app, 11))\(column(username, 24))\(password)"
  }
}
