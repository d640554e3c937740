import Foundation
import Glibc
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeySensor
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

@Suite("The real fprintd with a virtual reader", .serialized, .needsRoot(to: "use a reader as polkit allows root"))
struct FprintTests {
    private func sensor(_ stage: FprintStage, templates: Bool = true) -> FprintSensor {
        FprintSensor(user: "root", templates: templates ? stage.templates : nil, place: stage.place)
    }

    @discardableResult
    private func enrol(
        _ finger: Finger, as print: String, _ stage: FprintStage, _ sensor: FprintSensor
    ) throws -> [EnrolmentEvent] {
        try stage.enrol(finger, as: print, sensor)
    }

    @Test("a finger is enrolled stage by stage, listed, and known again")
    func whole() throws {
        let stage = try FprintStage()
        let sensor = sensor(stage)
        let empty = sensor.survey()
        #expect(empty.obstacle == nil)
        #expect(empty.name.hasPrefix("Virtual device"))
        #expect(empty.fingers.isEmpty && empty.digest.isEmpty && empty.seesTemplates)
        let events = try enrol(.rightIndex, as: "one", stage, sensor)
        #expect(events.last == .completed)
        #expect(events.filter { if case .stage(_, total: 6) = $0 { true } else { false } }.count >= 5)
        let survey = sensor.survey()
        #expect(survey.fingers == [.rightIndex])
        #expect(survey.digest.count == 32)
        let match = Background { sensor.match(until: Cancellation(seconds: 30)) }
        try stage.tell("SCAN one")
        guard case .matched = try match.value() else {
            Issue.record("no match: \(try match.value())")
            return
        }
        let other = Background { sensor.match(until: Cancellation(seconds: 30)) }
        try stage.awaitTouchWanted()
        try stage.tell("SCAN two")
        #expect(try other.value() == .notMatched)
        // Reading a finger changes nothing of the enrolment.
        #expect(sensor.survey() == survey)
    }

    @Test(
        "a touch that was not read well is unclear, with the reason",
        arguments: [(0, UnclearTouch.again), (1, .tooShort), (2, .notCentered), (3, .removeFinger)])
    func unclear(_ number: Int, _ touch: UnclearTouch) throws {
        let stage = try FprintStage()
        let sensor = sensor(stage)
        try enrol(.leftThumb, as: "one", stage, sensor)
        let match = Background { sensor.match(until: Cancellation(seconds: 30)) }
        try stage.tell("RETRY \(number)")
        #expect(try match.value() == .unclear(touch))
    }

    @Test("a reader that fails is not taken for one that was unplugged")
    func failures() throws {
        let stage = try FprintStage()
        let sensor = sensor(stage)
        try enrol(.leftThumb, as: "one", stage, sensor)
        let broken = Background { sensor.match(until: Cancellation(seconds: 30)) }
        try stage.tell("ERROR 0")
        #expect(try broken.value() == .unavailable(.failed))
        let unplugged = Background { sensor.match(until: Cancellation(seconds: 30)) }
        try stage.awaitTouchWanted()
        try stage.tell("UNPLUG")
        let end = try unplugged.value()
        #expect(end == .unavailable(.disconnected))
        #expect(sensor.survey().obstacle == SensorObstacle.none)
    }

    @Test("a reader that is unplugged while a match begins is not taken for one that fails")
    func unpluggedEarly() throws {
        let stage = try FprintStage()
        let sensor = sensor(stage)
        try enrol(.leftThumb, as: "one", stage, sensor)
        let match = Background { sensor.match(until: Cancellation(seconds: 30)) }
        // The virtual reader listens as soon as a client has claimed it.
        try stage.tell("UNPLUG")
        let end = try match.value()
        #expect(end == .unavailable(.disconnected))
    }

    @Test("a reader that is unplugged ends an enrolment")
    func unpluggedEnrolment() throws {
        let stage = try FprintStage()
        let sensor = sensor(stage)
        let events = Background { sensor.enrol(.leftThumb, until: Cancellation(seconds: 30)) { _ in } }
        try stage.awaitTouchWanted()
        try stage.tell("UNPLUG")
        #expect(try events.value() == .failed(.disconnected))
    }

    @Test("while another program has the reader a match waits for it, and says so at its deadline")
    func busy() throws {
        let stage = try FprintStage()
        let sensor = sensor(stage)
        try enrol(.rightThumb, as: "one", stage, sensor)
        let other = try stage.start(["/usr/bin/fprintd-verify", "root"], package: "fprintd")
        try stage.awaitTouchWanted()
        #expect(sensor.match(until: Cancellation(seconds: 0.2)) == .unavailable(.busy))
        #expect(sensor.survey().fingers == [.rightThumb])
        let patient = Background { sensor.match(until: Cancellation(seconds: 30)) }
        let cancelled = Cancellation(seconds: 30)
        let impatient = Background { sensor.match(until: cancelled) }
        cancelled.cancel()
        #expect(try impatient.value() == .ended)
        other.kill()
        try stage.awaitTouchWanted()
        try stage.tell("SCAN one")
        guard case .matched = try patient.value() else {
            Issue.record("\(try patient.value())")
            return
        }
    }

