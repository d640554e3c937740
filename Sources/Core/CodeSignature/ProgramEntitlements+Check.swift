import LatchkeyItemModel
import LatchkeyPropertyListDER

extension ProgramEntitlements {
    /// The prefix of application groups; the device's owner decides which teams share one by trusting them.
    private static let applicationGroupPrefix = "group."

    /// Checks that a team grants only its own: keychain groups under its identifier or an alias that is named, and
    /// groups made for sharing. Otherwise a trusted team could sign a program into the items of any other team. The
    /// device decides whether an alias is the team's.
    func check(for application: String, of team: TeamIdentifier) throws(SignatureFailure) {
        if let value = dictionary.values.first(where: { !$0.isPlain }) {
            throw .malformedEntitlements(
                "The entitlements have a value that property lists do not support: \(value.kindName).")
        }
        for key in [Key.application, Key.otherApplication] {
            guard case .string(let named) = dictionary[key] else { continue }
            guard named == application else {
                throw .foreignApplication(entitlement: named, application: application)
            }
        }
        let own = ([team.text] + teamAliases.map(\.text)).map { $0 + "." }
        let isOwn = { (group: String) in own.contains { group.utf8.starts(with: $0.utf8) } }
        for group in keychainGroups + associatedApplications where group != AccessGroupList.token && !isOwn(group) {
            throw .foreignGroup(group)
        }
        for group in applicationGroups
        where !group.utf8.starts(with: Self.applicationGroupPrefix.utf8) && !isOwn(group) {
            throw .foreignGroup(group)
        }
    }
}

extension PropertyValue {
    /// True for values of Apple's property lists; messages have more.
    fileprivate var isPlain: Bool {
        switch self {
        case .boolean, .integer, .string, .data, .date: true
        case .array(let values): values.allSatisfy(\.isPlain)
        case .dictionary(let dictionary): dictionary.values.allSatisfy(\.isPlain)
        case .null, .secret, .reference: false
        }
    }

    fileprivate var kindName: String {
        switch self {
        case .null: "null"
        case .secret: "a secret"
        case .reference(let kind, _): "an object \(kind)"
        default: "one inside a collection"
        }
    }
}
