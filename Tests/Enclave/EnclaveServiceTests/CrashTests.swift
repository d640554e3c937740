import Foundation
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeyTestSupport
import Synchronization
import Testing

/// Ends the process, or fails the disk, at every write point of every operation. The state found afterwards is the old
/// or the new one.
@Suite struct CrashTests {
    enum Operation: String, CaseIterable, Sendable {
        case firstStart, setPasscode, changePasscode, removePasscode, configure, erase, wrongPasscode, rightPasscode

        var needsPasscode: Bool { self != .firstStart && self != .setPasscode }

        var question: any EnclaveQuestion {
            let current = passcode("1234")
            return switch self {
            case .firstStart: AskStatus()
            case .setPasscode: SetPasscode(passcode("5678"))
            case .changePasscode: ChangePasscode(from: current, to: passcode("5678"))
            case .removePasscode: RemovePasscode(current)
            case .configure: ConfigureDevice(passcode: current, eraseAfterTenFailures: true, gracePeriodSeconds: 3)
            case .erase: EraseDevice(passcode: current)
            case .wrongPasscode: UnlockDevice(passcode("0000"))
            case .rightPasscode: UnlockDevice(current)
            }
        }
    }

    /// The state of a device, as far as a person can tell after starting it.
    struct Observation: Equatable {
        var passcode: String?
        var settings: Bool
        var ordinaryKeyOpens: Bool
        var passcodeBoundKeyOpens: Bool?
    }

    /// The disk as it is at each write point of one run, and after it.
    final class Snapshots: Sendable {
        let directories = Mutex<[(CrashPoint?, TemporaryDirectory)]>([])

        func take(_ directory: String, at point: CrashPoint?) {
            guard let copy = try? TemporaryDirectory() else { return }
            try? FileManager.default.copyItem(atPath: directory, toPath: copy.storage)
            directories.withLock { $0.append((point, copy)) }
        }
    }

