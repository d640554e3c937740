package import LatchkeyKeybag
package import LatchkeySecretMemory

/// A request for the class keys of a new backup.
///
/// The password does not come here: the program that asked for it has made the key of it, which takes seconds. Refused as `.locked`
/// while the keys that wrap the answer are not loaded.
package struct MakeBackupKeybag: EnclaveQuestion {
    package static let numbers = [MessageNumber(24)]
    package static let traits: QuestionTraits = []

    package let parameters: BackupPasswordParameters
    package let passcodeKey: SecretBox
    package let isEncrypted: Bool

    package init(_ parameters: BackupPasswordParameters, passcodeKey: SecretBox, isEncrypted: Bool) {
        self.parameters = parameters
        self.passcodeKey = passcodeKey
        self.isEncrypted = isEncrypted
    }

    package func write(to writer: inout MessageWriter) {
        writer.backupPassword(parameters)
        writer.secret(passcodeKey)
        writer.byte(isEncrypted ? 1 : 0)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        parameters = try reader.backupPassword()
        passcodeKey = try reader.key()
        isEncrypted = try reader.flag("encrypted")
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Result<MadeBackupKeybag, KeyRefusal>
    {
        try enclave.answer(self)
    }
}

/// A new keybag, and its class keys as only the enclave opens them.
package struct MadeBackupKeybag: Sendable, Hashable {
    package let keybag: [UInt8]
    package let keys: SealedBackupKeys

    package init(keybag: [UInt8], keys: SealedBackupKeys) {
        self.keybag = keybag
        self.keys = keys
    }
}

extension MadeBackupKeybag: MadeOfKeys {
    package static let madeNumber = MessageNumber(17)

    package func write(to writer: inout MessageWriter) {
        writer.bytes(keybag)
        writer.backupKeys(keys)
    }

    package init(from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        keybag = try reader.bytes("keybag", limit: EnclaveLimits.keybagByteCount)
        keys = try reader.backupKeys()
    }
}

extension MessageWriter {
    mutating func backupPassword(_ parameters: BackupPasswordParameters) {
        byte(parameters.first == nil ? 0 : 1)
        for round in [parameters.first, parameters.second].compactMap({ $0 }) {
            bytes(round.salt)
            number(UInt64(round.iterations), byteCount: 4)
        }
    }
}

extension MessageReader {
    mutating func backupPassword() throws(EnclaveMessageFailure) -> BackupPasswordParameters {
        let isTwoRounds = try flag("rounds")
        let first = isTwoRounds ? try backupRound() : nil
        guard let parameters = BackupPasswordParameters(first: first, second: try backupRound()) else {
            throw .badValue(field: "backup password", found: 0)
        }
        return parameters
    }

    private mutating func backupRound() throws(EnclaveMessageFailure) -> BackupPasswordParameters.Round {
        let salt = try bytes("salt", limit: BackupPasswordParameters.saltByteCount)
        return BackupPasswordParameters.Round(
            salt: salt, iterations: UInt32(truncatingIfNeeded: try number(byteCount: 4)))
    }
}
