import LatchkeySyncCore
import LatchkeySyncService
import LatchkeySyncStore
import Testing

/// The choice of the objects that are read again.
@Suite struct ObjectSieveTests {
    private static func hash(_ byte: UInt8) -> ObjectHash {
        ObjectHash([UInt8](repeating: byte, count: ObjectHash.byteCount))!
    }

    private static func name(_ byte: UInt8) -> StoreObjectName { .statement(hash(byte)) }

    @Test("a judged object is not read again") func refused() {
        var sieve = ObjectSieve()
        sieve.note(judged: Self.name(1))
        #expect(sieve.wanted([Self.name(1), Self.name(2)], known: [], at: 0) == [Self.name(2)])
    }

    @Test("bytes that cannot be parsed are read again after a minute, after everything that is new") func damaged() {
        var sieve = ObjectSieve()
        sieve.note(damaged: Self.name(1), at: 0)
        let shown: Set = [Self.name(1), Self.name(2)]
        #expect(sieve.wanted(shown, known: [], at: 59_000_000) == [Self.name(2)])
        #expect(sieve.wanted(shown, known: [], at: 60_000_000) == [Self.name(2), Self.name(1)])
    }

    @Test("an object that waits for another is read again when that one comes") func parents() {
        var sieve = ObjectSieve()
        sieve.note(Self.name(1), waitsFor: [Self.name(7)])
        #expect(sieve.wanted([Self.name(1)], known: [], at: 0).isEmpty)
        #expect(sieve.wanted([Self.name(1), Self.name(7)], known: [], at: 0) == [Self.name(7), Self.name(1)])
        #expect(sieve.wanted([Self.name(1), Self.name(7)], known: [Self.name(7)], at: 0) == [Self.name(1)])
    }

    @Test("what the store does not show any more is forgotten") func gone() {
        var sieve = ObjectSieve()
        sieve.note(judged: Self.name(1))
        #expect(sieve.wanted([], known: [], at: 0).isEmpty)
        #expect(sieve.wanted([Self.name(1)], known: [], at: 0) == [Self.name(1)])
    }
}
