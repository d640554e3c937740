package import LatchkeyCodeSignature
package import LatchkeyPropertyListDER

/// The entitlements to sign a program with: those of a file, completed for one team and one program.
package struct SigningEntitlements: Sendable, Hashable {
    /// The program's own part of its application identifier.
    package static let identifierLimit = 128

    package let team: TeamIdentifier
    /// "TEAM.bundle".
    package let application: String
    package let dictionary: [String: PropertyValue]

    /// - Parameters:
    ///   - file: the bytes of an entitlements file; nil for a program that has its own group only.
    ///   - aliases: prefixes of groups beside the team's own, and beside those that the file names.
    package init(
        file: [UInt8]?, team: TeamIdentifier, identifier: String, aliases: [TeamAlias] = []
    ) throws(CommandFailure) {
        try Self.check(identifier: identifier)
        self.team = team
        application = team.text + "." + identifier
        var dictionary =
            try file.map { bytes throws(CommandFailure) in
                try Self.expanded(bytes, team: team.text, identifier: identifier)
            } ?? [:]
        for key in [ProgramEntitlements.Key.application, ProgramEntitlements.Key.otherApplication] {
            guard let value = dictionary[key], value != .string(application) else { continue }
            throw .entitlements(
                why: "\(key) is not \(application).",
                advice: "Leave it out: it is filled in from the team and --identifier. Or write "
                    + "$(AppIdentifierPrefix)$(CFBundleIdentifier).")
        }
        dictionary[ProgramEntitlements.Key.application] = .string(application)
        Self.add(aliases, to: &dictionary)
        self.dictionary = dictionary
        try check()
    }

    private static func add(_ aliases: [TeamAlias], to dictionary: inout [String: PropertyValue]) {
        guard !aliases.isEmpty else { return }
        var all: [PropertyValue] = []
        if case .array(let named) = dictionary[ProgramEntitlements.Key.teamAliases] { all = named }
        for alias in aliases where !all.contains(.string(alias.text)) { all.append(.string(alias.text)) }
        dictionary[ProgramEntitlements.Key.teamAliases] = .array(all)
    }

    /// The dictionary in a file of entitlements, with the variables replaced that Xcode knows.
    package static func expanded(
        _ file: [UInt8], team: String, identifier: String
    ) throws(CommandFailure) -> [String: PropertyValue] {
        let variables = ["AppIdentifierPrefix": team + ".", "TeamIdentifierPrefix": team + "."]
            .merging(["CFBundleIdentifier": identifier, "PRODUCT_BUNDLE_IDENTIFIER": identifier]) { $1 }
        var dictionary: [String: PropertyValue] = [:]
        do {
            for (key, value) in try PropertyListFile.dictionary(file) {
                dictionary[key] = try replacing(variables, in: value, key: key)
            }
        } catch let failure as PropertyListFile.Failure {
            throw .entitlements(why: failure.description)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw .entitlements(why: "\(error)")
        }
        return dictionary
    }

    private static func check(identifier: String) throws(CommandFailure) {
        let isAllowed = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        let parts = identifier.split(separator: ".", omittingEmptySubsequences: false)
        guard identifier.utf8.allSatisfy(isAllowed), parts.allSatisfy({ !$0.isEmpty }),
            identifier.utf8.count <= identifierLimit
        else {
            throw CommandFailure(
                .usage, "The identifier cannot be used.",
                why:
                    "It has letters, digits, hyphens, underscores and single periods, at most \(identifierLimit) of them.",
                advice: "Write it as com.example.mail.")
        }
    }

    /// The team's statement about the program with this digest.
    package func statement(digest: [UInt8], date: Double) throws(SignatureFailure) -> SignatureStatement {
        let entitlements: ProgramEntitlements
        do {
            entitlements = try ProgramEntitlements(dictionary)
        } catch {
            throw .malformedEntitlements(error.description)
        }
        return try SignatureStatement(
            application: application, entitlements: entitlements, digest: digest, date: date, team: team)
    }

    /// The rules of statements, before anybody is asked for a passphrase or a program is read.
    private func check() throws(CommandFailure) {
        do {
            _ = try statement(digest: [UInt8](repeating: 0, count: SignatureStatement.digestByteCount), date: 0)
        } catch .foreignGroup("*") {
            throw .entitlements(
                why: "\(keys(naming: "*")) has *, which would be every group of every program.",
                advice: "Name the groups.")
        } catch .foreignGroup(let group) {
            throw .entitlements(
                why: "\(keys(naming: group)) has \(group), which does not belong to team \(team): a team signs for its "
                    + "own groups only.",
                advice: Self.advice(on: group))
        } catch {
            throw .entitlements(why: error.reason, advice: error.advice)
        }
    }

    private static func advice(on group: String) -> String {
        let own = "Write $(AppIdentifierPrefix) in front of a keychain group; application groups begin with \"group.\"."
        let prefix = String(group.prefix { $0 != "." })
        guard prefix.utf8.count < group.utf8.count, TeamAlias(prefix) != nil else { return own }
        return own + " If the program's source has this very group: --alias \(prefix), and on the device "
            + "`latchkey team alias`."
    }

    /// The entitlement in which a group stands.
    private func keys(naming group: String) -> String {
        dictionary.keys.sorted().first { key in
            if case .array(let values) = dictionary[key] { return values.contains(.string(group)) }
            return dictionary[key] == .string(group)
        } ?? "An entitlement"
    }

    private static func replacing(
        _ variables: [String: String], in value: PropertyValue, key: String
    ) throws(CommandFailure) -> PropertyValue {
        switch value {
        case .string(let text): return .string(try replacing(variables, in: text, key: key))
        case .array(let values):
            var replaced: [PropertyValue] = []
            for value in values { replaced.append(try replacing(variables, in: value, key: key)) }
            return .array(replaced)
        case .dictionary(let values):
            var replaced: [String: PropertyValue] = [:]
            for (inner, value) in values {
                replaced[inner] = try replacing(variables, in: value, key: key + "." + inner)
            }
            return .dictionary(replaced)
        default: return value
        }
    }

    /// Replaces `$(Name)` and `${Name}`, as in Xcode. Refuses an unknown name, which would become part of a group's
    /// name.
    private static func replacing(
        _ variables: [String: String], in text: String, key: String
    ) throws(CommandFailure) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "$") {
            result += rest[..<start]
            rest = rest[rest.index(after: start)...]
            guard let closing = rest.first.flatMap({ ["(": ")", "{": "}"][$0] as Character? }),
                let end = rest.firstIndex(of: closing)
            else {
                result += "$"
                continue
            }
            let name = String(rest[rest.index(after: rest.startIndex)..<end])
            guard let value = variables[name] else {
                throw .entitlements(
                    why: "\(key) has $(\(name)), which is not a known variable.",
                    advice: "There are \(variables.keys.sorted().map { "$(\($0))" }.joined(separator: ", ")).")
            }
            result += value
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}

extension CommandFailure {
    /// Entitlements that no program is signed with.
    static func entitlements(why: String, advice: String? = nil) -> CommandFailure {
        CommandFailure(.entitlementsRefused, "The entitlements cannot be used.", why: why, advice: advice)
    }
}
