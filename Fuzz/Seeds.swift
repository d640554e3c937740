import AccessControl
import CodeSignature
import CryptoSuite
import EnclaveCore
import Foundation
import ItemModel
import Keybag
import KeychainMessages
import PropertyListDER
import SecretMemory

@testable import LocalTransport

/// Writes the small corpus from which the fuzzer starts: one well-formed input per message, so that it need not invent
/// the framing. `Scripts/fuzz --seeds` runs it after a format changed.
enum Seeds {
    static let folder = URL(fileURLWithPath: CommandLine.arguments[1])

    static func write(_ target: String, _ name: String, _ bytes: [UInt8]) throws {
        let directory = folder.appending(path: target)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data(bytes).write(to: directory.appending(path: name))
    }

    static func writeAll() throws {
        try frames()
        try propertyLists()
        try keybags()
        try mailbox()
        try messages()
        try programs()
        try accessControls()
    }

    static func accessControls() throws {
        for (index, protection) in Protection.allCases.enumerated() {
            try write("accesscontrol", "plain-\(index)", AccessControl(protection: protection).serialised)
        }
        let rules: [AccessControlFlags] = [
            .userPresence, .biometryAny, .biometryCurrentSet, [.devicePasscode, .biometryCurrentSet, .or],
            [.applicationPassword, .privateKeyUsage],
        ]
        for (index, flags) in rules.enumerated() {
            let control = try AccessControl(protection: .whenUnlocked, flags: flags)
            try write("accesscontrol", "rule-\(index)", control.serialised)
            guard let bound = control.bound(to: EnrolmentSet(context.bytes)) else { continue }
            try write("accesscontrol", "bound-\(index)", bound.serialised)
        }
    }

    static let context = ContextIdentifier([UInt8](repeating: 6, count: ContextIdentifier.byteCount))!

    static let contextRequests: [ContextRequest] = [
        .open, .close(context), .allowReuse(seconds: 9, context), .assess(.policy(.deviceOwner), context),
        .assess(.accessControl([1, 2], .decrypt), context), .matchFinger(seconds: 60, context), .cancelMatch(context),
        .offerPasscode(secret, context), .setApplicationPassword(secret, context),
        .setApplicationPassword(nil, context), .bind(accessControl: [1, 2]),
    ]

    static let biometryRequests: [BiometryRequest] = [
        .status, .beginEnrolment(.leftThumb, passcode: secret), .continueEnrolment, .cancelEnrolment,
        .removeFinger(.rightIndex, passcode: secret), .removeFinger(nil, passcode: secret),
        .unlockWithFinger(seconds: 9), .cancelUnlock, .lockRemotely,
    ]

    static let outcomes: [MatchOutcome] = [
        .matched(.leftThumb), .notMatched(missesLeft: 3), .unclear(.again), .cancelled, .timedOut,
        .refused(.biometryLockedOut),
    ]

    static let contextReplies: [ContextReply] =
        [
            .done, .opened(context), .unknown, .tooMany, .verdict(.granted), .verdict(.needs([.match, .passcode])),
            .verdict(.refused(.enrolmentChanged)), .bound([1, 2]), .notBound(nil), .notBound(.biometryNotEnrolled),
        ] + outcomes.map { .match($0) }

    static let biometryReplies: [BiometryReply] = [
        .done, .match(.matched(nil)), .removalFailed(.busy), .enrolment(.stage(done: 1, total: 5)),
        .enrolment(.unclear(.tooShort)), .enrolment(.completed), .enrolment(.failed(.disconnected)),
        .status(
            BiometryStatus(
                survey: SensorSurvey(
                    name: "n", fingers: [.leftThumb, .rightIndex], digest: [1, 2], seesTemplates: true),
                obstacle: .biometryLockedOut, enrolmentSet: EnrolmentSet(context.bytes), missesLeft: 2)),
    ]

    static let secret = SecretBox(copying: Array("secret".utf8))
    static let key = SecretBox(copying: [UInt8](repeating: 1, count: 32))

    static func frames() throws {
        let messages = [
            WireMessage(body: Array("body".utf8)), WireMessage(body: [], secrets: [secret]),
            WireMessage(body: Array("body".utf8), secrets: [secret, SecretBox(copying: []), secret]),
        ]
        for (index, message) in messages.enumerated() {
            let header = FrameHeader(kind: .message, message: message, nonce: Nonce(1, 2))
            var bytes = [UInt8](repeating: 0, count: FrameHeader.byteCount + header.contentCount)
            bytes.withUnsafeMutableBytes {
                header.write(to: $0)
                FrameContent.write(message, to: UnsafeMutableRawBufferPointer(rebasing: $0[FrameHeader.byteCount...]))
            }
            try write("frame", "message-\(index)", bytes)
        }
    }

