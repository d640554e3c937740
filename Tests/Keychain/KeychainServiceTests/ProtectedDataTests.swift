import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeySecretMemory
import LatchkeyTestSupport
import LatchkeyThreading
import Synchronization
import Testing

/// Lock and unlock as events, for those who follow the device.
@Suite struct ProtectedDataTests {
    private static func keychain() throws -> TestKeychain {
        let keychain = try TestKeychain()
        perform(SetPasscode(secret("1234")), keychain)
        return keychain
    }

    private static func perform(_ question: some ForwardedQuestion, _ keychain: TestKeychain) {
        _ = try? keychain.service.ask(question, caller: TestKeychain.caller)
    }

    private static func watch(_ keychain: TestKeychain) -> any ProtectedDataWatch {
        keychain.service.watchProtectedData(TestKeychain.caller)
    }

    @Test("the present state comes first, then each change, and nothing twice")
    func changes() throws {
        let keychain = try Self.keychain()
        let watch = Self.watch(keychain)
        #expect(watch.next() == .available)
        Self.perform(UnlockDevice(secret("1234")), keychain)
        Self.perform(LockDevice(immediately: false), keychain)
        #expect(watch.next() == .becomingUnavailable)
        Self.perform(UnlockDevice(secret("1234")), keychain)
        #expect(watch.next() == .available)
        Self.perform(LockDevice(immediately: false), keychain)
        keychain.clock.advance(by: 11)
        keychain.service.keysChanged()
        #expect(watch.next() == .becomingUnavailable)
        #expect(watch.next() == .unavailable)
        keychain.enclave.restart()
        keychain.service.keysChanged()
        #expect(watch.next() == .beforeFirstUnlock)
        Self.perform(UnlockDevice(secret("1234")), keychain)
        Self.perform(RemovePasscode(secret("1234")), keychain)
        #expect(watch.next() == .available)
    }

    @Test("a device that locks by itself says so")
    func idle() throws {
        let keychain = try Self.keychain()
        Self.perform(
            ConfigureDevice(
                passcode: secret("1234"), eraseAfterTenFailures: nil, gracePeriodSeconds: nil, lockAfterSeconds: 60),
            keychain)
        let watch = Self.watch(keychain)
        #expect(watch.next() == .available)
        keychain.clock.advance(by: 60)
        keychain.enclave.clockMoved()
        keychain.service.keysChanged()
        #expect(watch.next() == .becomingUnavailable)
    }

    @Test("one who is slower than the device gets the last sixteen changes, in order")
    func slow() throws {
        let keychain = try Self.keychain()
        let watch = Self.watch(keychain)
        #expect(watch.next() == .available)
        for _ in 0..<20 {
            Self.perform(LockDevice(immediately: true), keychain)
            Self.perform(UnlockDevice(secret("1234")), keychain)
        }
        var states: [ProtectedDataState] = []
        for _ in 0..<16 { states.append(try #require(watch.next())) }
        #expect(states == (0..<16).map { $0.isMultiple(of: 2) ? .unavailable : .available })
    }

    @Test("a wait ends when it is cancelled, and when the device is closed")
    func ends() throws {
        let keychain = try Self.keychain()
        let watches = [Self.watch(keychain), Self.watch(keychain)]
        for watch in watches { #expect(watch.next() == .available) }
        let ended = Mutex(0)
        let waits = watches.map { watch in
            Waiting {
                #expect(watch.next() == nil)
                ended.withLock { $0 += 1 }
            }
        }
        keychain.service.protectedData.testOnlyWait(forWatches: 2)
        watches[0].end()
        waits[0].wait()
        keychain.service.close()
        waits[1].wait()
        #expect(ended.withLock { $0 } == 2)
        #expect(watches[1].next() == nil)
    }

    @Test("a process follows the device at most eight times at once")
    func limit() throws {
        let keychain = try Self.keychain()
        let watches = (0..<ProtectedDataDesk.watchLimitOfProcess).map { _ in Self.watch(keychain) }
        for watch in watches { #expect(watch.next() == .available) }
        let waits = watches.map { watch in Waiting { _ = watch.next() } }
        keychain.service.protectedData.testOnlyWait(forWatches: watches.count)
        let oneMore = Self.watch(keychain)
        #expect(oneMore.next() == .available)
        #expect(oneMore.next() == nil)
        let other = keychain.service.watchProtectedData(
            Caller(
                name: "other", accessGroups: [],
                process: CallerProcess(processID: 7, userID: 0, executableDigest: nil)))
        #expect(other.next() == .available)
        Self.perform(LockDevice(immediately: true), keychain)
        #expect(other.next() == .unavailable)
        for wait in waits { wait.wait() }
        #expect(oneMore.next() == .unavailable)
    }

    @Test("without a follower, a lock costs the enclave no question more")
    func unused() throws {
        let keychain = try Self.keychain()
        #expect(keychain.mailbox.messages { Self.perform(LockDevice(immediately: true), keychain) } == ["LockDevice"])
    }
}

/// A body on a thread of its own.
private final class Waiting: Sendable {
    private let isDone = WaitCondition()
    private let done = Mutex(false)

    init(_ body: @escaping @Sendable () -> Void) {
        _ = DetachedThread.start { [self] in
            body()
            isDone.withLock {
                done.withLock { $0 = true }
                isDone.wakeAll()
            }
        }
    }

    func wait() {
        isDone.withLock { while !done.withLock({ $0 }) { isDone.wait() } }
    }
}
