import Testing

@testable import CurlClient

struct AdmissionTests {
  private func admission(concurrent: Int = 2, queued: Int = 2, failures: Int = 3) -> Admission {
    Admission(
      limits: .init(
        concurrent: concurrent,
        queued: queued,
        queueSeconds: 1,
        breakerFailures: failures,
        breakerSeconds: 10
      )
    )
  }

  @Test func runsSoManyAndQueuesSoMany() {
    var admission = admission()
    #expect((1...5).map { admission.arrive($0, at: 0) } == [.start, .start, .wait, .wait, .refuse(.queueFull)])
    #expect(admission.finish(1, .success, at: 0) == [3])
    #expect(admission.finish(2, .success, at: 0) == [4])
    #expect(admission.finish(3, .success, at: 0) == [])
    #expect(admission.finish(4, .success, at: 0) == [])
    #expect(admission.isForgettable)
  }

  @Test func waitingEndsAfterItsTimeOrByCancelling() {
    var admission = admission(concurrent: 1)
    _ = admission.arrive(1, at: 0)
    _ = admission.arrive(2, at: 0)
    _ = admission.arrive(3, at: 0.5)
    #expect(admission.nextDeadline == 1)
    #expect(admission.expire(at: 0.9).isEmpty)
    #expect(admission.expire(at: 1).map(\.id) == [2])
    let results = [admission.cancel(3), admission.cancel(3)]
    #expect(results == [true, false])
    #expect(admission.finish(1, .success, at: 2) == [])
  }

  @Test func opensAfterFailuresInARowAndProbesOnce() {
    var admission = admission(failures: 3)
    for id in 1...3 {
      #expect(admission.arrive(id, at: 0) == .start)
      _ = admission.finish(id, id == 2 ? .success : .failure, at: 0)
    }
    #expect(!admission.isOpen)  // a success in between resets the count
    for id in 4...5 {
      #expect(admission.arrive(id, at: 0) == .start)
      _ = admission.finish(id, .failure, at: 0)
    }
    #expect(admission.isOpen)
    #expect(admission.arrive(6, at: 9) == .refuse(.circuitOpen))
    #expect(admission.arrive(7, at: 10) == .start)
    #expect(admission.arrive(8, at: 10) == .refuse(.circuitOpen))
    _ = admission.finish(7, .failure, at: 11)
    #expect(admission.arrive(9, at: 20) == .refuse(.circuitOpen))
    #expect(admission.arrive(10, at: 21) == .start)
    _ = admission.finish(10, .success, at: 21)
    #expect(!admission.isOpen)
    #expect(admission.arrive(11, at: 21) == .start)
  }

  @Test func remembersFailuresBetweenLonelyRequests() {
    var admission = admission(failures: 2)
    _ = admission.arrive(1, at: 0)
    _ = admission.finish(1, .failure, at: 0)
    #expect(!admission.isForgettable)
    _ = admission.arrive(2, at: 0)
    _ = admission.finish(2, .failure, at: 0)
    #expect(admission.isOpen)
  }

  @Test func cancelledProbeLeavesTheDoorForTheNext() {
    var admission = admission(failures: 1)
    _ = admission.arrive(1, at: 0)
    _ = admission.finish(1, .failure, at: 0)
    #expect(admission.arrive(2, at: 10) == .start)
    _ = admission.finish(2, .neutral, at: 10)
    #expect(admission.arrive(3, at: 10) == .start)
  }

  @Test func openCircuitLetsTheQueueGo() {
    var admission = admission(concurrent: 1, failures: 1)
    _ = admission.arrive(1, at: 0)
    _ = admission.arrive(2, at: 0)
    #expect(admission.finish(1, .failure, at: 0) == [])
    #expect(admission.expire(at: 0).map(\.reason) == [.circuitOpen])
  }
}