    static let query: [String: PropertyValue] = [
        "class": .string("genp"), "acct": .string("account"), "svce": .data([1, 2]), "type": .integer(-7),
        "cdat": .date(1.5), "sync": .boolean(true), "pdmn": .string("ak"), "v_Data": .secret(0),
        "r_Data": .boolean(true),
        "m_Limit": .string("m_LimitAll"), "accc": .reference(kind: "SecAccessControl", bytes: [1]),
        "agrp": .string("g"),
    ]

    static func propertyLists() throws {
        for target in ["propertylist", "query"] {
            try write(target, "query", DERWriter.encode(.dictionary(query)))
            try write(target, "nested", DERWriter.encode(.array([.null, .array([.dictionary(["k": .array([])])])])))
        }
        for (name, value) in query {
            let pairs = ["class": PropertyValue.string("inet")].merging([name: value]) { $1 }
            try write("query", "one-\(name)", DERWriter.encode(.dictionary(pairs)))
        }
        try write(
            "query", "pairs",
            DERWriter.encode(
                .array([.string("class"), .string("genp"), .integer(4), .null, .string("acct"), .string("a")])))
        try write(
            "query", "reference",
            DERWriter.encode(
                .dictionary(["v_PersistentRef": .data(Array("inet".utf8) + [UInt8](repeating: 1, count: 16))])))
    }

    static func keybags() throws {
        let hardwareKey = HardwareKey(uid: SecretBox(copying: [UInt8](repeating: 7, count: HardwareKey.byteCount)))
        let fresh = SystemKeybag.fresh(on: hardwareKey, settings: DeviceSettings(), entropy: SystemEntropy())
        try write("keybag", "fresh", fresh.keybag.bytes)
        let keys = try fresh.openWithoutPasscode()
        let locked = try fresh.rewrapped(keys, passcode: secret, log2Cost: 2, entropy: SystemEntropy())
        try write("keybag", "passcode", locked.keybag.keybag.bytes)
    }

    static func mailbox() throws {
        let wrapped = WrappedKey(
            keyClass: .whenUnlocked, use: .item, binding: [1, 2], bytes: [UInt8](repeating: 3, count: 40))
        let requests: [EnclaveRequest] =
            [
                .status, .setPasscode(new: secret), .changePasscode(current: secret, new: secret),
                .removePasscode(current: secret), .unlock(passcode: secret), .verifyPasscode(secret),
                .lock(immediately: true),
                .erase(passcode: nil), .erase(passcode: secret),
                .configure(passcode: secret, eraseAfterTenFailures: true, gracePeriodSeconds: 5),
                .createKey(keyClass: .always, use: .metadata, binding: []), .unwrapKeys([wrapped, wrapped]),
                .waitForChange(epoch: 7), .createKeys(keyClass: .always, use: .item, binding: [1], count: 3),
                .createKeys(keyClass: .always, use: .item, binding: [1], count: 3, context: context),
                .unwrapKeys([wrapped], context: context),
            ] + contextRequests.map { .context($0) } + biometryRequests.map { .biometry($0) }
        for (index, request) in requests.enumerated() {
            let encoded = EnclaveMessageCodec.encode(request)
            try write("mailbox", "request-\(index)", input(body: encoded.body, secrets: encoded.secrets))
        }
        let status = EnclaveStatus(
            lockState: .locked, hasPasscode: true, failedAttempts: 2, secondsUntilNextAttempt: 60, isDisabled: false,
            eraseAfterTenFailures: true, gracePeriodSeconds: 10, graceSecondsLeft: 3, keyEpoch: 9,
            rootOfTrust: "software",
            keybagUUID: [UInt8](repeating: 4, count: 16))
        let refusals: [EnclaveRefusal] = [
            .wrongPasscode(attemptsLeft: 3), .sameWrongPasscode, .delayed(seconds: 60), .disabled, .erased,
            .passcodeNeeded,
            .passcodeAlreadySet, .noPasscodeSet, .badPasscode(reason: "x"), .storage(reason: "x"),
            .malformed(reason: "x"),
        ]
        let replies: [EnclaveReply] =
            [
                .done, .status(status), .created(key: key, wrapped: wrapped.bytes), .createRefused(.locked),
                .keys([.key(key), .refused(.damaged)]), .changed(epoch: 3),
            ] + refusals.map { .refused($0) } + contextReplies.map { .context($0) }
            + biometryReplies.map { .biometry($0) }
        for (index, reply) in replies.enumerated() {
            let encoded = EnclaveMessageCodec.encode(reply)
            try write("mailbox", "reply-\(index)", input(body: encoded.body, secrets: encoded.secrets))
        }
    }

