import GRDB
import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Synchronization
import Testing

/// Two services on one directory, as embedded devices of two processes are: no lock of one holds off the other.
@Suite("Another process removes or sets the passcode in the middle of a call") struct PasscodeRaceTests {
    private static let passcodeOnly: [String: PropertyValue] = ["pdmn": .string("akpu")]

    /// An act of the other process, without looking after the items: as one that is slow, or was killed.
    enum Act: CaseIterable, Sendable {
        case removes
        case replaces
        /// And this process is given the next passcode at once.
        case replacesAndUnlocks
    }

    /// Random bytes; something happens before those of one moment are given.
    private final class Moment: Entropy {
        private let armed = Mutex<(left: Int, body: @Sendable () -> Void)?>(nil)

        func arm(_ number: Int, _ body: @escaping @Sendable () -> Void) { armed.withLock { $0 = (number, body) } }

        /// Returns true if it did not happen.
        func disarm() -> Bool {
            armed.withLock { armed in
                defer { armed = nil }
                return armed != nil
            }
        }

        func fill(_ bytes: UnsafeMutableRawBufferPointer) {
            let body = armed.withLock { armed -> (@Sendable () -> Void)? in
                guard let (left, body) = armed else { return nil }
                armed = left > 1 ? (left - 1, body) : nil
                return left > 1 ? nil : body
            }
            body?()
            SystemEntropy().fill(bytes)
        }
    }

    private struct Stage {
        let directory: SharedDirectory
        let moment = Moment()
        let ours: TestKeychain
        let other: TestKeychain

        init() throws {
            directory = try SharedDirectory()
            ours = try TestKeychain(directory.path, entropy: moment)
            try ours.done(SetPasscode(secret("1234")))
            other = try TestKeychain(directory.path)
        }

        func perform(_ act: Act) {
            do throws(EnclaveRefusal) {
                _ = try other.enclave.ask(RemovePasscode(secret("1234")))
                if act != .removes { _ = try other.enclave.ask(SetPasscode(secret("5678"))) }
            } catch {
                Issue.record("the other process cannot do it: \(error)")
                return
            }
            if act == .replacesAndUnlocks { unlock() }
        }

        func unlock() { _ = try? ours.enclave.ask(UnlockDevice(secret("5678"))) }
    }

