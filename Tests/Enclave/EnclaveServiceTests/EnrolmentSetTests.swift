import Foundation
import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeyTestSupport
import Testing

/// Whom a finger belongs to, and what happens to items when that changes.
@Suite struct EnrolmentSetTests {
    enum Change: String, CaseIterable, Sendable {
        case another, sameFingerAnew, removed, removedAll, throughEnclave

        func make(_ device: TestDevice) throws {
            switch self {
            case .another: device.sensor.enroll(.leftThumb)
            case .sameFingerAnew: device.sensor.enroll(.rightIndex)
            case .removed:
                device.sensor.enroll(.leftThumb)
                device.sensor.remove(finger: .rightIndex)
            case .removedAll: device.sensor.remove(finger: .rightIndex)
            case .throughEnclave:
                try device.expectDone(RemoveFinger(nil, passcode: passcode("1234")))
            }
        }
    }

    @Test("a change kills items of the current set at their next use, and no others", arguments: Change.allCases)
    func change(_ change: Change) throws {
        let device = try TestDevice.withFinger()
        let context = try device.matchedContext()
        let current = try device.item(.biometryCurrentSet)
        let either = try device.item([.biometryCurrentSet, .devicePasscode, .or])
        let any = try device.item(.biometryAny)
        let presence = try device.item(.userPresence)
        for item in [current, either, any, presence] { #expect(device.refusalToOpen(item, with: context) == nil) }

        try change.make(device)
        #expect(device.refusalToOpen(current, with: context) == .invalidated)
        #expect(device.refusalToOpen(current, with: nil) == .invalidated)
        #expect(
            try device.verdict(
                on: .accessControl(AccessControl(serialised: current.wrapped.binding), .decrypt), in: context)
                == .refused(.enrolmentChanged))
        // Proofs by the old fingers do not count for the new ones.
        #expect(device.refusalToOpen(any, with: context) == .authenticationNeeded)
        #expect(device.refusalToOpen(presence, with: context) == .authenticationNeeded)
        #expect(device.refusalToOpen(either, with: context) == .authenticationNeeded)

        try device.expectDone(OfferPasscode(passcode("1234"), to: context))
        #expect(device.refusalToOpen(presence, with: context) == nil)
        #expect(device.refusalToOpen(either, with: context) == nil)
        #expect(device.refusalToOpen(current, with: context) == .invalidated)
        if try device.biometry.obstacle == nil {
            device.sensor.give(.matched(nil))
            #expect(try device.match(for: context) == .matched(nil))
            #expect(device.refusalToOpen(any, with: context) == nil)
            #expect(device.refusalToOpen(current, with: context) == .invalidated)
        }
    }

    @Test("going back to the old templates does not bring the old set back", arguments: [nil, 7] as [UInt64?])
    func noWayBack(generation: UInt64?) throws {
        let device = try TestDevice.withFinger(generation: generation)
        let templates = device.sensor.templates
        let first = try #require(try device.biometry.enrolmentSet)
        let item = try device.item(.biometryCurrentSet)
        device.sensor.enroll(.leftThumb)
        let second = try #require(try device.biometry.enrolmentSet)
        device.sensor.put(templates)
        let third = try #require(try device.biometry.enrolmentSet)
        device.sensor.put([:])
        #expect(try device.biometry.enrolmentSet == nil)
        device.sensor.put(templates)
        let fourth = try #require(try device.biometry.enrolmentSet)
        #expect(Set([first, second, third, fourth]).count == 4)
        #expect(device.refusalToOpen(item, with: nil) == .invalidated)
    }

    @Test("a set stays over restarts of the device and of the process, and a change in between is noticed")
    func durable() throws {
        let device = try TestDevice.withFinger()
        let set = try device.biometry.enrolmentSet
        device.enclave.restart()
        #expect(try device.biometry.enrolmentSet == set)
        #expect(try device.reopened().biometry.enrolmentSet == set)
        device.sensor.enroll(.rightThumb)
        let changed = try device.reopened().biometry.enrolmentSet
        #expect(changed != set && changed != nil)
        // The process that ran all the time takes over what the other one wrote down.
        #expect(try device.biometry.enrolmentSet == changed)
    }

    @Test("an erased device begins with another set") func erased() throws {
        let device = try TestDevice.withFinger()
        let set = try device.biometry.enrolmentSet
        try device.expectDone(EraseDevice(passcode: passcode("1234")))
        #expect(!FileManager.default.fileExists(atPath: device.directory.storage + "/enrolment"))
        let next = try device.biometry.enrolmentSet
        #expect(next != nil && next != set)
    }

