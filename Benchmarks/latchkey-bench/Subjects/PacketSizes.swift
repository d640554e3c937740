import AccessControl
import EnclaveCore
import ItemModel
import Keybag
import KeychainMessages
import PropertyListDER
import SecretMemory

/// How large the four packets of a find are, from the encoders that make them.
struct FindSizes {
    let request: Int
    let enclaveRequest: Int
    let enclaveReply: Int
    let reply: Int

    /// In front of every body (`Docs/Formats/socket.md`).
    private static let headerByteCount = 40

    init() throws {
        let secret = SecretBox(copying: Array(SampleItems.password(50).utf8))
        let key = SecretBox(count: 32) { _ in }
        let pairs = [
            QueryPair("class", .string("genp")), QueryPair("svce", .string(SampleItems.service(50))),
            QueryPair("acct", .string(SampleItems.account(50))), QueryPair("r_Data", .boolean(true)),
            QueryPair("m_Limit", .string("m_LimitOne")),
        ]
        let question = EnclaveRequest.unwrapKeys([
            WrappedKey(
                keyClass: .whenUnlocked, use: .item, binding: AccessControl(protection: .whenUnlocked).serialised,
                bytes: [UInt8](repeating: 0, count: 40))
        ])
        request = Self.packet(MessageCoding.encode(ItemRequest(operation: .find, query: pairs, wantsResult: true)))
        enclaveRequest = Self.packet(EnclaveMessageCodec.encode(question))
        enclaveReply = Self.packet(EnclaveMessageCodec.encode(EnclaveReply.keys([.key(key)])))
        reply = Self.packet(
            MessageCoding.encode(ItemReply(code: .success, result: .secret(0), secrets: [secret])))
    }

    private static func packet(_ message: (body: [UInt8], secrets: [SecretBox])) -> Int {
        headerByteCount + message.body.count
            + message.secrets.reduce(0) { $0 + 4 + $1.count }
    }
}
