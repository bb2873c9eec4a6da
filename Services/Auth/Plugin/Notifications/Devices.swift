import Contracts
import Persistence
import ServiceKit

/// The devices that receive a user's push notifications.
struct Devices: Feature {
  let core: AuthCore

  init(_ core: AuthCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.PutDevice.self) { request, call -> Void in
      let user = try call.user
      try await core.database.write { tx in
        guard try SessionStore.isLive(user.sessionID, of: user.id, in: tx) else { throw Problem(.sessionRevoked) }
        try core.devices.replace(request.id, request.apnsToken, of: user, in: tx)
      }
    }
    routes.on(AuthAPI.DeleteDevice.self) { request, call -> Void in
      let user = try call.user.id
      try await core.database.write { tx in try DeviceStore.delete(request.id, of: user, in: tx) }
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("devices", .array(try DeviceStore.list(of: user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try DeviceStore.delete(of: user, in: tx) }
}
