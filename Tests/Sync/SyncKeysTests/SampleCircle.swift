import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeySyncCore
import Testing

@testable import LatchkeySyncKeys

/// A circle with real keys and signatures, as the founder's device has it.
struct SampleCircle {
    let founder: SoftwareIdentity
    let recovery: RecoveryKeys
    var graph: StatementGraph
    var keyring: ZoneKeyring
    let entropy: SeededEntropy

    /// Founds a circle and writes its first epoch.
    init(seed: UInt64 = 1) throws {
        founder = SoftwareIdentity(testOnlySeed: seed)
        entropy = SeededEntropy(seed: seed)
        recovery = RecoveryKeys(RecoveryCode(generating: entropy))
        let founding = try Statement(
            founding: Founding(
                keys: founder.publicKeys, recovery: recovery.publicKeys, settings: try CircleSettings()), date: 0)
        let signed = try StatementSigner(founder).signed(founding, newRecovery: recovery)
        graph = try StatementGraph(founding: signed, verifier: P256StatementVerifier())
        keyring = ZoneKeyring(of: graph.circle)
        let first = try EpochWriter(keyring).first(for: recipients(), entropy: entropy)
        #expect(first.leftOut == [])
        let hash = try add(.epoch(first.epoch), by: founder)
        keyring.add(first.keys, of: hash)
    }

    func recipients(removing device: DeviceIdentifier? = nil) -> [PartyKeys] {
        let state = graph.state()
        let parties = device.map { state.epochRecipients(removing: $0, newKeys: nil) } ?? state.epochRecipients
        return parties.sorted().compactMap { graph.keys(of: $0) }
    }

    /// Signs and adds a statement of a device.
    @discardableResult
    mutating func add(_ body: StatementBody, by identity: SoftwareIdentity) throws -> ObjectHash {
        try add(body, by: StatementSigner(identity))
    }

    @discardableResult
    mutating func add(_ body: StatementBody, by signer: StatementSigner) throws -> ObjectHash {
        let place = try #require(graph.nextPlace(for: signer.party))
        let statement = try Statement(
            circle: place.circle, author: place.author, index: place.index, parents: place.parents, date: 0,
            body: body)
        let signed = try signer.signed(statement)
        let parsed = try SignedStatement(parsing: signed.bytes)
        guard case .accepted = graph.insert(parsed, verifier: P256StatementVerifier()) else {
            Issue.record("the statement was refused")
            throw Unexpected()
        }
        return parsed.hash
    }

    /// Admits a device, with a share of the epoch for writing.
    @discardableResult
    mutating func admit(_ device: SoftwareIdentity) throws -> ObjectHash {
        let writing = try #require(graph.state().writingEpoch)
        let epoch = try #require(graph[writing.hash]?.statement.body.epoch)
        let shares = try EpochWriter(keyring).shares(of: writing.hash, epoch, for: .device(device.publicKeys))
        let share = try Admission.Share(epoch: writing.hash, shares: #require(shares))
        return try add(.admit(Admission(keys: device.publicKeys, share: share)), by: founder)
    }

    /// Writes the next epoch; with a device, as a part of its removal.
    @discardableResult
    mutating func renewEpoch(removing device: DeviceIdentifier? = nil) throws -> ObjectHash {
        let number = try #require(graph.nextPlace(for: founder.party)).epochNumber
        let next = try EpochWriter(keyring).next(
            number, for: recipients(removing: device), wrapping: graph.epochsToWrap(), entropy: entropy)
        #expect(next.leftOut == [])
        let body: StatementBody =
            if let device {
                .remove(
                    Removal(
                        device: device, counted: CountedSegments(), erases: false, epoch: next.epoch, recovery: nil))
            } else {
                .epoch(next.epoch)
            }
        let hash = try add(body, by: founder)
        keyring.add(next.keys, of: hash)
        return hash
    }

    var epochs: Set<ObjectHash> {
        Set(graph.statements.filter { $0.statement.body.epoch != nil }.map(\.hash))
    }
}

struct Unexpected: Error {}