    static func messages() throws {
        let pairs = query.map { QueryPair($0.key, $0.value) }
        for operation in ItemOperation.allCases {
            let request = ItemRequest(
                operation: operation, query: pairs, changes: [QueryPair("acct", .string("b"))], wantsResult: true,
                secrets: [secret], owner: operation == .find ? OwnerAuthority(accessGroup: "*", passcode: secret) : nil)
            try write("messages", "\(operation)", encoded(MessageCoding.encode(request)))
        }
        let reply = ItemReply(
            code: .param, result: .array([.secret(0)]), secrets: [secret],
            refusal: Refusal(rule: "r", reason: "s", advice: "t"), affectedRows: 3)
        try write("messages", "reply", encoded(MessageCoding.encode(reply)))
        let requests: [DeviceRequest] = [
            .status, .unlock(passcode: secret), .lock(immediately: false), .refusals(limit: 9),
        ]
        for (index, request) in requests.enumerated() {
            try write("messages", "device-\(index)", encoded(MessageCoding.encode(request)))
        }
        for (index, request) in registryRequests.enumerated() {
            try write("messages", "registry-\(index)", encoded(MessageCoding.encode(request)))
        }
        for (index, reply) in registryReplies.enumerated() {
            try write("messages", "registry-reply-\(index)", encoded(MessageCoding.encode(reply)))
        }
        let record = RefusalRecord(
            time: 1, caller: "c", application: nil, level: .c, operation: "add", itemClass: "genp", accessGroup: "g",
            lockState: "locked",
            code: .param,
            refusal: Refusal(rule: "r", reason: "s", advice: "t"))
        let replies: [DeviceReply] = [.done, .refusals([record]), .refused(.disabled)]
        for (index, reply) in replies.enumerated() {
            try write("messages", "device-reply-\(index)", encoded(MessageCoding.encode(reply)))
        }
        try authenticationMessages()
        let caller = Caller(name: "n", accessGroups: ["g", "h"])
        try write("messages", "caller", input(body: MessageCoding.encode(caller), secrets: []))
    }

    static let interaction = Interaction(reason: "r", cancelTitle: "c", fallbackTitle: "", reuseSeconds: 9)

    static let authenticationRequests: [AuthenticationRequest] = [
        .check(.biometry), .evaluate(.deviceOwner, interaction),
        .evaluateAccessControl([1, 2], operation: .decrypt, interaction), .setApplicationPassword(secret),
        .setApplicationPassword(nil), .setPasscode(secret), .biometry,
    ]

    static let agentRequests: [AgentRequest] = [
        .register, .nextPrompt, .waitForEnd(PromptIdentifier(7)), .answer(PromptIdentifier(7), .secret(secret)),
        .answer(PromptIdentifier(7), .cancelled), .answer(PromptIdentifier(.max), .failed(reason: "r")),
    ]

    static func authenticationMessages() throws {
        let item = ItemRequest(
            operation: .find, query: query.map { QueryPair($0.key, $0.value) }, wantsResult: true, secrets: [secret],
            interaction: interaction)
        try write("messages", "find-asking", encoded(MessageCoding.encode(item)))
        for (index, request) in authenticationRequests.enumerated() {
            try write("messages", "authentication-\(index)", encoded(MessageCoding.encode(request)))
        }
        for (index, request) in agentRequests.enumerated() {
            try write("messages", "agent-\(index)", encoded(MessageCoding.encode(request)))
        }
        let refusal = Refusal(rule: "r", reason: "s", advice: "t")
        let status = BiometryStatus(
            survey: SensorSurvey(name: "n", fingers: [.leftThumb], digest: [1]), obstacle: nil,
            enrolmentSet: EnrolmentSet(context.bytes), missesLeft: 5)
        let replies: [AuthenticationReply] = [
            .done(domainState: nil), .done(domainState: [1, 2]), .biometry(status, domainState: [1]),
            .failed(.userCancel, refusal),
        ]
        for (index, reply) in replies.enumerated() {
            try write("messages", "authentication-reply-\(index)", encoded(MessageCoding.encode(reply)))
        }
        let prompt = Prompt(
            kind: .passcode, program: "p", team: "t", level: .a, reason: "r", cancelTitle: "c", fallbackTitle: "f",
            notice: "n")
        let agentReplies: [AgentReply] = [
            .nothing, .done, .isOver(true), .prompt(PromptIdentifier(7), prompt, seconds: 60),
            .prompt(PromptIdentifier(8), Prompt(kind: .finger, program: "p", reason: ""), seconds: nil),
        ]
        for (index, reply) in agentReplies.enumerated() {
            try write("messages", "agent-reply-\(index)", encoded(MessageCoding.encode(reply)))
        }
    }