    @Test("a sensor that cannot be asked kills nothing", arguments: SensorObstacle.allCases)
    func obstacle(_ obstacle: SensorObstacle) throws {
        let device = try TestDevice.withFinger()
        let context = try device.matchedContext()
        let item = try device.item(.biometryCurrentSet)
        let presence = try device.item(.userPresence)
        device.sensor.obstacle = obstacle
        #expect(device.refusalToOpen(item, with: context) == .authenticationNeeded)
        #expect(device.refusalToOpen(presence, with: context) == .authenticationNeeded)
        #expect(
            try device.verdict(
                on: .accessControl(AccessControl(serialised: item.wrapped.binding), .decrypt), in: context)
                == .refused(obstacle.rule))
        device.sensor.obstacle = nil
        #expect(device.refusalToOpen(item, with: context) == nil)
        #expect(device.refusalToOpen(presence, with: context) == nil)
    }

    @Test("biometry cannot be bound to nothing", arguments: [AccessControlFlags.biometryAny, .biometryCurrentSet])
    func notBound(_ flags: AccessControlFlags) throws {
        let device = try TestDevice.withFinger()
        let control = try AccessControl(protection: .whenUnlocked, flags: flags)
        guard case .bound = try device.enclave.ask(BindAccessControl(control)) else { throw Unexpected() }
        device.sensor.remove(finger: .rightIndex)
        #expect(try device.enclave.ask(BindAccessControl(control)) == .notBound(.biometryNotEnrolled))
        device.sensor.obstacle = .disconnected
        #expect(try device.enclave.ask(BindAccessControl(control)) == .notBound(.biometryDisconnected))
    }

    @Test("biometry that is locked out can still be bound; what is bound stays as it is") func bindAgain() throws {
        let device = try TestDevice.withFinger()
        let bound = try device.bound(.biometryCurrentSet)
        device.enclave.restart()
        #expect(try device.bound(.biometryCurrentSet) == bound)
        #expect(try device.enclave.ask(BindAccessControl(bound)) == .bound(bound))
        device.sensor.enroll(.leftThumb)
        #expect(try device.enclave.ask(BindAccessControl(bound)) == .notBound(.enrolmentChanged))
        #expect(try device.bound(.biometryCurrentSet) != bound)
    }

    @Test("the sensor is asked only where its answer matters", arguments: [nil, 1] as [UInt64?])
    func asked(generation: UInt64?) throws {
        let device = try TestDevice.withFinger(generation: generation)
        let passcodeContext = try device.passcodeContext()
        let fingerContext = try device.matchedContext()
        let free = try device.create(.whenUnlocked).get()
        let presence = try device.item(.userPresence)
        let passcodeItem = try device.item(.devicePasscode)
        let current = try device.item(.biometryCurrentSet)
        func surveys(_ body: () -> Void) -> Int {
            let before = device.sensor.surveys
            body()
            return device.sensor.surveys - before
        }
        let none = surveys {
            #expect(device.refusalToOpen(free, with: fingerContext) == nil)
            #expect(device.refusalToOpen(presence, with: passcodeContext) == nil)
            #expect(device.refusalToOpen(passcodeItem, with: passcodeContext) == nil)
            #expect(device.refusalToOpen(presence, with: nil) == .authenticationNeeded)
            _ = try? device.enclave.ask(LockDevice(immediately: false))
        }
        #expect(none == 0)
        let once = surveys {
            #expect(device.refusalToOpen(presence, with: fingerContext) == nil)
            let batch = [WrappedKey](repeating: current.wrapped, count: 50)
            _ = try? device.enclave.ask(UnwrapKeys(batch, context: fingerContext))
        }
        // A sensor that tells of changes is not asked again before there is one.
        #expect(once == (generation == nil ? 2 : 0))
        device.sensor.enroll(.rightThumb)
        let again = surveys {
            #expect(device.refusalToOpen(current, with: fingerContext) == .invalidated)
        }
        #expect(again == 1)
    }

    @Test("an enrolment that cannot be written down is not used", arguments: [ENOSPC, EROFS, EIO])
    func notWritten(_ errorNumber: Int32) throws {
        let directory = try TemporaryDirectory()
        let sensor = ScriptedSensor(.rightIndex, generation: 1)
        let device = try TestDevice(in: directory, sensor: sensor)
        try device.expectDone(SetPasscode(passcode("1234")))
        let set = try device.biometry.enrolmentSet
        let failing = try TestDevice(in: directory, clock: device.clock, sensor: sensor) { point in
            point.file == .enrolment && point.step == .temporaryWritten ? errorNumber : nil
        }
        try failing.expectDone(UnlockDevice(passcode("1234")))
        #expect(try failing.biometry.enrolmentSet == set)
        sensor.enroll(.leftThumb)
        for _ in 0..<2 {
            #expect(try failing.biometry.enrolmentSet == nil)
            #expect(try failing.biometry.obstacle == .biometryNotAvailable)
            #expect(try failing.match(for: try failing.openContext()) == .refused(.biometryNotAvailable))
        }
        let changed = try #require(try device.biometry.enrolmentSet)
        #expect(changed != set)
        #expect(try failing.biometry.enrolmentSet == changed)
    }

    @Test("a record damaged under a running enclave stops biometry when it changes, not the passcode")
    func damagedWhileRunning() throws {
        let device = try TestDevice.withFinger()
        var bytes = try device.directory.bytes(of: "enrolment")
        bytes[20] ^= 1
        try device.directory.put(bytes, in: "enrolment")
        device.sensor.enroll(.leftThumb)
        #expect(try device.biometry.obstacle == .biometryNotAvailable)
        #expect(try device.directory.bytes(of: "enrolment") == bytes)
        try device.expectDone(UnlockDevice(passcode("1234")))
    }
}