    @Test("an item that is acknowledged is there, whenever the other process acts", arguments: 1...8, Act.allCases)
    func add(number: Int, act: Act) throws {
        let stage = try Stage()
        #expect(stage.ours.add("a", "1", Self.passcodeOnly) == .success)
        stage.moment.arm(number) { stage.perform(act) }
        let code = stage.ours.add("b", "2", Self.passcodeOnly)
        if stage.moment.disarm() { return #expect(code == .success && number > 1) }
        switch act {
        case .removes: #expect(code != .success)
        case .replaces:
            #expect(code == .interactionNotAllowed)
            stage.unlock()
        case .replacesAndUnlocks: #expect(code == .success)
        }
        #expect(stage.ours.secret(of: "b") == (code == .success ? .success("2") : .failure(.itemNotFound)))
        #expect(stage.ours.secret(of: "a") == .failure(.itemNotFound))
        #expect(stage.ours.status?.quarantinedRows == 0)
        #expect(stage.ours.ended == [.passcodeRemoved: 1])
    }

    @Test("so is one that an update moves to the class", arguments: 1...6)
    func update(number: Int) throws {
        let stage = try Stage()
        #expect(stage.ours.add("a", "1", Self.passcodeOnly) == .success)
        #expect(stage.ours.add("b", "2") == .success)
        stage.moment.arm(number) { stage.perform(.replacesAndUnlocks) }
        let code = stage.ours.perform(.update, ["acct": .string("b")], changes: Self.passcodeOnly).code
        #expect(number > 1 || !stage.moment.disarm(), "the other process acted")
        #expect(code == .success)
        #expect(stage.ours.secret(of: "b") == .success("2"))
        #expect(stage.ours.status?.quarantinedRows == 0)
    }

    @Test(
        "a passcode that is set before the former items ended hides none of them, whichever process set it",
        arguments: [true, false])
    func endsLate(setsItself: Bool) throws {
        let stage = try Stage()
        #expect(stage.ours.add("a", "1", Self.passcodeOnly) == .success)
        let remover = setsItself ? stage.ours : stage.other
        remover.mailbox.afterNext("RemovePasscode") {
            try? stage.ours.done(SetPasscode(secret("5678")), from: stage.ours.enclave)
        }
        try remover.done(RemovePasscode(secret("1234")))
        // A process that cannot open the class does not know yet; the first one that can does.
        #expect(stage.ours.ended == (setsItself ? [.passcodeRemoved: 1] : [:]))
        #expect(stage.ours.secret(of: "a") == .failure(.itemNotFound))
        #expect(stage.ours.ended == [.passcodeRemoved: 1] && stage.ours.status?.quarantinedRows == 0)
    }

    @Test("an item of the next passcode stays where the former ones end after it was stored")
    func staysAfterLateEnd() throws {
        let stage = try Stage()
        #expect(stage.ours.add("a", "1", Self.passcodeOnly) == .success)
        stage.other.mailbox.afterNext("RemovePasscode") {
            try? stage.ours.done(SetPasscode(secret("5678")), from: stage.ours.enclave)
            #expect(stage.ours.add("b", "2", Self.passcodeOnly) == .success)
        }
        try stage.other.done(RemovePasscode(secret("1234")))
        #expect(stage.ours.secret(of: "b") == .success("2"))
        #expect(stage.ours.ended == [.passcodeRemoved: 1])
    }

    @Test("a search that meets items of a former passcode calls them ended, not damaged")
    func find() throws {
        let stage = try Stage()
        #expect(stage.ours.add("a", "1", Self.passcodeOnly) == .success)
        stage.perform(.replacesAndUnlocks)
        #expect(stage.ours.perform(.find, ["acct": .string("a")]).refusal?.rule == .itemEnded)
        #expect(stage.ours.ended == [.passcodeRemoved: 1] && stage.ours.status?.quarantinedRows == 0)
    }

    @Test("a damaged metadata key of the class ends nothing, and refuses what needs it", arguments: [0, 70])
    func damagedMetadataKey(guardedItems: Int) throws {
        let stage = try Stage()
        let guarded = try AccessControl(protection: .whenPasscodeSetThisDeviceOnly, flags: .devicePasscode).serialised
        for number in 0..<guardedItems {
            #expect(
                stage.ours.add("guarded \(number)", "0", ["accc": .reference(kind: "SecAccessControl", bytes: guarded)])
                    == .success)
        }
        #expect(stage.ours.add("a", "1", Self.passcodeOnly) == .success)
        try stage.ours.raw {
            try $0.execute(sql: "UPDATE metadatakeys SET wrapped = randomblob(40) WHERE keyclass = 12")
        }
        let later = try TestKeychain(stage.directory.path)
        _ = try? later.enclave.ask(UnlockDevice(secret("1234")))
        #expect(later.add("b", "2", Self.passcodeOnly) == .decode)
        #expect(later.secret(of: "a") != .success("1"))
        #expect(later.ended.isEmpty)
    }

    @Test(
        "a key of the enclave that ended before its item was stored is refused, and a stored one ends",
        arguments: [true, false])
    func enclaveKey(isStored: Bool) throws {
        let stage = try Stage()
        let key = try stage.ours.makeKey(.privateKeyUsage, .whenPasscodeSetThisDeviceOnly)
        if isStored {
            #expect(stage.ours.store(key, ["atag": .string("p")]).code == .success)
            stage.perform(.replacesAndUnlocks)
            #expect(stage.ours.count(.key) == 0)
            #expect(stage.ours.ended == [.passcodeRemoved: 1])
        } else {
            stage.moment.arm(2) { stage.perform(.replacesAndUnlocks) }
            #expect(stage.ours.store(key, ["atag": .string("p")]).code != .success)
            #expect(!stage.moment.disarm())
            #expect(stage.ours.status?.itemCounts["keys"] == 0)
        }
        #expect(stage.ours.status?.quarantinedRows == 0)
    }
}

extension TestKeychain {
    /// A question of the owner that succeeds.
    fileprivate func done(_ question: some ForwardedQuestion) throws {
        try service.ask(question, caller: Self.caller)
    }

    fileprivate func done(_ question: some EnclaveQuestion<Done>, from enclave: any EnclaveMailbox) throws {
        guard (try? enclave.ask(question)) != nil else {
            Issue.record("it is refused")
            throw Unexpected()
        }
    }
}
