package import LatchkeyKeybag
package import LatchkeySecretMemory

/// A request for the keybag of a host that may back up and restore without the passcode. Needs the passcode; refused as
/// `.noPasscodeSet` on a device that has none, where no host needs a keybag.
package struct MakeEscrow: EnclaveQuestion {
    package static let numbers = [MessageNumber(28)]
    package static let traits: QuestionTraits = []

    package let passcode: SecretBox

    package init(passcode: SecretBox) {
        self.passcode = passcode
    }

    package func write(to writer: inout MessageWriter) {
        writer.secret(passcode)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        passcode = try reader.passcode()
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> MadeEscrow {
        try enclave.answer(self)
    }
}

/// The two halves of an escrow.
package struct MadeEscrow: Sendable, Equatable {
    /// For the host. The device does not keep it.
    package let keybag: Keybag
    /// For the device: the key of the keybag as only the enclave opens it, and only from the first unlock on.
    package let sealedKey: SealedEscrowKey

    package init(keybag: Keybag, sealedKey: SealedEscrowKey) {
        self.keybag = keybag
        self.sealedKey = sealedKey
    }
}

extension MadeEscrow: EnclaveAnswer {
    package var number: MessageNumber { MessageNumber(19) }

    package func write(to writer: inout MessageWriter) {
        writer.bytes(keybag.bytes)
        writer.bytes(sealedKey.bytes)
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        guard number == MessageNumber(19) else { return nil }
        let bytes = try reader.bytes("keybag", limit: EscrowKeybag.byteLimit)
        guard let keybag = try? Keybag(parsing: bytes), keybag.header.kind == .escrow else {
            throw .badValue(field: "keybag", found: UInt64(bytes.count))
        }
        self.keybag = keybag
        sealedKey = try reader.sealedEscrowKey()
    }
}

/// The key of a host's keybag, wrapped under a class key of the device.
package struct SealedEscrowKey: Sendable, Hashable {
    /// From the first unlock on, as on iOS: after a restart the passcode is needed once.
    package static let wrappingClass = KeyClass.afterFirstUnlockThisDeviceOnly
    package static let byteCount = 40

    package let bytes: [UInt8]

    /// Returns nil for another number of bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The key as the wrapping binds it.
    package func wrapped(binding: [UInt8]) -> WrappedKey {
        WrappedKey(keyClass: Self.wrappingClass, use: .escrow, binding: binding, bytes: bytes)
    }
}

extension MessageReader {
    mutating func sealedEscrowKey() throws(EnclaveMessageFailure) -> SealedEscrowKey {
        let bytes = try bytes("escrow key", limit: SealedEscrowKey.byteCount)
        guard let key = SealedEscrowKey(bytes) else {
            throw .badValue(field: "escrow key", found: UInt64(bytes.count))
        }
        return key
    }
}