    static func programs() throws {
        let key = TeamKey.generate()
        let team = key.publicKey.identifier
        let statement = try SignatureStatement(
            application: team.text + ".com.example",
            entitlements: try ProgramEntitlements(["keychain-access-groups": .array([.string(team.text + ".shared")])]),
            digest: [UInt8](repeating: 0xAB, count: 32), date: 1, team: team)
        let blob = try key.sign(statement).encoded()
        try write("codesignature", "signature", blob)
        for is64Bit in [true, false] {
            let name = is64Bit ? "elf64" : "elf32"
            try write("codesignature", name, program(is64Bit: is64Bit, blob: nil))
            try write("codesignature", name + "-note", program(is64Bit: is64Bit, blob: []))
            try write("codesignature", name + "-signed", program(is64Bit: is64Bit, blob: blob))
        }
    }

    /// A program with a loader, library paths and, if there is a blob, a signature note that segment and section name.
    static func program(is64Bit: Bool, blob: [UInt8]?) -> [UInt8] {
        let word = is64Bit ? 8 : 4
        func number(_ number: Int, _ byteCount: Int) -> [UInt8] {
            (0..<byteCount).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        let headerEnd = is64Bit ? 64 + 4 * 56 : 52 + 4 * 32
        let strings = Array("\0/usr/lib/a:b\0./c.so\0/lib/ld.so\0".utf8)
        let dynamicOffset = headerEnd + 48
        let entries = [(5, headerEnd), (10, strings.count), (29, 1), (1, 14), (0, 0)]
        let dynamic = entries.flatMap { number($0.0, word) + number($0.1, word) }
        let noteOffset = dynamicOffset + 96
        var note: [UInt8] = []
        if let blob {
            note = number(9, 4) + number(SignatureNote.descriptorByteCount, 4) + number(Int(SignatureNote.type), 4)
            note += SignatureNote.name + [0, 0, 0] + number(blob.count, 4) + blob
            note += [UInt8](repeating: 0, count: 24 + SignatureNote.descriptorByteCount - note.count)
        }
        let end = noteOffset + note.count
        var file: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, is64Bit ? 2 : 1, 1, 1] + [UInt8](repeating: 0, count: 9)
        file += number(3, 2) + number(62, 2) + number(1, 4) + number(0, word) + number(is64Bit ? 64 : 52, word)
        file += number(end, word) + number(0, 4) + number(is64Bit ? 64 : 52, 2) + number(is64Bit ? 56 : 32, 2)
        file += number(4, 2) + number(is64Bit ? 64 : 40, 2) + number(1, 2) + number(0, 2)
        let segments = [
            (1, 0, end), (2, dynamicOffset, dynamic.count), (3, headerEnd + 21, 11), (4, noteOffset, note.count),
        ]
        for (type, offset, count) in segments {
            let places = number(offset, word) + number(offset, word) + number(0, word)
            let sizes = number(count, word) + number(count, word)
            let flags = number(4, 4)
            file += number(type, 4) + (is64Bit ? flags : []) + places + sizes + (is64Bit ? [] : flags) + number(4, word)
        }
        file += strings + [UInt8](repeating: 0, count: 48 - strings.count)
        file += dynamic + [UInt8](repeating: 0, count: 96 - dynamic.count) + note
        file += number(0, 4) + number(7, 4) + number(2, word) + number(0, word) + number(noteOffset, word)
        return file + number(note.count, word) + number(0, 8) + number(4, word) + number(0, word)
    }

    static let teamKey = TeamPublicKey([4] + [UInt8](repeating: 7, count: 64))

    static var registryRequests: [DeviceRequest] {
        guard let teamKey else { return [] }
        return [
            .trustTeam(key: teamKey, name: "n", expires: 1.5, passcode: secret),
            .revokeTeam(teamKey.identifier, passcode: nil), .teams, .applications,
            .forgetApplication("a", removesItems: true, passcode: secret),
            .configureApplications(removesItems: false, passcode: nil),
        ]
    }

    static var registryReplies: [DeviceReply] {
        guard let teamKey else { return [] }
        let seen = SeenApplication(
            application: "a", team: teamKey.identifier, level: .b, accessGroups: ["g"], digest: [1], path: "/a")
        return [
            .teams([TrustedTeam(key: teamKey, name: "n", trusted: 1, expires: 2, revoked: 3, isExpired: true)]),
            .applications([RegisteredApplication(seen: seen, firstSeen: 1, lastSeen: 2, itemCount: 3)]),
            .forgotten(removedItems: 1), .declined(.param, Refusal(rule: "r", reason: "s", advice: "t")),
        ]
    }

    static func encoded(_ message: MessageCoding.Encoded) -> [UInt8] {
        input(body: message.body, secrets: message.secrets)
    }
}

// The modules are compiled for the fuzzer and so need its library, which brings the program's `main` along.

@_cdecl("LLVMFuzzerInitialize")
public func writeSeeds(_ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    do {
        try Seeds.writeAll()
        exit(EXIT_SUCCESS)
    } catch {
        print("seeds: \(error)")
        exit(EXIT_FAILURE)
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt { 0 }
