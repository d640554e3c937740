import PackagePlugin

/// The arguments of `swift package codesign`.
struct SigningRequest {
    let products: [String]
    let isRelease: Bool
    let team: String?
    let key: String?
    let identifier: String?
    let entitlements: String?
    let aliases: [String]
    let passphraseFile: String?
    let wantsHelp: Bool

    static let usage = """
        USAGE: swift package codesign [--product NAME ...] [--configuration debug|release] [--team TEAM] [--key FILE]
                                      [--identifier ID] [--entitlements FILE] [--alias PREFIX ...]
                                      [--passphrase-file FILE]

          --product NAME            Which programs; without it, all that have a Latchkey.plist.
          --configuration C         debug or release; debug without it.
          --team TEAM               Else LATCHKEY_TEAM of the environment, else LatchkeyTeam of Latchkey.plist.
          --key FILE                The team's private key, if it is not where `latchkey team create` puts it.
          --identifier ID           Else CFBundleIdentifier of Latchkey.plist.
          --entitlements FILE       Else NAME.entitlements of the target's directory or of the package's.
          --alias PREFIX            A prefix of groups that the source has in place of the team's, A1B2C3D4E5.
          --passphrase-file FILE    A file or pipe with the key's passphrase; without it the terminal is asked.
        """

    /// A wrong argument.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(_ arguments: [String]) throws {
        var extractor = ArgumentExtractor(arguments)
        func single(_ name: String) throws -> String? {
            let values = extractor.extractOption(named: name)
            guard values.count <= 1 else { throw Failure(description: "--\(name) is given \(values.count) times.") }
            return values.first
        }
        wantsHelp = extractor.extractFlag(named: "help") > 0 || arguments.contains("-h")
        products = extractor.extractOption(named: "product")
        let configuration = try single("configuration")
        guard [nil, "debug", "release"].contains(configuration) else {
            throw Failure(description: "--configuration is debug or release.")
        }
        isRelease = configuration == "release"
        team = try single("team")
        key = try single("key")
        identifier = try single("identifier")
        entitlements = try single("entitlements")
        aliases = extractor.extractOption(named: "alias")
        passphraseFile = try single("passphrase-file")
        let rest = extractor.remainingArguments.filter { $0 != "-h" }
        guard rest.isEmpty || wantsHelp else {
            throw Failure(description: "\(rest[0]) is not an argument of the plugin.")
        }
        guard identifier == nil || products.count == 1 else {
            throw Failure(description: "--identifier goes with one --product: two programs are not the same app.")
        }
    }
}
