import Foundation
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

extension Keychain {
    func add(_ account: String, _ bytes: [UInt8], accessible: String = "ck") -> ResultCode {
        perform(
            ItemRequest(
                operation: .add,
                query: [
                    QueryPair("class", .string("genp")), QueryPair("svce", .string("crash")),
                    QueryPair("acct", .string(account)), QueryPair("pdmn", .string(accessible)),
                    QueryPair("v_Data", .secret(0)),
                ], wantsResult: false, secrets: [SecretBox(copying: bytes)])
        ).code
    }

    func update(_ account: String, _ bytes: [UInt8]) -> ResultCode {
        perform(
            ItemRequest(
                operation: .update,
                query: [
                    QueryPair("class", .string("genp")), QueryPair("svce", .string("crash")),
                    QueryPair("acct", .string(account)),
                ],
                changes: [QueryPair("v_Data", .secret(0))], wantsResult: false, secrets: [SecretBox(copying: bytes)])
        ).code
    }

    func delete(_ account: String) -> ResultCode {
        perform(
            ItemRequest(
                operation: .delete,
                query: [
                    QueryPair("class", .string("genp")), QueryPair("svce", .string("crash")),
                    QueryPair("acct", .string(account)),
                ],
                wantsResult: false)
        ).code
    }

    func find(_ account: String) -> Result<[UInt8], ResultCode> {
        let reply = perform(
            ItemRequest(
                operation: .find,
                query: [
                    QueryPair("class", .string("genp")), QueryPair("svce", .string("crash")),
                    QueryPair("acct", .string(account)), QueryPair("r_Data", .boolean(true)),
                ], wantsResult: true))
        guard reply.code == .success, let secret = reply.secrets.first else { return .failure(reply.code) }
        return .success(secret.withBytes { Array($0) })
    }

    /// Every item: its secret by its account.
    func everything() throws -> [String: [UInt8]] {
        let reply = perform(
            ItemRequest(
                operation: .find,
                query: [
                    QueryPair("class", .string("genp")), QueryPair("m_Limit", .string("m_LimitAll")),
                    QueryPair("r_Data", .boolean(true)), QueryPair("r_Attributes", .boolean(true)),
                ], wantsResult: true))
        if reply.code == .itemNotFound { return [:] }
        guard reply.code == .success, case .array(let entries)? = reply.result else {
            throw Failed("finding everything: \(reply.code.rawValue) \(reply.refusal?.reason ?? "")")
        }
        var items: [String: [UInt8]] = [:]
        for entry in entries {
            guard case .dictionary(let item) = entry, case .string(let account)? = item["acct"],
                case .secret(let index)? = item["v_Data"]
            else { throw Failed("an entry without account or data") }
            guard items.updateValue(reply.secrets[index].withBytes { Array($0) }, forKey: account) == nil else {
                throw Failed("\(account) is there twice")
            }
        }
        return items
    }

    /// Nil if the device does what it is asked.
    func refusal(of question: some ForwardedQuestion) -> DeviceRefusal? {
        do throws(DeviceRefusal) {
            try ask(question)
            return nil
        } catch {
            return error
        }
    }

    func status() throws -> DeviceStatus {
        try ask(DescribeDevice())
    }
}
