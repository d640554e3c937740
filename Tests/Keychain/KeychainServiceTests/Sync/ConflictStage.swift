import LatchkeyItemDatabase
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

/// Two devices of a circle. The other one has an item of the account "a" that this one can keep as a version that lost.
final class ConflictStage: Sendable {
    enum Failure: Equatable {
        case unknown
        case locked
        case other
    }

    let other: MemberKeychain
    let member: MemberKeychain
    /// The name of the account "a".
    let name: [UInt8]

    init() throws {
        (other, member) = (try MemberKeychain(1), try MemberKeychain(2))
        other.keychain.clock.advance(by: 1000)
        other.add("a", "theirs", ["labl": .string("label"), "icmt": .string("a comment")])
        name = try other.reportedName()
    }

    /// Keeps the other device's item of the account "a", which lost.
    func keepTheirs() throws { try keep(name) }

    func keep(_ name: [UInt8]) throws {
        let found = try #require(try other.items.item(named: name))
        let prepared = try member.items.prepared(RemoteItem(name: name, item: found.item, secret: found.secret))
        try member.items.commit([], knowing: 0) { rows, writer in
            try rows.keepConflict(
                prepared, version: MemberKeychain.version(1).version, reason: .overruled, writer)
        }
    }

    /// The number of the oldest version that is kept.
    func number() throws -> Int64 { try #require(try member.items.conflicts.list().first).number }

    /// The reason why a version is not restored; nil if it was.
    func failure(of number: Int64) -> Failure? {
        do {
            try member.items.conflicts.restore(number)
            return nil
        } catch .unknown {
            return .unknown
        } catch .locked {
            return .locked
        } catch {
            return .other
        }
    }
}