    @Test("fprintd that dies in an evaluation ends it, and one that is started again serves the next")
    func restarted() throws {
        let stage = try FprintStage()
        let sensor = sensor(stage)
        try enrol(.rightThumb, as: "one", stage, sensor)
        let before = sensor.survey()
        let match = Background { sensor.match(until: Cancellation(seconds: 30)) }
        try stage.awaitTouchWanted()
        stage.killService()
        #expect(try match.value() == .unavailable(.disconnected))
        #expect(sensor.match(until: Cancellation(seconds: 30)) == .unavailable(.noService))
        try stage.startService()
        #expect(sensor.survey() == before)
        let next = Background { sensor.match(until: Cancellation(seconds: 30)) }
        // The virtual reader keeps its prints in memory and has lost them.
        try stage.tell("SCAN one")
        #expect(try next.value() == .notMatched)
    }

    @Test("a bus that dies ends an evaluation")
    func noBus() throws {
        let stage = try FprintStage()
        let sensor = sensor(stage)
        try enrol(.rightThumb, as: "one", stage, sensor)
        let match = Background { sensor.match(until: Cancellation(seconds: 30)) }
        try stage.awaitTouchWanted()
        stage.killBus()
        #expect(try match.value() == .unavailable(.disconnected))
        #expect(sensor.survey().obstacle == .noService)
        #expect(sensor.survey().obstacle == .noService, "also where the last look is remembered")
        #expect(sensor.remove(nil) == .noService)
    }

    @Test("a match is ended by the program that asked for it, and by its deadline; the reader is free afterwards")
    func ended() throws {
        let stage = try FprintStage()
        let sensor = sensor(stage)
        try enrol(.rightThumb, as: "one", stage, sensor)
        let cancellation = Cancellation(seconds: 30)
        let match = Background { sensor.match(until: cancellation) }
        try stage.awaitTouchWanted()
        cancellation.cancel()
        #expect(try match.value() == .ended)
        #expect(sensor.match(until: Cancellation(seconds: 0.2)) == .ended)
        let enrolment = Cancellation(seconds: 0.2)
        #expect(sensor.enrol(.leftLittle, until: enrolment) { _ in } == .ended)
        let free = try stage.run(["/usr/bin/fprintd-delete", "root"], package: "fprintd")
        #expect(free.status == 0, "\(free.output)")
    }

    @Test("a driver that hangs takes no longer than the deadline")
    func hanging() throws {
        let stage = try FprintStage()
        let sensor = sensor(stage)
        try enrol(.rightThumb, as: "one", stage, sensor)
        try stage.freezeService()
        #expect(sensor.match(until: Cancellation(seconds: 0.2)) == .ended)
        #expect(sensor.enrol(.leftLittle, until: Cancellation(seconds: 0.2)) { _ in } == .ended)
    }

    @Test("fingers are removed one by one and all together, and one that is not there is no failure")
    func removal() throws {
        let stage = try FprintStage()
        let sensor = sensor(stage)
        try enrol(.rightThumb, as: "one", stage, sensor)
        try enrol(.leftThumb, as: "two", stage, sensor)
        #expect(sensor.survey().fingers == [.leftThumb, .rightThumb])
        #expect(sensor.remove(.rightThumb) == nil)
        #expect(sensor.survey().fingers == [.leftThumb])
        #expect(sensor.remove(.rightThumb) == nil)
        #expect(sensor.remove(nil) == nil)
        #expect(sensor.survey().fingers.isEmpty)
        #expect(sensor.remove(nil) == nil)
    }

    @Test("the print of a finger that is enrolled already is a duplicate")
    func duplicate() throws {
        let stage = try FprintStage()
        let sensor = sensor(stage)
        try enrol(.rightThumb, as: "one", stage, sensor)
        let events = try enrol(.leftThumb, as: "one", stage, sensor)
        #expect(events.last == .duplicate)
        #expect(sensor.survey().fingers == [.rightThumb])
    }

    @Test("a finger enrolled anew under its name has another digest where templates can be read, and only there")
    func digest() throws {
        let stage = try FprintStage()
        let (seeing, blind) = (sensor(stage), sensor(stage, templates: false))
        try enrol(.rightThumb, as: "one", stage, seeing)
        let (seen, listed) = (seeing.survey(), blind.survey())
        #expect(seen.seesTemplates && !listed.seesTemplates)
        #expect(seen.digest != listed.digest)
        #expect(seeing.remove(nil) == nil)
        try enrol(.rightThumb, as: "other", stage, seeing)
        #expect(seeing.survey().fingers == seen.fingers)
        #expect(seeing.survey().digest != seen.digest)
        #expect(blind.survey() == listed)
        try enrol(.rightIndex, as: "third", stage, seeing)
        #expect(blind.survey().digest != listed.digest)
    }

    @Test(
        "templates that should be seen and cannot be read make the reader unusable, rather than the enrolment another")
    func unreadable() throws {
        let stage = try FprintStage()
        try enrol(.rightThumb, as: "one", stage, sensor(stage))
        let elsewhere = FprintSensor(user: "root", templates: .directory(stage.state + "/none"), place: stage.place)
        #expect(elsewhere.survey() == SensorSurvey(name: sensor(stage).survey().name, obstacle: .failed))
    }
}
