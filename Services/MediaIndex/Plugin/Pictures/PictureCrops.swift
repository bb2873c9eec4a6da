import Contracts
import MediaFiles
import Persistence
import ServiceKit

/// Turning and cropping pictures, such as the photo of a profile. The upload stays as it is, so that its owner can
/// choose another part later.
struct PictureCrops: Feature {
  let core: MediaCore

  func register(in routes: inout Routes) {
    routes.on(MediaAPI.GetPictureCrop.self) { request, call in
      let user = try call.user.id
      return try await core.database.read { [core] db in
        try picture(core.media.get(request.id, in: db), of: user, in: db)
      }
    }
    routes.on(MediaAPI.CropPicture.self) { request, call in try await crop(request, call) }
  }

  private func picture(_ stored: StoredMedia, of user: UserID, in db: any Connection) throws -> CroppedPicture {
    guard stored.media.owner == user, stored.media.kind == .image else { throw Problem(.mediaNotFound) }
    guard let picture = try PictureStore.find(stored.id, in: db) else { throw Problem(.mediaNotReady) }
    return picture
  }

  private func crop(_ request: MediaAPI.CropPicture, _ call: Call) async throws -> Media {
    let caller = try call.user
    let user = caller.id
    let crop = PictureCrop(
      quarterTurns: request.quarterTurns ?? QuarterTurns(checked: 0), rectangle: request.rectangle)
    return try await core.database.write { [core] tx in
      let stored = try core.media.get(request.id, in: tx)
      let picture = try picture(stored, of: user, in: tx)
      try request.ifMatch?.require(stored.media.version)
      guard crop.edit.fits(width: picture.width, height: picture.height) else {
        let message = "must lie within the turned picture"
        throw Problem(.invalidRequest, errors: [.init(location: "body.rectangle", message: message)])
      }
      if crop == picture.crop, stored.media.failure == nil { return stored.media }
      // The earlier files are charged until they are gone, and the new ones are about as large.
      let made = try MediaFileStore.list(of: request.id, in: tx).filter { $0.name != MediaFileName.original }
      try StorageUseStore.note(caller, in: tx)
      try core.limits.requireQuota(for: made.reduce(0) { $0 + $1.bytes }, of: user, in: tx)
      try PictureStore.crop(request.id, crop, in: tx)
      // The job replaces one that runs with the old crop.
      try core.processing.add(request.id, .image, of: user, in: tx)
      guard let changed = try core.media.advance(request.id, to: .uploaded, in: tx) else {
        throw Problem(.mediaNotFound)
      }
      try MediaTopic.changed(changed, in: tx)
      try tx.audit("media.cropped", object: "media:\(request.id)", by: call.auditActor)
      return changed.media
    }
  }
}
