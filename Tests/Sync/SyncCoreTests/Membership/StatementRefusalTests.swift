import LatchkeyPropertyListDER
import Testing

@testable import LatchkeySyncCore

/// Statements that cannot be made or parsed: Docs/Formats/sync.md.
@Suite struct StatementRefusalTests {
    private func leave(_ change: (inout [String: PropertyValue]) -> Void) throws -> StatementFailure? {
        guard let sample = try StatementSamples.all().first(where: { $0.name == "leave" }),
            case .dictionary(var fields) = try DERReader.decode(sample.statement.content().body)
        else { return nil }
        change(&fields)
        do throws(StatementFailure) {
            _ = try Statement(parsing: Self.content(DERWriter.encode(.dictionary(fields))))
            return nil
        } catch {
            return error
        }
    }

    private static func content(_ body: [UInt8]) -> ObjectContent {
        guard let content = try? ObjectContent(kind: .statement, body: body) else { preconditionFailure("too large") }
        return content
    }

    private static func hash(_ byte: UInt8) -> PropertyValue { .data([UInt8](repeating: byte, count: 32)) }

    @Test("fields are exact") func fields() throws {
        #expect(try leave { _ in } == nil)
        #expect(try leave { $0["z"] = .null } == .unknownField("z"))
        #expect(try leave { $0["i"] = nil } == .missingField("i"))
        #expect(try leave { $0["i"] = .string("1") } == .wrongType(field: "i"))
        #expect(try leave { $0["i"] = .integer(0) } == .badValue(field: "i"))
        #expect(try leave { $0["i"] = .integer(1001) } == .badValue(field: "i"))
        #expect(try leave { $0["k"] = .integer(9) } == .unknownBody(9))
        #expect(try leave { $0["a"] = .data([3] + [UInt8](repeating: 0, count: 16)) } == .badValue(field: "a"))
        #expect(try leave { $0["a"] = .data([1] + [UInt8](repeating: 0, count: 15)) } == .badValue(field: "a"))
        #expect(try leave { $0["a"] = .data([2] + [UInt8](repeating: 0, count: 16)) } == .authorNotAllowed)
        #expect(try leave { $0["c"] = nil } == .misplacedFounding)
        #expect(try leave { $0["c"] = .data([1]) } == .badValue(field: "c"))
        #expect(try leave { $0["b"] = .null } == .wrongType(field: "b"))
        #expect(try leave { $0["b"] = .dictionary(["n": .data([1])]) } == .badValue(field: "n"))
    }

    @Test("parents are sorted, unique, at least one and at most 16") func parents() throws {
        #expect(try leave { $0["p"] = .array([]) } == .misplacedFounding)
        #expect(try leave { $0["p"] = .array([Self.hash(2), Self.hash(1)]) } == .notSorted(field: "p"))
        #expect(try leave { $0["p"] = .array([Self.hash(1), Self.hash(1)]) } == .notSorted(field: "p"))
        #expect(try leave { $0["p"] = .array([.data([1])]) } == .badValue(field: "p"))
        #expect(try leave { $0["p"] = .array((1...16).map(Self.hash)) } == nil)
        #expect(try leave { $0["p"] = .array((1...17).map(Self.hash)) } == .tooMany(field: "p", found: 17, limit: 16))
    }

    @Test("another encoding of the same values is refused") func canonical() throws {
        guard let sample = try StatementSamples.all().first(where: { $0.name == "remove" }) else { return }
        var body = try sample.statement.content().body
        // The reader of property lists takes any byte but zero for true.
        let boolean: [UInt8] = [0x0C, 0x01, 0x78, 0x01, 0x01, 0x01]
        guard let place = body.indices.first(where: { body[$0...].starts(with: boolean) }) else {
            Issue.record("no boolean")
            return
        }
        body[place + 5] = 0xFF
        #expect(throws: StatementFailure.notCanonical) { try Statement(parsing: Self.content(body)) }
        #expect(throws: StatementFailure.encoding(.truncated)) { try Statement(parsing: Self.content([])) }
    }

    @Test("recovery keys sign only admissions and removals") func recoveryAuthors() throws {
        for sample in try StatementSamples.all() where sample.statement.circle != nil {
            let isAllowed = ["admit", "remove"].contains { sample.name.hasPrefix($0) }
            let made = try? Statement(
                circle: sample.statement.circle, author: .recovery(SampleParties.recovery(0)), index: 1,
                parents: Set(sample.statement.parents), date: 0, body: sample.statement.body)
            #expect((made != nil) == isAllowed, "\(sample.name)")
        }
    }

