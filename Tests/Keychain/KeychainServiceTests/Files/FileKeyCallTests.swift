import Foundation
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeySecretMemory
import Testing

extension TestKeychain {
    static let file = identifier(7)

    static func identifier(_ byte: UInt8) -> FileIdentifier {
        FileIdentifier([UInt8](repeating: byte, count: FileIdentifier.byteCount))!
    }

    func ask<Question: FileKeyQuestion>(
        _ question: Question, caller: Caller = TestKeychain.caller
    ) -> Result<Question.Answer, FileKeyRefusal> {
        Result { () throws(FileKeyRefusal) in try service.ask(question, caller: caller) }
    }

    func refusal(of question: some FileKeyQuestion, caller: Caller = TestKeychain.caller) -> FileKeyRefusal? {
        if case .failure(let refusal) = ask(question, caller: caller) { refusal } else { nil }
    }

    func makeFileKey(_ protection: FileProtection) throws -> CreatedFileKeys.Key {
        try #require(try ask(CreateFileKeys(protection, for: [Self.file])).get().keys.first)
    }

    /// The reason why a key does not open; nil if it opens to what it was.
    func refusal(toOpen key: CreatedFileKeys.Key) throws -> FileKeyRefusal? {
        let opened = try ask(OpenFileKeys([key.wrapped])).get()
        #expect(opened.results.count == 1)
        guard case .success(let secret)? = opened.results.first else { return opened.refusal }
        #expect(secret.equals(key.key))
        return nil
    }

    func device(_ question: some ForwardedQuestion) throws {
        try service.ask(question, caller: Self.caller)
    }
}

