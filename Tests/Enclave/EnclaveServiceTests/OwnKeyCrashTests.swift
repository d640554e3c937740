import Foundation
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyTestSupport
import Synchronization
import Testing

/// Cuts the power, or fails the disk, at every write point of a deletion.
@Suite struct OwnKeyCrashTests {
    private static let steps: [CrashPoint.Step] = [
        .begin, .temporaryMade, .temporaryWritten, .temporarySynced, .renamed, .directorySynced,
    ]

    private func started(_ directory: TemporaryDirectory) throws -> TestDevice {
        let copy = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: directory.storage, toPath: copy.storage)
        return try TestDevice(in: copy, seed: 9)
    }

    @Test(
        "at every write point a key is there or deleted, and what was deleted before stays so",
        arguments: [false, true])
    func everyPoint(isFirst: Bool) throws {
        let directory = try TemporaryDirectory()
        let first = try TestDevice(in: directory)
        let former = try first.ownKey()
        let key = try first.ownKey()
        let other = try first.ownKey()
        if !isFirst { try first.delete(former) }
        let snapshots = CrashTests.Snapshots()
        let path = directory.storage
        let device = try TestDevice(in: directory, seed: 7) { point in
            snapshots.take(path, at: point)
            return nil
        }
        try device.delete(key)
        snapshots.take(path, at: nil)
        let taken = snapshots.directories.withLock { $0 }
        #expect(taken.compactMap(\.0?.step) == Self.steps)
        #expect(taken.compactMap(\.0).allSatisfy { $0.file == .deletedKeys })
        var found: [KeyRefusal?] = []
        for (_, copy) in taken {
            let device = try started(copy)
            found.append(device.refusal(.sign, key))
            #expect(try device.isGone(key) == found.last)
            #expect(device.refusal(.sign, other) == nil)
            #expect(device.refusal(.sign, former) == (isFirst ? nil : .deleted))
            // Wherever it was cut off, deleting again ends it.
            try device.delete(key)
            #expect(try device.reopened().refusal(.sign, key) == .deleted)
        }
        #expect(found == [nil, nil, nil, nil, .deleted, .deleted, .deleted])
    }

    @Test("an erase that is cut off anywhere brings no deleted key back") func erase() throws {
        let directory = try TemporaryDirectory()
        let first = try TestDevice(in: directory)
        let key = try first.ownKey()
        let other = try first.ownKey()
        try first.delete(key)
        let snapshots = CrashTests.Snapshots()
        let path = directory.storage
        let device = try TestDevice(in: directory, seed: 7) { point in
            snapshots.take(path, at: point)
            return nil
        }
        try device.expectDone(EraseDevice(passcode: nil))
        let taken = snapshots.directories.withLock { $0 }
        #expect(taken.compactMap(\.0).contains { $0.file == .deletedKeys && $0.step == .removed })
        for (point, copy) in taken {
            let device = try started(copy)
            let isThere = device.refusal(.sign, other) == nil
            #expect(device.refusal(.sign, key) == (isThere ? .deleted : .damaged), "\(point.map { "\($0)" } ?? "")")
        }
    }

    @Test(
        "a disk that fails at any write point is reported, and nothing is deleted by half",
        arguments: [ENOSPC, EROFS, EIO])
    func failingDisk(_ errorNumber: Int32) throws {
        for failing in Self.steps.indices {
            let directory = try TemporaryDirectory()
            let first = try TestDevice(in: directory)
            let former = try first.ownKey()
            let key = try first.ownKey()
            try first.delete(former)
            let countdown = Mutex<Int?>(nil)
            let device = try TestDevice(in: directory, seed: 7) { _ in
                countdown.withLock { left in
                    guard let now = left else { return nil }
                    left = now - 1
                    return now == 0 ? errorNumber : nil
                }
            }
            #expect(device.refusal(.sign, key) == nil)
            countdown.withLock { $0 = failing }
            guard case .storage(let reason) = try device.refusal(of: DeleteKeys([key.blob])) else {
                throw Unexpected()
            }
            countdown.withLock { $0 = nil }
            #expect(reason.contains(String(cString: strerror(errorNumber))))
            // The running enclave and one that starts now agree.
            #expect(device.refusal(.sign, key) == (try started(directory)).refusal(.sign, key))
            #expect(device.refusal(.sign, former) == .deleted)
            try device.delete(key)
            #expect(device.refusal(.sign, key) == .deleted)
        }
    }

    @Test("a process killed in a deletion leaves a key or a deleted one", arguments: 0..<6)
    func killedInOwnProcess(at point: Int) async throws {
        let directory = try TemporaryDirectory()
        let device = try TestDevice(in: directory)
        let key = try device.ownKey()
        let path = directory.path
        let blob = key.blob
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, point = point as Int, blob = blob as [UInt8]] in
            let countdown = Mutex<Int?>(nil)
            let storage = try FileEnclaveStorage(
                directory: path + "/enclave",
                testOnlyAtPoint: { _ in
                    countdown.withLock { left in
                        if left == 0 { kill(getpid(), SIGKILL) }
                        left = left.map { $0 - 1 }
                    }
                    return nil
                })
            let enclave = try EnclaveService(
                storage: storage, clock: HandClock(), entropy: SeededEntropy(seed: 3),
                passcodeCost: .fixed(log2Cost: 4))
            countdown.withLock { $0 = point }
            _ = try? enclave.ask(DeleteKeys([blob]))
            exit(1)
        }
        let next = try device.reopened()
        #expect(next.refusal(.sign, key) == (point < 4 ? nil : .deleted))
        try next.delete(key)
        #expect(try next.reopened().refusal(.sign, key) == .deleted)
    }
}