    @Test("the disk at every write point holds the old state or the new one", arguments: Operation.allCases)
    func everyPoint(_ operation: Operation) throws {
        let directory = try TemporaryDirectory()
        let snapshots = Snapshots()
        let clock = HandClock()
        var keys: [KeyClass: CreatedKey] = [:]
        var before: Observation?
        if operation != .firstStart {
            let device = try TestDevice(in: directory, clock: clock)
            if operation.needsPasscode { try device.expectDone(SetPasscode(passcode("1234"))) }
            keys = device.keysOfAllClasses()
            before = try observe(directory, clock: clock, keys: keys)
        }
        let storagePath = directory.storage
        let device = try TestDevice(in: directory, clock: clock, seed: 7) { point in
            snapshots.take(storagePath, at: point)
            return nil
        }
        _ = device.outcome(of: operation.question)
        let after = try observe(directory, clock: clock, keys: keys)
        let taken = snapshots.directories.withLock { $0 }
        #expect(taken.count >= 6)
        if let before, ![.wrongPasscode, .rightPasscode].contains(operation) { #expect(before != after) }

        var sawNew = false
        for (point, copy) in taken {
            let found = try observe(copy, clock: clock, keys: keys)
            let place = "\(operation.rawValue) at \(point.map { "\($0)" } ?? "the end")"
            #expect(found == after || found == before, "\(place): neither the old state nor the new one")
            // Once the new state was there it does not go away again.
            if sawNew, before != after { #expect(found == after, "\(place): the new state is lost again") }
            sawNew = sawNew || found == after
        }
    }

    @Test("a counted try is on disk before the passcode is checked") func countedFirst() throws {
        let directory = try TemporaryDirectory()
        let snapshots = Snapshots()
        try TestDevice(in: directory).expectDone(SetPasscode(passcode("1234")))
        let path = directory.storage
        let device = try TestDevice(in: directory) { point in
            snapshots.take(path, at: point)
            return nil
        }
        try device.expectDone(UnlockDevice(passcode("1234")))
        // Between the first durable write and the reset after the right passcode, one failure is on record.
        let points = snapshots.directories.withLock { $0 }
        let counted = try #require(points.last { $0.0?.step == .begin })
        #expect(try FileEnclaveStorage(directory: counted.1.storage).attempts().failures == 1)
        #expect(try FileEnclaveStorage(directory: path).attempts().failures == 0)
    }

    @Test("each file is synced before it is renamed, and its directory after") func order() throws {
        let seen = Mutex<[CrashPoint]>([])
        let device = try TestDevice(atPoint: { point in
            seen.withLock { $0.append(point) }
            return nil
        })
        try device.expectDone(SetPasscode(passcode("1234")))
        let steps: [CrashPoint.Step] = [
            .begin, .temporaryMade, .temporaryWritten, .temporarySynced, .renamed, .directorySynced,
        ]
        var rest = seen.withLock { $0 }.filter { $0.step != .formerOverwritten }
        #expect(!rest.isEmpty && rest.count % steps.count == 0)
        while !rest.isEmpty {
            #expect(rest.prefix(steps.count).map(\.step) == steps)
            #expect(Set(rest.prefix(steps.count).map(\.file)).count == 1)
            rest.removeFirst(min(steps.count, rest.count))
        }
    }

    @Test(
        "a disk that fails at any write point is reported with the reason, and nothing is lost",
        arguments: Operation.allCases.filter { $0 != .firstStart }, [ENOSPC, EROFS, EIO])
    func failingDisk(_ operation: Operation, _ errorNumber: Int32) throws {
        let text = String(cString: strerror(errorNumber))
        for failing in 0..<100 {
            let directory = try TemporaryDirectory()
            let clock = HandClock()
            let first = try TestDevice(in: directory, clock: clock)
            if operation.needsPasscode { try first.expectDone(SetPasscode(passcode("1234"))) }
            let keys = first.keysOfAllClasses()
            let before = try observe(directory, clock: clock, keys: keys)
            let countdown = Mutex<Int?>(nil)
            let device = try TestDevice(in: directory, clock: clock) { _ in
                countdown.withLock { left in
                    guard let now = left else { return nil }
                    left = now - 1
                    return now == 0 ? errorNumber : nil
                }
            }
            countdown.withLock { $0 = failing }
            let outcome = device.outcome(of: operation.question)
            let isOver = countdown.withLock { left in
                let isOver = (left ?? 0) >= 0
                left = nil
                return isOver
            }
            let after = try observe(directory, clock: clock, keys: keys)
            if isOver { break }
            guard case .failure(.storage(let reason)) = outcome else {
                Issue.record("\(operation.rawValue), failing at \(failing): answered with \(outcome)")
                continue
            }
            #expect(reason.contains(text))
            // The running enclave and one that starts now agree, and the device still works.
            #expect(try device.status.hasPasscode == (after.passcode != nil))
            if before.passcode == after.passcode, after.ordinaryKeyOpens {
                #expect(after == before || operation == .configure)
            }
            try expectWorking(device, after)
        }
    }

    @Test("a process killed at a write point leaves a device that opens", arguments: [0, 3, 9, 14, 20])
    func killedInOwnProcess(at point: Int) async throws {
        let directory = try TemporaryDirectory()
        let device = try TestDevice(in: directory)
        try device.expectDone(SetPasscode(passcode("1234")))
        let keys = device.keysOfAllClasses()
        let path = directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, point = point as Int] in
            let countdown = Mutex(point)
            let storage = try FileEnclaveStorage(
                directory: path + "/enclave",
                testOnlyAtPoint: { _ in
                    countdown.withLock { left in
                        if left == 0 { kill(getpid(), SIGKILL) }
                        left -= 1
                    }
                    return nil
                })
            let enclave = try EnclaveService(
                storage: storage, clock: HandClock(), entropy: SeededEntropy(seed: 3),
                passcodeCost: .fixed(log2Cost: 4))
            _ = try? enclave.ask(ChangePasscode(from: passcode("1234"), to: passcode("5678")))
            exit(1)
        }
        let found = try observe(directory, clock: device.clock, keys: keys)
        #expect(found.passcode == "1234" || found.passcode == "5678")
        #expect(found.ordinaryKeyOpens)
        #expect(found.passcodeBoundKeyOpens == true)
    }

    private func expectWorking(_ device: TestDevice, _ state: Observation) throws {
        guard let text = state.passcode else {
            try device.expectDone(SetPasscode(passcode("new")))
            return
        }
        try device.expectDone(UnlockDevice(passcode(text)))
        try device.expectDone(ChangePasscode(from: passcode(text), to: passcode("another")))
    }

    /// Starts an enclave on a copy of the directory, so that looking changes nothing.
    private func observe(
        _ original: TemporaryDirectory, clock: HandClock, keys: [KeyClass: CreatedKey]
    ) throws -> Observation {
        let directory = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: original.storage, toPath: directory.storage)
        let device = try TestDevice(in: directory, clock: clock, seed: 5)
        let status = try device.status
        var found: String?
        if status.hasPasscode {
            found = ["1234", "5678"].first { text in
                (try? device.enclave.ask(UnlockDevice(passcode(text)))) != nil
            }
            #expect(found != nil, "no passcode opens the device")
        }
        return Observation(
            passcode: found, settings: status.eraseAfterTenFailures,
            ordinaryKeyOpens: keys[.whenUnlocked].map { device.refusalToOpen($0) == nil } ?? true,
            passcodeBoundKeyOpens: keys[.whenPasscodeSetThisDeviceOnly].map { device.refusalToOpen($0) == nil })
    }
}