@Suite("Keys of files are created, opened and rewrapped")
struct FileKeyCallTests {
    @Test("a batch of any size is one message to the enclave")
    func batches() throws {
        let keychain = try TestKeychain()
        let files = (0..<256).map { TestKeychain.identifier(UInt8($0)) }
        let messages = try keychain.mailbox.messages {
            let created = try keychain.ask(CreateFileKeys(.complete, for: files)).get().keys
            #expect(created.map(\.wrapped.identifier) == files)
            #expect(created.allSatisfy { $0.wrapped.protection == .complete })
            let opened = try keychain.ask(OpenFileKeys(created.map(\.wrapped))).get()
            #expect(opened.refusal == nil && opened.results.count == 256)
            for (key, result) in zip(created, opened.results) { #expect(try result.get().equals(key.key)) }
            _ = try keychain.ask(RewrapFileKey(created[0].wrapped, to: .none)).get()
        }
        #expect(messages == ["MakeFileKeys", "UnwrapKeys", "RewrapKey"])
    }

    enum Moment: CaseIterable, Sendable { case beforeFirstUnlock, unlocked, locked }

    struct Row: Sendable, CustomTestStringConvertible {
        let protection: FileProtection
        let creates: Set<Moment>
        let opens: Set<Moment>

        var testDescription: String { protection.rawValue }
    }

    static let table = [
        Row(protection: .complete, creates: [.unlocked], opens: [.unlocked]),
        Row(protection: .completeUnlessOpen, creates: Set(Moment.allCases), opens: [.unlocked]),
        Row(
            protection: .completeUntilFirstUserAuthentication, creates: [.unlocked, .locked],
            opens: [.unlocked, .locked]),
        Row(protection: .none, creates: Set(Moment.allCases), opens: Set(Moment.allCases)),
    ]

    @Test(
        "a file is created, opened and changed to another class in exactly the states of the table",
        arguments: table, Moment.allCases)
    func lockStates(row: Row, moment: Moment) throws {
        let keychain = try TestKeychain()
        try keychain.device(SetPasscode(secret("1234")))
        let key = try keychain.makeFileKey(row.protection)
        switch moment {
        case .unlocked: break
        case .locked: try keychain.device(LockDevice(immediately: true))
        case .beforeFirstUnlock: keychain.enclave.restart()
        }
        func expect(_ refusal: FileKeyRefusal?, isOpen: Bool, _ act: String) {
            #expect(refusal?.code == (isOpen ? nil : .interactionNotAllowed), "\(act)")
            #expect(refusal?.refusal?.rule == (isOpen ? nil : .classKeyLocked), "\(act)")
        }
        expect(
            keychain.refusal(of: CreateFileKeys(row.protection, for: [TestKeychain.file])),
            isOpen: row.creates.contains(moment), "create")
        expect(try keychain.refusal(toOpen: key), isOpen: row.opens.contains(moment), "open")
        for other in Self.table {
            expect(
                keychain.refusal(of: RewrapFileKey(key.wrapped, to: other.protection)),
                isOpen: row.opens.contains(moment) && other.creates.contains(moment), "to \(other.protection)")
        }
        try keychain.device(UnlockDevice(secret("1234")))
        #expect(try keychain.refusal(toOpen: key) == nil)
    }

    struct Text: Sendable, CustomTestStringConvertible {
        let from: FileProtection
        let to: FileProtection
        /// The class that the reason names.
        let named: FileProtection

        var testDescription: String { "\(from) to \(to)" }
    }

    static let refusedChanges = [
        Text(from: .complete, to: .none, named: .complete), Text(from: .none, to: .complete, named: .complete),
        Text(from: .completeUnlessOpen, to: .none, named: .completeUnlessOpen),
        Text(from: .complete, to: .completeUnlessOpen, named: .complete),
        Text(from: .completeUntilFirstUserAuthentication, to: .complete, named: .complete),
    ]

    @Test("a refused change of class names the class that is closed", arguments: refusedChanges)
    func texts(text: Text) throws {
        let keychain = try TestKeychain()
        try keychain.device(SetPasscode(secret("1234")))
        let key = try keychain.makeFileKey(text.from)
        try keychain.device(LockDevice(immediately: true))
        let refusal = try #require(keychain.refusal(of: RewrapFileKey(key.wrapped, to: text.to))?.refusal)
        #expect(refusal.reason.contains(text.named.rawValue + " "))
        #expect(refusal.advice.contains("latchkey unlock"))
    }

    @Test("a file of class B that was made while the device was locked opens once it is unlocked")
    func madeWhileLocked() throws {
        let keychain = try TestKeychain()
        try keychain.device(SetPasscode(secret("1234")))
        try keychain.device(LockDevice(immediately: true))
        let key = try keychain.makeFileKey(.completeUnlessOpen)
        #expect(try keychain.refusal(toOpen: key)?.code == .interactionNotAllowed)
        try keychain.device(UnlockDevice(secret("1234")))
        #expect(try keychain.refusal(toOpen: key) == nil)
    }

    @Test("each file of a batch is opened or refused for itself")
    func mixedBatch() throws {
        let keychain = try TestKeychain()
        try keychain.device(SetPasscode(secret("1234")))
        let keys = try FileProtection.allCases.map { try keychain.makeFileKey($0) }
        let altered = try #require(
            WrappedFileKey(keys[3].wrapped.bytes, of: TestKeychain.identifier(8), FileProtection.none))
        try keychain.device(LockDevice(immediately: true))
        let results = try keychain.ask(OpenFileKeys(keys.map(\.wrapped) + [altered])).get().results
        let rules = results.map { result -> Rule? in
            if case .failure(let refusal) = result { refusal.refusal?.rule } else { nil }
        }
        #expect(rules == [.classKeyLocked, .classKeyLocked, nil, nil, .fileKeyNotHere])
        // The journal has the first refusal.
        #expect(keychain.refusals().map(\.refusal.rule) == [.classKeyLocked])
    }

