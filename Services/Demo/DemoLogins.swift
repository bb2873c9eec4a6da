import Contracts
import Foundation

/// Prints where to look, and as whom.
struct DemoLogins {
  let world: DemoWorld
  let password: String

  func show() throws {
    var lines = ["", "  \(world.platform.origin)", ""]
    for person in world.people where person.isMainCharacter {
      lines.append(row(person.app.rawValue, person.username, password))
    }
    if let owner = world.owner, let password = world.journal["owner.password"] {
      let code = try DemoOwner.currentCode(world.journal) ?? ""
      lines.append(row("admin", owner.username, "\(password)  \(code)"))
      lines.append("")
      lines.append(
        "  The code of the last line is valid once and for half a minute; quintet-demo --logins has the next.")
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
