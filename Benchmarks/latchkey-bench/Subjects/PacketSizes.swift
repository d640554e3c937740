import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The sizes of the four packets of a call that asks the enclave once, from the encoders that make them.
struct PacketSizes {
    let request: Int
    let enclaveRequest: Int
    let enclaveReply: Int
    let reply: Int

    /// In front of every body (`Docs/Formats/socket.md`).
    private static let headerByteCount = 40

    static func ofFind() -> PacketSizes {
        let secret = SecretBox(copying: Array(SampleItems.password(50).utf8))
        let key = SecretBox(count: 32) { _ in }
        let pairs = [
            QueryPair("class", .string("genp")), QueryPair("svce", .string(SampleItems.service(50))),
            QueryPair("acct", .string(SampleItems.account(50))), QueryPair("r_Data", .boolean(true)),
            QueryPair("m_Limit", .string("m_LimitOne")),
        ]
        let question = UnwrapKeys([
            WrappedKey(
                keyClass: .whenUnlocked, use: .item, binding: AccessControl(protection: .whenUnlocked).serialised,
                bytes: [UInt8](repeating: 0, count: 40))
        ])
        return PacketSizes(
            request: packet(MessageCoding.encode(ItemRequest(operation: .find, query: pairs, wantsResult: true))),
            enclaveRequest: packet(EnclaveMessageCodec.encode(question)),
            enclaveReply: packet(EnclaveMessageCodec.encode([KeyOutcome.key(key)])),
            reply: packet(MessageCoding.encode(ItemReply(code: .success, result: .secret(0), secrets: [secret]))))
    }

    static func ofSignature() -> PacketSizes {
        let blob = [UInt8](repeating: 1, count: 220)
        let digest = [UInt8](repeating: 2, count: 32)
        let signature = [UInt8](repeating: 3, count: 71)
        let question = SignDigest(digest, with: blob, context: nil)
        return PacketSizes(
            request: packet(SignWithKey(blob, digest: digest).message),
            enclaveRequest: packet(EnclaveMessageCodec.encode(question)),
            enclaveReply: packet(EnclaveMessageCodec.encode(SignatureAnswer.signed(signature))),
            reply: packet(SignWithKey.message(of: EnclaveKeySignature(signature))))
    }

    /// The two packets of an add: fresh item keys are at hand, so that the enclave is not asked.
    static func ofAdd() -> (request: Int, reply: Int) {
        let secret = SecretBox(copying: Array(SampleItems.password(50).utf8))
        let pairs = [
            QueryPair("class", .string("genp")), QueryPair("svce", .string(SampleItems.service(50))),
            QueryPair("acct", .string(SampleItems.account(50))), QueryPair("v_Data", .secret(0)),
        ]
        let request = ItemRequest(operation: .add, query: pairs, wantsResult: false, secrets: [secret])
        return (
            packet(MessageCoding.encode(request)),
            packet(MessageCoding.encode(ItemReply(code: .success, affectedRows: 1)))
        )
    }

    private static func packet(_ message: EnclaveMessageCodec.Encoded) -> Int {
        packet(WireMessage(body: message.body, secrets: message.secrets))
    }

    private static func packet(_ message: WireMessage) -> Int {
        headerByteCount + message.body.count
            + message.secrets.reduce(0) { $0 + 4 + $1.count }
    }
}
