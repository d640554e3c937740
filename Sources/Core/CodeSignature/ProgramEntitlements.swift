import LatchkeyItemModel
package import LatchkeyPropertyListDER

/// The entitlements of a program: a property list with Apple's keys, as far as the keychain uses it (Reference
/// 6.2 and 6.11). Unknown keys are kept and signed, and have no effect.
package struct ProgramEntitlements: Sendable, Hashable {
    package enum Key {
        package static let keychainGroups = "keychain-access-groups"
        package static let associatedApplications = "com.apple.developer.associated-application-identifier"
        package static let application = "application-identifier"
        package static let otherApplication = "com.apple.application-identifier"
        package static let applicationGroups = "com.apple.security.application-groups"
        package static let denied = "com.apple.private.keychain.deny"
        package static let appClip = "com.apple.developer.on-demand-install-capable"
        package static let defaultProtection = "com.apple.developer.default-data-protection"
        /// Our own: the weakest assurance level ("A" or "B") at which the program gets its groups.
        package static let minimumLevel = "org.latchkey.minimum-assurance-level"
        /// Our own: the program may give the device's passcode for an evaluation (`LAContext.setCredential`).
        package static let givesPasscode = "org.latchkey.authentication.passcode"
        /// Our own: prefixes of groups that stand for the team, on devices whose owner gave them to it.
        package static let teamAliases = "org.latchkey.team-aliases"
    }

    /// Groups of one list at most.
    package static let groupLimit = 256
    /// Aliases of the team at most.
    package static let aliasLimit = 16

    package let dictionary: [String: PropertyValue]
    package let keychainGroups: [String]
    package let associatedApplications: [String]
    package let applicationIdentifier: String?
    package let applicationGroups: [String]
    package let isDenied: Bool
    package let isAppClip: Bool
    package let minimumLevel: AssuranceLevel?
    package let givesPasscode: Bool
    /// The prefixes beside the team's own that its groups may have.
    package let teamAliases: [TeamAlias]
    /// Apple's name of the class that new files of the program have; nil if it names none.
    package let defaultProtection: String?

    /// A known key whose value has another type than Apple's, or too many groups.
    package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        package let key: String
        package let expected: String

        package var description: String { "The entitlement \(key) must be \(expected)." }
    }

    package init(_ dictionary: [String: PropertyValue]) throws(Failure) {
        self.dictionary = dictionary
        keychainGroups = try Self.texts(dictionary, Key.keychainGroups)
        associatedApplications = try Self.texts(dictionary, Key.associatedApplications)
        let otherApplication = try Self.text(dictionary, Key.otherApplication)
        applicationIdentifier = try Self.text(dictionary, Key.application) ?? otherApplication
        applicationGroups = try Self.texts(dictionary, Key.applicationGroups)
        isDenied = try Self.truth(dictionary, Key.denied)
        isAppClip = try Self.truth(dictionary, Key.appClip)
        defaultProtection = try Self.text(dictionary, Key.defaultProtection)
        minimumLevel = try Self.level(dictionary)
        givesPasscode = try Self.truth(dictionary, Key.givesPasscode)
        teamAliases = try Self.aliases(dictionary)
    }

    /// All groups in their order, the default one first. An app clip has no application groups.
    package var accessGroups: [String] {
        AccessGroupList.of(
            keychainGroups: keychainGroups + associatedApplications, applicationIdentifier: applicationIdentifier,
            applicationGroups: isAppClip ? [] : applicationGroups)
    }

    private static func texts(_ dictionary: [String: PropertyValue], _ key: String) throws(Failure) -> [String] {
        guard let value = dictionary[key] else { return [] }
        guard case .array(let list) = value, list.count <= groupLimit else {
            throw Failure(key: key, expected: "an array of at most \(groupLimit) strings")
        }
        var texts: [String] = []
        for entry in list {
            guard case .string(let text) = entry, !text.isEmpty else {
                throw Failure(key: key, expected: "an array of strings that are not empty")
            }
            texts.append(text)
        }
        return texts
    }

    private static func aliases(_ dictionary: [String: PropertyValue]) throws(Failure) -> [TeamAlias] {
        var aliases: [TeamAlias] = []
        for text in try texts(dictionary, Key.teamAliases) {
            guard let alias = TeamAlias(text), aliases.count < aliasLimit else {
                throw Failure(
                    key: Key.teamAliases,
                    expected: "an array of at most \(aliasLimit) prefixes of ten capital letters and digits")
            }
            aliases.append(alias)
        }
        return aliases
    }

    private static func text(_ dictionary: [String: PropertyValue], _ key: String) throws(Failure) -> String? {
        guard let value = dictionary[key] else { return nil }
        guard case .string(let text) = value, !text.isEmpty else {
            throw Failure(key: key, expected: "a string that is not empty")
        }
        return text
    }

    private static func truth(_ dictionary: [String: PropertyValue], _ key: String) throws(Failure) -> Bool {
        guard let value = dictionary[key] else { return false }
        guard case .boolean(let truth) = value else { throw Failure(key: key, expected: "true or false") }
        return truth
    }

    private static func level(_ dictionary: [String: PropertyValue]) throws(Failure) -> AssuranceLevel? {
        guard let text = try text(dictionary, Key.minimumLevel) else { return nil }
        guard let level = AssuranceLevel(rawValue: text) else {
            throw Failure(key: Key.minimumLevel, expected: "A, B or C")
        }
        return level
    }
}
