package import LatchkeyAccessControl
package import LatchkeyKeybag
package import LatchkeySecretMemory

/// Fields that several messages have.
extension MessageReader {
    /// The limit is larger than that of a passcode, so that a passcode that is too long gets a proper refusal.
    private static let passcodeLengths = 0...4 * EnclaveLimits.passcodeByteCount
    private static let applicationPasswordLengths = 0...EnclaveLimits.applicationPasswordByteCount
    private static let keyLengths = EnclaveLimits.keyByteCount...EnclaveLimits.keyByteCount

    package mutating func passcode() throws(EnclaveMessageFailure) -> SecretBox {
        try secret(Self.passcodeLengths)
    }

    package mutating func optionalPasscode() throws(EnclaveMessageFailure) -> SecretBox? {
        try optional("passcode") { reader throws(EnclaveMessageFailure) in try reader.passcode() }
    }

    package mutating func optionalApplicationPassword() throws(EnclaveMessageFailure) -> SecretBox? {
        try optional("application password") { reader throws(EnclaveMessageFailure) in
            try reader.secret(Self.applicationPasswordLengths)
        }
    }

    /// A key of 32 bytes.
    package mutating func key() throws(EnclaveMessageFailure) -> SecretBox {
        try secret(Self.keyLengths)
    }

    package mutating func optionalSeconds(_ field: String) throws(EnclaveMessageFailure) -> Double? {
        try optional(field) { reader throws(EnclaveMessageFailure) in try reader.seconds(field) }
    }

    package mutating func context() throws(EnclaveMessageFailure) -> ContextIdentifier {
        guard let context = ContextIdentifier(try bytes(count: ContextIdentifier.byteCount)) else { throw .truncated }
        return context
    }

    package mutating func optionalContext() throws(EnclaveMessageFailure) -> ContextIdentifier? {
        try optional("context") { reader throws(EnclaveMessageFailure) in try reader.context() }
    }

    package mutating func accessControl() throws(EnclaveMessageFailure) -> AccessControl {
        let bytes = try bytes("access control", limit: EnclaveLimits.bindingByteCount)
        guard let accessControl = AccessControl(exactly: bytes) else { throw .badAccessControl }
        return accessControl
    }

    /// The first fields of every request for a key.
    package mutating func keyKind() throws(EnclaveMessageFailure) -> (
        keyClass: KeyClass, use: KeyUse, binding: [UInt8]
    ) {
        let keyClass = try choice("class", of: KeyClass.self)
        let use = try choice("use", of: KeyUse.self)
        return (keyClass, use, try bytes("binding", limit: EnclaveLimits.bindingByteCount))
    }

    /// The class of a file's key.
    package mutating func fileProtection() throws(EnclaveMessageFailure) -> FileProtection {
        let keyClass = try choice("class", of: KeyClass.self)
        guard let protection = keyClass.fileProtection else {
            throw .badValue(field: "class", found: UInt64(keyClass.rawValue))
        }
        return protection
    }

    package mutating func fileIdentifier() throws(EnclaveMessageFailure) -> FileIdentifier {
        guard let identifier = FileIdentifier(try bytes(count: FileIdentifier.byteCount)) else { throw .truncated }
        return identifier
    }

    package mutating func wrappedFileKey() throws(EnclaveMessageFailure) -> WrappedFileKey {
        let protection = try fileProtection()
        let identifier = try fileIdentifier()
        let bytes = try bytes("wrapped key", limit: WrappedKey.byteLimit)
        guard let key = WrappedFileKey(bytes, of: identifier, protection) else {
            throw .badValue(field: "wrapped key", found: UInt64(bytes.count))
        }
        return key
    }

    package mutating func keyRefusal() throws(EnclaveMessageFailure) -> KeyRefusal {
        try choice("refusal", of: KeyRefusal.self)
    }

    package mutating func blob() throws(EnclaveMessageFailure) -> [UInt8] {
        try bytes("blob", limit: EnclaveLimits.keyBlobByteCount)
    }

    package mutating func blobs() throws(EnclaveMessageFailure) -> [[UInt8]] {
        let count = try count("blobs", limit: EnclaveLimits.keysPerBatch)
        var blobs: [[UInt8]] = []
        for _ in 0..<count { blobs.append(try blob()) }
        return blobs
    }

    package mutating func member<Member>(
        _ field: String, of list: [Member]
    ) throws(EnclaveMessageFailure) -> Member {
        let number = try byte()
        guard number >= 1, number <= list.count else { throw .badValue(field: field, found: UInt64(number)) }
        return list[Int(number) - 1]
    }

    package mutating func rule() throws(EnclaveMessageFailure) -> VerdictRule {
        try member("rule", of: MessageNames.rules)
    }

    package mutating func optionalRule() throws(EnclaveMessageFailure) -> VerdictRule? {
        try optional("rule") { reader throws(EnclaveMessageFailure) in try reader.rule() }
    }

    package mutating func finger() throws(EnclaveMessageFailure) -> Finger {
        try member("finger", of: MessageNames.fingers)
    }

    package mutating func optionalFinger() throws(EnclaveMessageFailure) -> Finger? {
        try optional("finger") { reader throws(EnclaveMessageFailure) in try reader.finger() }
    }

    package mutating func obstacle() throws(EnclaveMessageFailure) -> SensorObstacle {
        try choice("obstacle", of: SensorObstacle.self)
    }
}

extension MessageWriter {
    package mutating func context(_ context: ContextIdentifier) {
        for byte in context.bytes { self.byte(byte) }
    }

    package mutating func optionalContext(_ context: ContextIdentifier?) {
        optional(context) { $0.context($1) }
    }

    package mutating func accessControl(_ accessControl: AccessControl) {
        bytes(accessControl.serialised)
    }

    package mutating func keyKind(_ keyClass: KeyClass, _ use: KeyUse, _ binding: [UInt8]) {
        byte(keyClass.rawValue)
        byte(use.rawValue)
        bytes(binding)
    }

    package mutating func fileProtection(_ protection: FileProtection) {
        byte(protection.keyClass.rawValue)
    }

    package mutating func fileIdentifier(_ identifier: FileIdentifier) {
        for byte in identifier.bytes { self.byte(byte) }
    }

    package mutating func blobs(_ blobs: [[UInt8]]) {
        count(blobs.count)
        for blob in blobs { bytes(blob) }
    }

    /// Writes the index of the member, beginning with 1. A test checks that the lists are complete.
    package mutating func member<Member: Equatable>(_ member: Member, of list: [Member]) {
        byte(UInt8(clamping: (list.firstIndex(of: member) ?? -1) + 1))
    }

    package mutating func rule(_ rule: VerdictRule) {
        member(rule, of: MessageNames.rules)
    }

    package mutating func optionalRule(_ rule: VerdictRule?) {
        optional(rule) { $0.rule($1) }
    }

    package mutating func finger(_ finger: Finger) {
        member(finger, of: MessageNames.fingers)
    }

    package mutating func optionalFinger(_ finger: Finger?) {
        optional(finger) { $0.finger($1) }
    }
}