    @Test("a key of another file, class or device is not here", arguments: FileProtection.allCases)
    func otherKeys(protection: FileProtection) throws {
        let (keychain, other) = (try TestKeychain(), try TestKeychain())
        let key = try keychain.makeFileKey(protection)
        func expectNotHere(_ wrapped: WrappedFileKey, _ keychain: TestKeychain) throws {
            let opened = try keychain.ask(OpenFileKeys([wrapped])).get()
            #expect(opened.refusal == .keyNotHere)
            #expect(keychain.refusal(of: RewrapFileKey(wrapped, to: .none)) == .keyNotHere)
        }
        try expectNotHere(key.wrapped, other)
        let bytes = key.wrapped.bytes
        try expectNotHere(
            try #require(WrappedFileKey(bytes, of: TestKeychain.identifier(8), protection)), keychain)
        for another in FileProtection.allCases where another != protection {
            guard let wrapped = WrappedFileKey(bytes, of: TestKeychain.file, another) else { continue }
            try expectNotHere(wrapped, keychain)
        }
    }

    @Test("a change of class keeps the key, and a change of the passcode keeps the files; an erase ends them")
    func lives() throws {
        let keychain = try TestKeychain()
        var key = try keychain.makeFileKey(.none)
        for protection in FileProtection.allCases {
            let rewrapped = try keychain.ask(RewrapFileKey(key.wrapped, to: protection)).get().wrapped
            #expect(rewrapped.protection == protection && rewrapped.identifier == TestKeychain.file)
            key = CreatedFileKeys.Key(key.key, wrapped: rewrapped)
            #expect(try keychain.refusal(toOpen: key) == nil)
        }
        let keys = try FileProtection.allCases.map { try keychain.makeFileKey($0) }
        for change: any ForwardedQuestion in [
            SetPasscode(secret("1234")), ChangePasscode(from: secret("1234"), to: secret("4321")),
            RemovePasscode(secret("4321")),
        ] {
            try keychain.device(change)
            for key in keys { #expect(try keychain.refusal(toOpen: key) == nil) }
        }
        try keychain.device(EraseDevice(passcode: nil))
        for key in keys { #expect(try keychain.refusal(toOpen: key) == .keyNotHere) }
    }

    @Test(
        "programs that the keychain does not serve have no keys of files, all others have",
        arguments: KeyCallTests.callers)
    func programs(row: KeyCallTests.Caller) throws {
        let keychain = try TestKeychain()
        let key = try keychain.makeFileKey(.none)
        let questions: [any FileKeyQuestion] = [
            CreateFileKeys(.none, for: [TestKeychain.file]), OpenFileKeys([key.wrapped]),
            RewrapFileKey(key.wrapped, to: .complete),
        ]
        let messages = keychain.mailbox.messages {
            for question in questions {
                #expect(keychain.refusal(of: question, caller: row.caller)?.code == row.code)
            }
        }
        #expect(Set(messages).isDisjoint(with: ["MakeFileKeys", "UnwrapKeys", "RewrapKey"]))
        // Another program than the one that created the key: the permissions of the file decide.
        let other = Caller(name: "other", accessGroups: ["elsewhere"])
        for question in questions { #expect(keychain.refusal(of: question, caller: other) == nil) }
    }

    @Test("successes are counted in the audit log, refusals are in it at once with their rule, keys are not in it")
    func audit() throws {
        let keychain = try TestKeychain()
        let audit = keychain.directory + "/keychain/audit"
        try keychain.device(SetPasscode(secret("1234")))
        let key = try keychain.makeFileKey(.complete)
        try keychain.device(LockDevice(immediately: true))
        _ = keychain.ask(OpenFileKeys([key.wrapped]))
        let refused = try #require(FileManager.default.contents(atPath: audit))
        for text in ["file-key-create", "file-key-open", "class-key-locked"] {
            #expect(refused.range(of: Data(text.utf8)) != nil, "\(text)")
        }
        let record = try #require(keychain.refusals().first)
        #expect(record.operation == "file-key-open" && record.lockState == "locked" && record.itemClass.isEmpty)
        _ = keychain.ask(RewrapFileKey(key.wrapped, to: .none))
        keychain.service.close()
        let contents = try #require(FileManager.default.contents(atPath: audit))
        #expect(contents.range(of: Data("file-key-rewrap".utf8)) != nil)
        #expect(contents.range(of: Data(key.wrapped.bytes)) == nil)
        #expect(contents.range(of: Data(TestKeychain.file.bytes)) == nil)
    }

    @Test("an enclave that cannot answer is a refusal with its rule")
    func brokenEnclave() throws {
        let keychain = try TestKeychain()
        let key = try keychain.makeFileKey(.none)
        for (name, question): (String, any FileKeyQuestion) in [
            ("MakeFileKeys", CreateFileKeys(.none, for: [TestKeychain.file])),
            ("UnwrapKeys", OpenFileKeys([key.wrapped])), ("RewrapKey", RewrapFileKey(key.wrapped, to: .complete)),
        ] {
            keychain.mailbox.refuse(name)
            let refusal = keychain.refusal(of: question)
            #expect(refusal?.code == .notAvailable && refusal?.refusal?.rule == .enclaveRefused)
        }
    }
}
