import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyTestSupport
import Testing

/// Enrolling and removing fingers by the owner.
@Suite struct EnrolmentTests {
    private func begin(_ finger: Finger, _ device: TestDevice) throws {
        try device.expectDone(BeginEnrolment(of: finger, passcode: passcode("1234")))
    }

    private func next(_ device: TestDevice) throws -> EnrolmentEvent {
        try device.enclave.ask(ContinueEnrolment())
    }

    @Test("an enrolment tells its steps, and makes a new set before it says that it is done") func steps() throws {
        let device = try TestDevice.withFinger()
        let set = try device.biometry.enrolmentSet
        device.sensor.giveEnrolment(
            .stage(done: 1, total: 3), .unclear(.tooShort), .stage(done: 2, total: 3), .completed)
        try begin(.leftThumb, device)
        #expect(try next(device) == .stage(done: 1, total: 3))
        #expect(try next(device) == .unclear(.tooShort))
        #expect(try next(device) == .stage(done: 2, total: 3))
        #expect(try next(device) == .completed)
        let surveys = device.sensor.surveys
        #expect(surveys > 0)
        #expect(try device.biometry.enrolmentSet != set)
        #expect(try device.biometry.survey.fingers == [.leftThumb, .rightIndex])
        #expect(try next(device) == .ended)
    }

    @Test(
        "however an enrolment ends, it is told once",
        arguments: [.duplicate, .ended, .failed(.busy), .failed(.disconnected)] as [EnrolmentEvent])
    func ends(_ event: EnrolmentEvent) throws {
        let device = try TestDevice.withFinger()
        let set = try device.biometry.enrolmentSet
        device.sensor.giveEnrolment(event)
        try begin(.rightIndex, device)
        #expect(try next(device) == event)
        #expect(try next(device) == .ended)
        #expect(try device.biometry.enrolmentSet == set)
    }

    @Test("without an enrolment there is nothing to continue") func nothing() throws {
        let device = try TestDevice.withFinger()
        #expect(try next(device) == .ended)
        try device.expectDone(CancelEnrolment())
    }

    @Test("a cancelled enrolment ends, and the sensor is free again") func cancelled() throws {
        let device = try TestDevice.withFinger()
        try begin(.leftThumb, device)
        device.sensor.waitForEnrolment()
        let waiting = Pending { try? next(device) }
        try device.expectDone(CancelEnrolment())
        #expect([.ended, .stage(done: 0, total: 0)].contains(waiting.value))
        #expect(try next(device) == .ended)
        device.sensor.give(.matched(nil))
        #expect(try device.match(for: try device.openContext()) == .matched(nil))
    }

    @Test("a second enrolment ends the first") func second() throws {
        let device = try TestDevice.withFinger()
        try begin(.leftThumb, device)
        device.sensor.waitForEnrolment()
        try begin(.leftIndex, device)
        device.sensor.waitForEnrolment()
        device.sensor.giveEnrolment(.completed)
        #expect(try next(device) == .completed)
        #expect(try device.biometry.survey.fingers == [.leftIndex, .rightIndex])
    }

    @Test("fingers change only with the passcode, and wrong ones count") func passcodeNeeded() throws {
        let device = try TestDevice.withFinger()
        #expect(
            try device.refusal(of: BeginEnrolment(of: .leftThumb, passcode: passcode("0000")))
                == .wrongPasscode(attemptsLeft: 9))
        #expect(
            try device.refusal(of: RemoveFinger(.rightIndex, passcode: passcode("1111")))
                == .wrongPasscode(attemptsLeft: 8))
        #expect(try device.biometry.survey.fingers == [.rightIndex])
        try device.expectDone(RemoveFinger(.rightIndex, passcode: passcode("1234")))
        #expect(try device.biometry.survey.fingers == [])
        #expect(try device.biometry.obstacle == .biometryNotEnrolled)
        device.sensor.obstacle = .disconnected
        #expect(
            try device.enclave.ask(RemoveFinger(nil, passcode: passcode("1234"))) == .failed(.disconnected))
    }

    @Test("a wait for a finger comes after the enrolment that has the sensor") func turns() throws {
        let device = try TestDevice.withFinger()
        let context = try device.openContext()
        try begin(.leftThumb, device)
        device.sensor.waitForEnrolment()
        let pending = Pending { try? device.match(for: context) }
        device.enclave.testOnlyWaitForLine(of: 2)
        device.sensor.giveEnrolment(.failed(.failed))
        device.sensor.give(.matched(.rightIndex))
        #expect(pending.value == .matched(.rightIndex))
    }

    @Test("an enrolment completed while a wait is in line: the match after it does not count") func changed() throws {
        let device = try TestDevice.withFinger()
        let context = try device.openContext()
        try begin(.leftThumb, device)
        device.sensor.waitForEnrolment()
        let pending = Pending { try? device.match(for: context) }
        device.enclave.testOnlyWaitForLine(of: 2)
        device.sensor.giveEnrolment(.completed)
        device.sensor.give(.matched(.leftThumb))
        #expect(pending.value == .unclear(.again))
        device.sensor.give(.matched(.leftThumb))
        #expect(try device.match(for: context) == .matched(.leftThumb))
    }
}