    @Test("key material has exact lengths") func lengths() {
        #expect(P256PublicKey([4] + [UInt8](repeating: 0, count: 64)) != nil)
        #expect(P256PublicKey([2] + [UInt8](repeating: 0, count: 64)) == nil)
        #expect(P256PublicKey([UInt8](repeating: 4, count: 64)) == nil)
        #expect(MLKEMPublicKey([UInt8](repeating: 0, count: 1184)) != nil)
        #expect(MLKEMPublicKey([UInt8](repeating: 0, count: 1185)) == nil)
        #expect(ZoneShares([UInt8](repeating: 0, count: 1193 + 1225)) != nil)
        #expect(ZoneShares([UInt8](repeating: 0, count: 1193 + 1224)) == nil)
        #expect(ZoneShares([UInt8](repeating: 0, count: 1193 + 1226)) == nil)
        #expect(GroupName([]) == nil)
        #expect(GroupName([UInt8](repeating: 1, count: 513)) == nil)
    }

    @Test("every signature is needed, and only from the right keys") func signatures() throws {
        for sample in try StatementSamples.all() {
            let message = try sample.statement.content().signedBytes
            let wrong = HashSignatures.signature(over: message, publicKey: SampleParties.devices[9].statement)
            let isDouble = sample.statement.body.recoveryKeys != nil
            let count = isDouble ? 2 : 1
            #expect(throws: StatementFailure.badSignatureLength(expected: 64 * count, found: 64 * (3 - count))) {
                try SignedStatement(sample.statement, signature: wrong, newRecoverySignature: isDouble ? nil : wrong)
            }
            let good = try HashSignatures.sign(sample.statement, keys: sample.keys)
            #expect(throws: StatementFailure.otherKeys) {
                try good.verified(with: .device(SampleParties.devices[9]), by: HashSignatures())
            }
            for place in 0..<count {
                var bytes = good.bytes
                bytes.replaceSubrange(
                    bytes.count - 64 * (count - place)..<bytes.count - 64 * (count - place - 1),
                    with: wrong.bytes)
                let parsed = try SignedStatement(parsing: bytes)
                #expect(parsed.hash == good.hash)
                #expect(throws: StatementFailure.badSignature, "\(sample.name) \(place)") {
                    try parsed.verified(with: sample.keys, by: HashSignatures())
                }
            }
        }
    }

    @Test("the log key signs epochs and shares, and nothing else") func logKey() throws {
        for sample in try StatementSamples.all() {
            guard case .device(let keys) = sample.keys else { continue }
            let message = try sample.statement.content().signedBytes
            let signed = try SignedStatement(
                sample.statement, signature: HashSignatures.signature(over: message, publicKey: keys.log),
                newRecoverySignature: sample.statement.body.recoveryKeys.map {
                    HashSignatures.signature(over: message, publicKey: $0.signing)
                })
            let isVerified = (try? signed.verified(with: sample.keys, by: HashSignatures())) != nil
            #expect(isVerified == ["epoch", "share"].contains(sample.name), "\(sample.name)")
        }
    }

    @Test("the largest epoch fits: 100 shares and 64 earlier epochs") func largestEpoch() throws {
        let parties =
            (0..<80).map { CircleParty.device(SampleParties.device($0)) }
            + (0..<12).map { .recovery(SampleParties.recovery($0)) }
            + (0..<8).map { .device(SampleParties.deviceKeys(seed: 5_000 + $0).identifier) }
        var earlier: [ObjectHash: WrappedZoneKeys] = [:]
        for number in 0..<64 {
            guard let hash = ObjectHash([UInt8](repeating: UInt8(number), count: 32)) else { continue }
            earlier[hash] = WrappedZoneKeys([UInt8](repeating: 0, count: 80))
        }
        let removal = Removal(
            device: SampleParties.device(1), counted: CountedSegments(), erases: false,
            epoch: SampleParties.epoch(2, for: parties, earlier: earlier), recovery: SampleParties.recoveries[1])
        let parents = Set((0..<16).compactMap { ObjectHash([UInt8](repeating: $0, count: 32)) })
        let statement = try Statement(
            circle: CircleIdentifier(Array(0..<16)), author: .device(SampleParties.device(0)), index: 1000,
            parents: parents,
            date: .max, body: .remove(removal))
        let signed = try HashSignatures.sign(statement, keys: .device(SampleParties.devices[0]))
        #expect(try SignedStatement(parsing: signed.bytes) == signed)
        #expect(signed.bytes.count < ObjectKind.statement.byteLimit)
        #expect(throws: StatementFailure.tooMany(field: "s", found: 101, limit: 100)) {
            var shares = removal.epoch.shares
            shares[.device(SampleParties.deviceKeys(seed: 6_000).identifier)] = SampleParties.shares
            _ = try Epoch(
                number: .first, commitments: removal.epoch.commitments, shares: shares, earlier: [:])
        }
    }
}
