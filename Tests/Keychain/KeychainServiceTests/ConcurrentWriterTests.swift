import Foundation
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Synchronization
import Testing

/// Writers that share a commit see each other's rows before they are on disk.
@Suite struct ConcurrentWriterTests {
    @Test("of many first adds of one item exactly one succeeds, and its secret is the one found", arguments: 0..<12)
    func firstAdds(_ run: Int) throws {
        let keychain = try TestKeychain()
        let codes = Mutex<[Int: ResultCode]>([:])
        onThreads(8) { thread in
            let code = keychain.add("same", "secret \(thread)")
            codes.withLock { $0[thread] = code }
        }
        let outcome = codes.withLock { $0 }
        let winners = outcome.filter { $0.value == .success }.map(\.key)
        #expect(winners.count == 1)
        #expect(outcome.values.filter { $0 == .duplicateItem }.count == 7)
        #expect(keychain.secret(of: "same") == .success("secret \(winners.first ?? -1)"))
        #expect(keychain.status?.quarantinedRows == 0)
    }

    @Test("first adds to all classes at once can all be read after a restart")
    func firstAddsOfClasses() throws {
        let directory = try SharedDirectory()
        let classes = ["ak", "ck", "dk", "aku", "cku", "dku"]
        do {
            let keychain = try TestKeychain(directory.path)
            onThreads(12) { thread in
                keychain.add(
                    "account \(thread)", "secret \(thread)", ["pdmn": .string(classes[thread % classes.count])])
            }
        }
        let keychain = try TestKeychain(directory.path)
        for thread in 0..<12 { #expect(keychain.secret(of: "account \(thread)") == .success("secret \(thread)")) }
    }

    @Test("two processes with one device add items while the clock stands still, and later when it was set back")
    func twoProcesses() throws {
        let clock = HandClock()
        let first = try TestKeychain(clock: clock)
        let second = try TestKeychain(first.directory, clock: clock)
        for round in 0..<3 {
            for number in 0..<8 {
                #expect(first.add("first \(round) \(number)", "1") == .success)
                if number % 3 == round { #expect(first.add("more \(round) \(number)", "1") == .success) }
                #expect(second.add("second \(round) \(number)", "2") == .success)
            }
            clock.setWallTime(clock.wallTime().seconds - 100)
        }
        #expect(second.secret(of: "first 2 7") == .success("1"))
        #expect(first.secret(of: "second 2 7") == .success("2"))
    }
}
