import Contracts
import Foundation

/// KeepFit: short videos of exercises, and live workouts that are about to begin. ffmpeg joins picture and sound; without
/// it there are no videos.
struct DemoVideos: DemoPart {
  let world: DemoWorld
  private let trainers: [DemoPerson]

  init(_ world: DemoWorld) {
    self.world = world
    trainers = Array(world.people(of: .keepfit).prefix(WorkoutFigure.Exercise.allCases.count))
  }

  func fill() async throws {
    try await world.each("live workouts", Array(trainers.enumerated())) { number, trainer in
      try await world.once("livestream.\(number)") { key in
        let exercise = WorkoutFigure.Exercise.allCases[number]
        let start = world.begun.advanced(bySeconds: 3600 * Double(2 + number * 20))
        // A run that is continued later is too late for some.
        guard start > TimeSource.system.now() else { return }
        let live = MediaAPI.CreateLivestream(
          title: try ShortText(validating: "\(exercise.rawValue) with \(trainer.firstName)"),
          workoutType: try WorkoutTypeID(validating: exercise.workoutType),
          startsAt: start, minutes: LivestreamMinutes(checked: 30),
          joinURL: WebLink(checked: "https://example.com/live"))
        try await trainer.account.attempt(live, key: key)
      }
    }
    guard VideoMaker.isThere else {
      return world.progress.say("Without ffmpeg there are no workout videos.")
    }
    try await world.each("videos", Array(trainers.enumerated()), atOnce: 1) { number, trainer in
      try await world.once("video.\(number).shown") { _ in try await publish(number, by: trainer) }
    }
  }

  private func publish(_ number: Int, by trainer: DemoPerson) async throws {
    let exercise = WorkoutFigure.Exercise.allCases[number]
    let video = try await world.uploads.ready("video.\(number)", as: trainer.account, title: exercise.rawValue) {
      let figure = WorkoutFigure(exercise, seed: world.seed, number: number)
      return try VideoMaker.join(figure, BeatSynthesizer.play(Beat(2 + number, seed: world.seed), seed: world.seed))
    }
    try await trainer.account.send(
      MediaAPI.UpdateMedia(
        id: video, description: .set(LongText(checked: "Follow along for as long as it feels good. No equipment.")),
        tags: [Tag(checked: "home"), Tag(checked: "warm-up")],
        workoutType: .set(try WorkoutTypeID(validating: exercise.workoutType)), visibility: .everyone))
  }
}

/// Joins the frames of a figure and music into an MP4 file.
enum VideoMaker {
  /// Whether ffmpeg is installed.
  static var isThere: Bool { (try? run(["-version"])) == 0 }

  static func join(_ figure: WorkoutFigure, _ music: [UInt8]) throws -> [UInt8] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("quintet-demo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (frames, sound, video) = (
      folder.appendingPathComponent("frames.rgb"), folder.appendingPathComponent("music.wav"),
      folder.appendingPathComponent("video.mp4")
    )
    try Data(figure.pixels()).write(to: frames)
    try Data(music).write(to: sound)
    let size = "\(WorkoutFigure.side)x\(WorkoutFigure.side)"
    let status = try run([
      "-v", "error", "-stream_loop", "4", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size,
      "-r", "\(WorkoutFigure.framesPerSecond)", "-i", frames.path, "-i", sound.path, "-shortest",
      "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-movflags", "+faststart",
      video.path,
    ])
    guard status == 0 else { throw DemoError("ffmpeg could not make a video.") }
    return Array(try Data(contentsOf: video))
  }

  private static func run(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["ffmpeg"] + arguments
    (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
