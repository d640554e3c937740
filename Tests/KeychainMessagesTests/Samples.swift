import EnclaveCore
import ItemModel
import Keybag
import KeychainMessages
import PropertyListDER
import SecretMemory

/// Messages of every shape.
enum Samples {
    static func secret(_ text: String) -> SecretBox { SecretBox(copying: Array(text.utf8)) }

    static let status = EnclaveStatus(
        lockState: .locked, hasPasscode: true, failedAttempts: 3, secondsUntilNextAttempt: 59.5, isDisabled: false,
        eraseAfterTenFailures: true, gracePeriodSeconds: 10.25, graceSecondsLeft: 1.125, keyEpoch: 1 << 50,
        rootOfTrust: "software", keybagUUID: Array(0..<16))

    static let find = ItemRequest(
        operation: .find,
        query: [
            QueryPair("class", .string("genp")), QueryPair("svce", .string("späť 🔑")),
            QueryPair("r_Data", .boolean(true)),
            QueryPair("m_Limit", .integer(-1)), QueryPair(key: .integer(7), value: .null),
            QueryPair("mdat", .date(123_456.75)), QueryPair("list", .array([.dictionary(["a": .data([1, 2])])])),
            QueryPair("accc", .reference(kind: "SecAccessControl", bytes: [9, 8])),
        ], wantsResult: true)

    static let requests: [ItemRequest] = [
        find,
        ItemRequest(
            operation: .add, query: [QueryPair("v_Data", .secret(0)), QueryPair("other", .array([.secret(1)]))],
            wantsResult: false, secrets: [secret("one"), secret("")]),
        ItemRequest(
            operation: .update, query: [QueryPair("class", .string("inet"))],
            changes: [QueryPair("v_Data", .secret(0)), QueryPair("labl", .null)], wantsResult: false,
            secrets: [secret("new")], owner: OwnerAuthority(accessGroup: "*", passcode: secret("1234"))),
        ItemRequest(
            operation: .delete, query: [], wantsResult: false,
            owner: OwnerAuthority(accessGroup: "group", passcode: secret(""))),
    ]

    static let replies: [ItemReply] = [
        ItemReply(code: .success),
        ItemReply(code: .success, result: .null, affectedRows: 12),
        ItemReply(
            code: .success, result: .array([.dictionary(["v_Data": .secret(1)]), .secret(0)]),
            secrets: [secret("a"), secret("bc")]),
        ItemReply(
            code: .interactionNotAllowed,
            refusal: Refusal(rule: "class-key-locked", reason: "The device is locked.", advice: "Unlock it.")),
        ItemReply(code: ResultCode(rawValue: .min), result: .dictionary([:])),
    ]

    static let deviceRequests: [DeviceRequest] = [
        .status, .setPasscode(new: secret("new")), .changePasscode(current: secret("old"), new: secret("new")),
        .removePasscode(current: secret("old")), .unlock(passcode: secret("1234")), .lock(immediately: true),
        .lock(immediately: false), .erase(passcode: nil), .erase(passcode: secret("1234")),
        .configure(passcode: nil, eraseAfterTenFailures: nil, gracePeriodSeconds: nil),
        .configure(passcode: secret("1234"), eraseAfterTenFailures: true, gracePeriodSeconds: 0.1),
        .refusals(limit: 20),
    ]

    static let deviceReplies: [DeviceReply] = [
        .done,
        .status(
            DeviceStatus(
                enclave: status, kind: "daemon", directory: "/tmp/ünïcode", itemCounts: ["genp": 3, "inet": 0],
                quarantinedRows: 2, damageReport: "set aside")),
        .status(
            DeviceStatus(
                enclave: status, kind: "embedded", directory: "/", itemCounts: [:], quarantinedRows: 0,
                damageReport: nil)),
        .refusals([]),
        .refusals([
            RefusalRecord(
                time: 789_012.5, caller: "/usr/bin/mail", operation: "find", itemClass: "genp", accessGroup: "mail",
                lockState: "locked", code: .interactionNotAllowed,
                refusal: Refusal(rule: "class-key-locked", reason: "r", advice: "a"))
        ]),
        .refused(.wrongPasscode(attemptsLeft: 4)), .refused(.delayed(seconds: 60)), .refused(.storage(reason: "full")),
    ]
}

/// A small generator with a seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
