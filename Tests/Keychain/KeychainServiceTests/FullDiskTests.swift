import Foundation
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

/// A real file system that is full: needs root for a small tmpfs.
@Suite(.needsMounts)
struct FullDiskTests {
    @Test("on a full disk an add says so, nothing acknowledged is lost, and room lets everything go on")
    func fullDisk() throws {
        let disk = try SmallDisk(megabytes: 4)
        let filler = disk.path + "/filler"
        _ = FileManager.default.createFile(atPath: filler, contents: Data(count: 1 << 20))
        let keychain = try TestKeychain(disk.path)
        var stored = 0
        var reply = keychain.perform(.find)
        while stored < 500 {
            reply = keychain.perform(
                .add, ["acct": .string("account \(stored)"), "svce": .string("s")], secret: secret(stored))
            guard reply.code == .success else { break }
            stored += 1
        }
        #expect(reply.code == .notAvailable)
        #expect(reply.refusal?.rule == .diskFull)
        #expect(stored > 10)
        for number in 0..<stored { #expect(keychain.secret(of: "account \(number)") == .success(secret(number))) }
        #expect(keychain.secret(of: "account \(stored)") == .failure(.itemNotFound))
        try FileManager.default.removeItem(atPath: filler)
        #expect(keychain.perform(.delete, ["acct": .string("account 0")]).code == .success)
        #expect(keychain.add("after", "room") == .success)
        #expect(keychain.secret(of: "after") == .success("room"))
    }

    private func secret(_ number: Int) -> String { "\(number) " + String(repeating: "x", count: 20_000) }
}
