import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPeerIdentity
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Synchronization

/// Makes devices that hold many items, and keeps them for the other rows of the session.
///
/// The items go through the same service as any other: the device is opened in this process, and many threads add at
/// the same time, so that they share commits. Their group is the one that a daemon derives for this program.
final class Population {
    private let scratch: String
    private var made: [Int: String] = [:]
    private(set) var notes: [Int: String] = [:]
    private var grown = 0

    private static let threads = 64

    init(scratch: String) {
        self.scratch = scratch
    }

    /// The directory of a device with `count` items for a row that adds more; no other row gets it.
    func deviceToGrow(from count: Int) throws -> String {
        grown += 1
        let directory = scratch + "/device-\(count)-\(grown)"
        try Self.fill(directory, count)
        return directory
    }

    /// The directory of a device with `count` items.
    func device(of count: Int) throws -> String {
        if let directory = made[count] { return directory }
        let directory = scratch + "/device-\(count)"
        let time = try nanoseconds { try Self.fill(directory, count) }
        let note = "\(count) items were added in process by \(Self.threads) threads in \(time / 1_000_000) ms"
        FileHandle.standardError.write(Data((note + "\n").utf8))
        notes[count] = note
        made[count] = directory
        return directory
    }

    /// The directory of a device with as many identities.
    func deviceWithIdentities(_ count: Int) throws -> String {
        let directory = scratch + "/identities-\(count)"
        try Self.fill(directory, count) { try Self.identityRequest($0) }
        return directory
    }

    static func fill(
        _ directory: String, _ count: Int,
        with request: @escaping @Sendable (Int) throws -> ItemRequest = { request($0) }
    ) throws {
        let device = try EmbeddedDevice(
            directory: directory, clock: SystemClock(), entropy: SystemEntropy(), passcodeCost: .fixed(log2Cost: 4))
        defer { device.close() }
        let identity = try PeerIdentity.ofThisProcess()
        let keychain = device.keychain(
            for: Caller(name: identity.displayName, accessGroups: [identity.privateAccessGroup]))
        let failure = Mutex<String?>(nil)
        Threads.run(min(threads, count)) { thread in
            for index in stride(from: thread, to: count, by: threads) where failure.withLock({ $0 == nil }) {
                do {
                    let reply = keychain.perform(try request(index))
                    guard reply.code != .success else { continue }
                    failure.withLock { $0 = "\(reply.code) \(reply.refusal?.reason ?? "")" }
                } catch {
                    failure.withLock { $0 = "\(error)" }
                }
            }
        }
        if let reason = failure.withLock({ $0 }) { throw Failure("an item could not be added: \(reason)") }
    }

    private static func identityRequest(_ index: Int) throws -> ItemRequest {
        let (key, certificate) = try SampleIdentity.make(index)
        let reference = IdentityReference(
            certificate: CertificateAttributes.ofNewItem(certificate).byColumn.merging([
                "v_Data": .data(certificate.der)
            ]) {
                $1
            },
            key: KeyAttributes.ofNewItem(key).byColumn.merging(["v_Data": .secret(0)]) { $1 })
        return ItemRequest(
            operation: .add, query: [QueryPair("class", .string("idnt")), QueryPair("v_Ref", reference.value)],
            wantsResult: false, secrets: [key.externalRepresentation])
    }

    private static func request(_ index: Int) -> ItemRequest {
        ItemRequest(
            operation: .add,
            query: [
                QueryPair("class", .string("genp")), QueryPair("svce", .string(SampleItems.service(index))),
                QueryPair("acct", .string(SampleItems.account(index))), QueryPair("v_Data", .secret(0)),
            ],
            wantsResult: false, secrets: [SecretBox(copying: Array(SampleItems.password(index).utf8))])
    }
}
