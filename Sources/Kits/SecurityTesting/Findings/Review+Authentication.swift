import LatchkeyAccessControl
import LatchkeyKeychainMessages

extension Review {
    /// The longest reuse that LocalAuthentication allows.
    static let longestReuseSeconds = 300.0

    /// The flaws in how a call prompted the user.
    static func flaws(of interaction: Interaction?, _ asked: [AskedPrompt], _ call: KeychainCall) -> [Flaw] {
        [missingReason(asked, call), interaction.flatMap { longestReuse($0, call) }].compactMap(\.self)
    }

    /// See ``EvaluationTrail``.
    static let bypass = Flaw(
        kind: .evaluationGuardsSecret, call: .copyMatching,
        reason:
            "The app evaluated a policy and then read a secret that has no conditions: an attacker who skips the "
            + "Boolean, with a debugger or a patched copy, reads the secret without the user's proof.",
        advice: "Add the item with an access control (SecAccessControlCreateWithFlags with biometryCurrentSet or "
            + "userPresence), and give the evaluated LAContext to the find as kSecUseAuthenticationContext.")

    /// An attacker who knows the passcode can enrol a finger, which then opens the item. Where the passcode opens it
    /// anyway (`or`, or user presence), that does not matter.
    static func anyBiometry(_ control: AccessControl, _ call: KeychainCall) -> Flaw? {
        let isOpenToPasscode = control.needsOnlyOneCondition && control.flags.contains(.devicePasscode)
        let isOfHighValue =
            control.protection == .whenPasscodeSetThisDeviceOnly || control.needsApplicationPassword
        guard control.flags.contains(.biometryAny), !isOpenToPasscode, isOfHighValue else { return nil }
        return Flaw(
            kind: .anyBiometry, call: call,
            reason:
                "biometryAny opens the item to every finger that is enrolled later, and the device passcode is enough to "
                + "enrol one; the item's class or its application password says that it is worth more than that.",
            advice:
                "Use biometryCurrentSet, and make the item anew after a full login when the enrolled fingers changed.")
    }

    private static func missingReason(_ asked: [AskedPrompt], _ call: KeychainCall) -> Flaw? {
        guard let first = asked.first(where: { $0.reason.allSatisfy(\.isWhitespace) }) else { return nil }
        let wanted =
            switch first.kind {
            case .finger: "a finger"
            case .passcode: "the passcode"
            case .applicationPassword: "a password"
            }
        return Flaw(
            kind: .noReason, call: call,
            reason: "The user was prompted for \(wanted) without a reason.",
            advice: "Set localizedReason of the LAContext that goes with the call, and say what the app will do.")
    }

    private static func longestReuse(_ interaction: Interaction, _ call: KeychainCall) -> Flaw? {
        guard interaction.reuseSeconds >= longestReuseSeconds else { return nil }
        return Flaw(
            kind: .longestReuse, call: call,
            reason:
                "touchIDAuthenticationAllowableReuseDuration is at its maximum: anyone who takes the phone within five "
                + "minutes of its unlocking passes as its owner.",
            advice: "Leave it at 0, or at the few seconds between an unlock and the start of the app.")
    }
}
