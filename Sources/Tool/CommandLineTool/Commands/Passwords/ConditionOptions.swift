package import ArgumentParser
import LatchkeyAccessControl
package import LatchkeyItemModel
import LatchkeyPropertyListDER

/// A proof that the user has to give before an item is opened.
package enum ConditionName: String, Sendable, CaseIterable, ExpressibleByArgument {
    case userPresence = "user-presence"
    case biometryAny = "biometry-any"
    case biometryCurrentSet = "biometry-current-set"
    case passcode
    case applicationPassword = "application-password"

    var flag: AccessControlFlags {
        switch self {
        case .userPresence: .userPresence
        case .biometryAny: .biometryAny
        case .biometryCurrentSet: .biometryCurrentSet
        case .passcode: .devicePasscode
        case .applicationPassword: .applicationPassword
        }
    }
}

/// The flags of the adding commands about conditions.
package struct ConditionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Ask for this before the item is opened; may be given several times. One of: "
                + ConditionName.allCases.map(\.rawValue).joined(separator: ", ") + ".",
            valueName: "condition"))
    package var require: [ConditionName] = []

    @Flag(name: .customLong("any"), help: "One of several conditions is enough.")
    package var anyIsEnough = false

    package init() {}

    /// The access control that says so, in place of the protection class; nil without conditions.
    package func pair(accessible: String?) throws(CommandFailure) -> QueryPair? {
        guard let flags = try flags() else { return nil }
        let rules = try rules(accessible: accessible, flags: flags)
        return QueryPair(.accessControl, rules.value)
    }

    /// The required proofs; nil if there are none.
    func flags() throws(CommandFailure) -> AccessControlFlags? {
        guard !require.isEmpty else {
            guard anyIsEnough else { return nil }
            throw CommandFailure(.usage, "--any says how several conditions combine, and none is given.")
        }
        let flags = require.reduce(into: AccessControlFlags()) { $0.formUnion($1.flag) }
        return anyIsEnough ? flags.union(.or) : flags
    }

    func rules(accessible: String?, flags: AccessControlFlags) throws(CommandFailure) -> AccessControl {
        do throws(CreationRefusal) {
            return try AccessControl(protection: accessible ?? ProtectionClass.whenUnlocked.rawValue, flags: flags)
        } catch {
            throw CommandFailure(.usage, "These conditions do not go together.", why: Self.why(error))
        }
    }

    private static func why(_ refusal: CreationRefusal) -> String {
        switch refusal {
        case .userPresenceWithOthers:
            "user-presence is a finger or the passcode already; it goes with application-password only."
        case .bothKindsOfBiometry: "biometry-any and biometry-current-set exclude each other."
        case .unknownProtection, .bothOrAndAnd: "\(refusal)"
        }
    }
}

/// The flags of the finding commands about prompts.
package struct AskingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The reason that the prompt shows.", valueName: "text"))
    package var prompt: String?

    @Flag(help: "Never prompt: an item that requires authentication is refused.")
    package var noPrompt = false

    package init() {}

    package func pairs() -> [QueryPair] {
        var pairs: [QueryPair] = []
        if let prompt { pairs.append(QueryPair("u_OpPrompt", .string(prompt))) }
        if noPrompt { pairs.append(.failsIfAsking) }
        return pairs
    }
}
