import Foundation
import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyTestSupport
import Synchronization
import Testing

/// Cuts the power at every write point of a changed enrolment: an old set is never good for new fingers.
@Suite struct EnrolmentCrashTests {
    enum Change: String, CaseIterable, Sendable {
        case first, another, none, erase
    }

    @Test("at every write point the record is the old one or the new one", arguments: Change.allCases)
    func everyPoint(_ change: Change) throws {
        let directory = try TemporaryDirectory()
        let clock = HandClock()
        let sensor = ScriptedSensor()
        let device = try TestDevice(in: directory, clock: clock, sensor: sensor)
        try device.expectDone(SetPasscode(passcode("1234")))
        if change != .first { sensor.enroll(.rightIndex) }
        _ = try device.biometry
        let before = try FileEnclaveStorage(directory: directory.storage).enrolment()
        #expect((before == nil) == (change == .first))

        let snapshots = CrashTests.Snapshots()
        let path = directory.storage
        let writing = try TestDevice(in: directory, clock: clock, seed: 7, sensor: sensor) { point in
            snapshots.take(path, at: point)
            return nil
        }
        switch change {
        case .first, .another:
            sensor.enroll(.leftThumb)
            _ = try writing.biometry
        case .none:
            sensor.remove(finger: .rightIndex)
            _ = try writing.biometry
        case .erase:
            try writing.expectDone(EraseDevice(passcode: passcode("1234")))
        }
        let after = try FileEnclaveStorage(directory: path).enrolment()
        #expect(before != after)

        let taken = snapshots.directories.withLock { $0 }
        let points = taken.compactMap(\.0).filter { $0.file == .enrolment }
        #expect(points.map(\.step) == (change == .erase ? [.begin, .removed, .directorySynced] : Self.steps))
        for (point, copy) in taken {
            let found = try FileEnclaveStorage(directory: copy.storage).enrolment()
            #expect(found == before || found == after, "\(point.map { "\($0)" } ?? "")")
            // A device that starts here takes no set of the former fingers for the present ones.
            let started = try TestDevice(in: copy, clock: clock, seed: 9, sensor: sensor)
            let set = try started.biometry.enrolmentSet
            if change != .erase { #expect(set == nil || set != before?.enrolment?.set) }
            #expect((set == nil) == (change == .none))
        }
    }

    private static let steps: [CrashPoint.Step] = [
        .begin, .temporaryMade, .temporaryWritten, .temporarySynced, .renamed, .directorySynced,
    ]

    @Test("a set is on disk before anybody hears of it") func durableFirst() throws {
        let directory = try TemporaryDirectory()
        let seen = Mutex<[CrashPoint.Step]>([])
        let device = try TestDevice(in: directory, sensor: ScriptedSensor(.rightIndex)) { point in
            if point.file == .enrolment { seen.withLock { $0.append(point.step) } }
            return nil
        }
        try device.expectDone(SetPasscode(passcode("1234")))
        let set = try #require(try device.biometry.enrolmentSet)
        #expect(seen.withLock { $0 } == Self.steps)
        #expect(try FileEnclaveStorage(directory: directory.storage).enrolment()?.enrolment?.set == set)
        // An unchanged enrolment is not written again.
        _ = try device.biometry
        #expect(seen.withLock { $0.count } == Self.steps.count)
    }
}
