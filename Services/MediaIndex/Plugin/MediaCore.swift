import BlobStorage
import Contracts
import Logging
import Persistence
import ServiceKit

/// The dependencies that the features of media-index share.
struct MediaCore: Sendable {
  let environment: ServiceEnvironment
  let database: any Database
  let ids: IDGenerator
  let time: TimeSource
  let logger: Logger
  let media: MediaStore
  let removal: MediaRemoval
  var blobs: MediaBlobs
  let limits: StorageLimits
  let access: MediaAccess
  let links: MediaLinks
  let loads: MediaLoads
  /// The jobs that process new media.
  let processing: ProcessingQueues

  init(_ environment: ServiceEnvironment) async throws {
    self.environment = environment
    (database, ids, time) = (try environment.database, environment.ids, environment.time)
    logger = environment.logger
    let observers: [any MediaObserver] = [
      PictureStore(), ScanStore(keys: environment.dataKeys), MediaSearchIndex(),
    ]
    media = MediaStore(keys: environment.dataKeys, observers: observers)
    removal = MediaRemoval(media: media)
    limits = try StorageLimits(environment)
    blobs = MediaBlobs(
      storage: try await MediaStorage.open(environment), database: database, limits: limits)
    access = try MediaAccess(environment)
    links = MediaLinks(
      urls: environment.urls, serviceURLs: environment.serviceURLs, time: environment.time)
    loads = try MediaLoads(environment, media, access, links)
    processing = ProcessingQueues(environment)
  }
}
