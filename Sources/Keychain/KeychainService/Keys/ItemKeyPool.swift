import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

/// A supply of new item keys, so that not every add has to ask the enclave.
///
/// The enclave makes a batch for one protection class and access control. Keys wait in locked memory for one key epoch,
/// like the metadata keys, and a new epoch wipes them. So a locked class has no keys here: an add asks the enclave and
/// is refused.
final class ItemKeyPool: Sendable {
    private struct Kind: Hashable {
        let keyClass: KeyClass
        let binding: AccessControl
    }

    private struct Shelf {
        var epoch: UInt64
        var keys: [Kind: [CreatedKey]] = [:]
    }

    private static let batchSize = 64
    /// There is a kind for each protection class; access controls with conditions may add more.
    private static let kindLimit = 16

    private let enclave: any EnclaveMailbox
    private let shelf: ForkMutex<Shelf>

    init(enclave: any EnclaveMailbox) {
        self.enclave = enclave
        shelf = ForkMutex(Shelf(epoch: enclave.keyEpoch))
    }

    /// Takes a key out of the pool, so that it is used only once. Throws ``Setback/key(_:)`` if the class cannot be
    /// written now.
    ///
    /// - Parameter context: contains the application password if the binding requires one. Such keys do not wait in the
    ///   pool: they are for that password.
    func take(_ keyClass: KeyClass, binding: AccessControl, context: ContextIdentifier?) throws(Setback) -> CreatedKey {
        if binding.needsApplicationPassword {
            return try enclave.answer(
                to: CreateKeys(ofItems: keyClass, under: binding, count: 1, context: context)
            ).made()[0]
        }
        let kind = Kind(keyClass: keyClass, binding: binding)
        let epoch = enclave.keyEpoch
        let waiting = shelf.withLock { shelf in
            if shelf.epoch != epoch { shelf = Shelf(epoch: epoch) }
            return shelf.keys[kind]?.popLast()
        }
        if let waiting { return waiting }
        return try refill(kind, epoch)
    }

    /// Wipes the keys of an earlier epoch.
    func dropOutdated() {
        let epoch = enclave.keyEpoch
        shelf.withLock { if $0.epoch != epoch { $0 = Shelf(epoch: epoch) } }
    }

    /// Wipes all keys in the pool: those of a class may belong to a former class key.
    func dropAll() {
        let epoch = enclave.keyEpoch
        shelf.withLock { $0 = Shelf(epoch: epoch) }
    }

    private func refill(_ kind: Kind, _ epoch: UInt64) throws(Setback) -> CreatedKey {
        let question = CreateKeys(ofItems: kind.keyClass, under: kind.binding, count: Self.batchSize)
        let made = try enclave.answer(to: question).made()
        keep(Array(made.dropFirst()), kind, epoch)
        return made[0]
    }

    /// Keeps keys only in the epoch in which they were requested. Keys that come too late are wiped.
    private func keep(_ made: [CreatedKey], _ kind: Kind, _ epoch: UInt64) {
        shelf.withLock { shelf in
            guard shelf.epoch == epoch, shelf.keys.count < Self.kindLimit || shelf.keys[kind] != nil else { return }
            shelf.keys[kind, default: []] += made
        }
    }
}
