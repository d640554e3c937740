/// The operations on a guarded item, by the names that access control lists use.
package enum GuardedOperation: String, Sendable, CaseIterable {
    case attest = "oa"
    case agreeOnKey = "ock"
    case decrypt = "od"
    case decapsulate = "odc"
    case delete = "odel"
    case encrypt = "oe"
    case sign = "osgn"
    /// Everything that is not named.
    case other = "dacl"
}

extension AccessControl {
    /// The requirement of an operation.
    package enum Requirement: Sendable, Hashable {
        case nothing
        /// The conditions of the access control.
        case conditions
    }

    /// The operations that are possible at all, and what each asks for. Operations that are absent are refused.
    package var operations: [GuardedOperation: Requirement] {
        let guarded: Requirement = conditions.isEmpty ? .nothing : .conditions
        if isForPrivateKeys {
            return [
                .sign: guarded, .agreeOnKey: guarded, .decapsulate: guarded, .attest: .nothing, .delete: .nothing,
            ]
        }
        guard !conditions.isEmpty else { return [.other: .nothing] }
        return [.decrypt: .conditions, .encrypt: .nothing, .delete: .nothing]
    }
}

extension AccessControl: CustomStringConvertible {
    /// `<SecAccessControlRef: ak;od(cup(true));odel(true);oe(true)>`
    package var description: String {
        let list = operations.sorted { $0.key.rawValue < $1.key.rawValue }.map { operation, requirement in
            "\(operation.rawValue)(\(requirement == .nothing ? "true" : conditionText))"
        }
        return "<SecAccessControlRef: \(protection.rawValue);\(list.joined(separator: ";"))>"
    }

    private var conditionText: String {
        let names: [(AccessControlFlags, String)] = [
            (.userPresence, "cpo(DeviceOwnerAuthentication)"), (.biometryAny, "cbio(any)"),
            (.biometryCurrentSet, "cbio(current)"), (.devicePasscode, "cup(true)"), (.companion, "cwtch(true)"),
        ]
        let texts = names.filter { flags.contains($0.0) }.map(\.1)
        guard texts.count > 1 else { return texts.joined() }
        return "ckon(\(needsOnlyOneCondition ? 1 : texts.count),\(texts.joined(separator: ",")))"
    }
}
