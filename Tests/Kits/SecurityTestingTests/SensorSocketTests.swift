import Foundation
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeySensor
import LatchkeyThreading
import Testing

@testable import SecurityTesting

/// The scripted person's finger as the enclave process feels it: through its own client of the socket.
@Suite("The virtual sensor's socket")
struct SensorSocketTests {
    private final class Place: Sendable {
        let directory: URL
        let person = ScriptedPerson(entropy: SeededEntropy(seed: 3))
        let socket: SensorSocket
        let sensor: LineSensor

        init() throws {
            directory = FileManager.default.temporaryDirectory.appendingPathComponent(
                "latchkey-" + UUID().uuidString.prefix(18))
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let path = directory.appendingPathComponent("sensor.sock").path
            socket = try SensorSocket(path: path, person: person)
            sensor = LineSensor(testOnlyPath: path)
        }

        deinit {
            socket.close()
            try? FileManager.default.removeItem(at: directory)
        }
    }

    @Test("says what is enrolled, in every state")
    func survey() throws {
        let place = try Place()
        #expect(place.sensor.survey() == place.person.survey())
        #expect(place.sensor.survey().digest.isEmpty)
        var stages: [EnrolmentEvent] = []
        let last = place.sensor.enrol(.rightIndex, until: Cancellation()) { stages.append($0) }
        #expect(last == .completed)
        #expect(stages == [.stage(done: 1, total: 1)])
        #expect(place.sensor.survey() == place.person.survey())
        #expect(place.sensor.survey().digest.count == 32)
        for state in SensorState.allCases where state != .absent {
            place.person.set(state)
            #expect(place.sensor.survey() == place.person.survey())
        }
        place.person.set(.absent)
        #expect(place.sensor.survey().obstacle == SensorObstacle.none)
        #expect(place.sensor.remove(nil) == SensorObstacle.none)
        place.person.set(.ready)
        #expect(place.sensor.remove(.leftThumb) == nil)
        #expect(place.sensor.survey().fingers == [.rightIndex])
        #expect(place.sensor.remove(nil) == nil)
        #expect(place.sensor.survey().fingers.isEmpty)
    }

    @Test("feels touches")
    func touches() throws {
        let place = try Place()
        _ = place.person.enrol(.rightIndex, until: Cancellation()) { _ in }
        place.person.touch(.rightIndex)
        #expect(place.sensor.match(until: Cancellation(seconds: 60)) == .matched(.rightIndex))
        place.person.touch(.leftThumb)
        #expect(place.sensor.match(until: Cancellation(seconds: 60)) == .notMatched)
    }

    @Test("does not feel for a program that has cancelled")
    func cancelled() throws {
        let place = try Place()
        _ = place.person.enrol(.rightIndex, until: Cancellation()) { _ in }
        for _ in 0..<20 {
            let cancellation = Cancellation()
            let ended = Cancellation()
            #expect(
                DetachedThread.start {
                    _ = place.sensor.match(until: cancellation)
                    ended.cancel()
                })
            cancellation.cancel()
            ended.wait()
            place.person.touch(.rightIndex)
            #expect(place.sensor.match(until: Cancellation(seconds: 60)) == .matched(.rightIndex))
        }
    }

    @Test("is gone when it is closed")
    func closed() throws {
        let place = try Place()
        place.socket.close()
        place.socket.close()
        #expect(place.sensor.survey().obstacle != nil)
    }
}
