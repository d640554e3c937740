package import LatchkeyBackupFormat
import LatchkeyEnclaveContract
package import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// The keys of a backup that a device has, under a grant.
struct DeviceBackupKeys: Sendable {
    private let keychain: any Keychain
    private let grant: BackupGrant

    init(_ keychain: any Keychain, _ grant: BackupGrant) {
        self.keychain = keychain
        self.grant = grant
    }

    func open(_ keys: [WrappedBackupKey]) throws(BackupFailure) -> [Result<SecretBox, BackupFailure>] {
        var results: [Result<SecretBox, BackupFailure>] = []
        for start in stride(from: 0, to: keys.count, by: EnclaveLimits.keysPerBatch) {
            let batch = keys[start..<min(start + EnclaveLimits.keysPerBatch, keys.count)]
            let wrapped = batch.map { BackupFileKey(classNumber: UInt8($0.classNumber & 0xF), wrapped: $0.bytes) }
            let opened = try ask(OpenBackupFileKeys(grant.token, wrapped))
            results += opened.keys.map { $0.map { .success($0) } ?? .failure(.keyNotAuthentic) }
        }
        return results
    }

    func make(_ classNumbers: [Int]) throws(BackupFailure) -> [NewBackupKey] {
        let made = try ask(CreateBackupFileKeys(grant.token, classNumbers: classNumbers.map { UInt8($0) }))
        return zip(classNumbers, made.keys).map { number, made in
            NewBackupKey(made.key, WrappedBackupKey(classNumber: number, bytes: made.wrapped))
        }
    }

    private func ask<Question: DeviceQuestion>(_ question: Question) throws(BackupFailure) -> Question.Answer {
        do throws(DeviceRefusal) {
            return try keychain.ask(question)
        } catch {
            throw .keysRefused(error.reasonText)
        }
    }
}

extension BackupKeys {
    /// The keys that a device has under a grant.
    package init(_ keychain: any Keychain, _ grant: BackupGrant) {
        let keys = DeviceBackupKeys(keychain, grant)
        self.init { wrapped throws(BackupFailure) in
            try keys.open(wrapped)
        } make: { numbers throws(BackupFailure) in
            try keys.make(numbers)
        }
    }
}

extension DeviceRefusal {
    /// For people.
    fileprivate var reasonText: String {
        switch self {
        case .declined(_, let refusal), .unreachable(let refusal): refusal.reason
        case .refused(let refusal): "\(refusal)"
        }
    }
}

/// New keys of files, made many at a time.
final class KeySupply {
    private let keys: BackupKeys
    private var waiting: [Int: [NewBackupKey]] = [:]

    init(_ keys: BackupKeys) {
        self.keys = keys
    }

    func take(_ classNumber: Int) throws(BackupFailure) -> NewBackupKey {
        if let key = waiting[classNumber]?.popLast() { return key }
        // A few at first: small backups need few.
        let count = waiting[classNumber] == nil ? 8 : EnclaveLimits.keysPerBatch / 4
        var made = try keys.make([Int](repeating: classNumber, count: count))
        guard let key = made.popLast() else { throw .keyNotAuthentic }
        waiting[classNumber] = made
        return key
    }
}
