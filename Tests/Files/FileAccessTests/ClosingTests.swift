import Dispatch
import Glibc
import LatchkeyFileAccess
import LatchkeyKeybag
import LatchkeyKeychainMessages
import SecurityTesting
import Testing

@Suite("Opening and closing files")
struct ClosingTests {
    private let folder: FileFolder

    init() throws {
        folder = try FileFolder()
        try folder.device.setPasscode("1234")
    }

    /// The thread that tells of a state may be slow, and has all open files to tell.
    @Test(
        "a file is closed with its last handle, also while a state of the device is told",
        arguments: [FileProtection.complete, .completeUnlessOpen])
    func whileStateIsTold(_ protection: FileProtection) throws {
        let (isTold, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        folder.vault.whenStateChanges { state, moment in
            guard state != .available, moment == .before else { return }
            isTold.signal()
            mayGoOn.wait()
            // For the states that follow.
            mayGoOn.signal()
        }
        var file: OpenFile? = try folder.vault.emptied(folder.path("a"), permissions: 0o600, protection)
        file?.followDevice()
        try "text".utf8.withContiguousStorageIfAvailable { bytes in
            try file?.write(at: 0, from: UnsafeRawBufferPointer(bytes))
        }
        try folder.device.lock()
        isTold.wait()
        file = nil
        let descriptor = try OwnedDescriptor(opening: folder.path("a"), O_RDWR)
        #expect(throws: Never.self, "no lock is left") { try descriptor.lock(alone: true) }
        descriptor.unlock()
        mayGoOn.signal()
        try folder.device.unlock("1234")
        #expect(try folder.content("a") == Array("text".utf8))
    }

    /// The file that was blank when a caller looked may be another one when it is opened.
    @Test("a file that is not made is said not to be", arguments: [false, true])
    func made(_ isOpen: Bool) throws {
        let place = NewFilePlace(path: folder.path("a"), isNew: false, permissions: 0o600, protection: .complete)
        func openOrMake() throws -> (file: OpenFile, isMade: Bool) {
            try folder.vault.openedOrMade(place) { descriptor throws(AccessFailure) in
                try descriptor.status().st_size == 0
            }
        }
        var made: OpenFile?
        do {
            try folder.write([], "a")
            let (file, isMade) = try openOrMake()
            #expect(isMade)
            try "text".utf8.withContiguousStorageIfAvailable { bytes in
                try file.write(at: 0, from: UnsafeRawBufferPointer(bytes))
            }
            if isOpen { made = file }
        }
        let (file, isMade) = try openOrMake()
        #expect(!isMade && (made == nil || file === made))
        #expect(try file.size() == 4)
        #expect(throws: AccessFailure.self) {
            try folder.write([1], "b")
            let other = NewFilePlace(path: folder.path("b"), isNew: false, permissions: 0o600, protection: .complete)
            _ = try folder.vault.openedOrMade(other) { descriptor throws(AccessFailure) in
                try descriptor.status().st_size == 0
            }
        }
    }
}
